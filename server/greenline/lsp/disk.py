"""Writes files for clients that cannot do so themselves, or not without harm; only an accept leads here."""

from __future__ import annotations

import codecs
import contextlib
import os
import stat
from collections.abc import Callable
from functools import partial
from pathlib import Path

import attrs

from greenline.core.error import EditRejected, GreenlineError
from greenline.core.ids import new_id
from greenline.edit.beside import replace, write_beside
from greenline.edit.text import line_end, split_lines
from greenline.lsp.review import FileEdit
from greenline.workspace.encoding import TextFile, decode, encode
from greenline.workspace.regular import read_regular


class OwnFiles:
    """Files that are written here as part of one edit: each can be taken back until all are settled."""

    def __init__(self) -> None:
        self._ways_back: list[tuple[str, Callable[[], object]]] = []
        self._put_aside: list[Path] = []

    def put(self, edit: FileEdit) -> str:
        """Make one edit on the disk, never over what it was not made against; return what failed."""
        word = {"create": "created", "delete": "deleted", "edit": "written"}[edit.op]
        try:
            if edit.op == "create":
                self._create(Path(edit.path), _bytes_of(edit, edit.new_text), edit.mode)
            elif edit.op == "delete":
                self._delete(Path(edit.path), edit)
            else:
                self._overwrite(os.path.realpath(edit.path), edit)
        except OSError as error:
            return f"{edit.path} could not be {word}: {error.strerror}."
        except GreenlineError as error:
            return error.message
        return ""

    def take_back(self) -> str:
        """Put everything back as it was, but for what others changed since; return what failed."""
        failed = []
        for path, way_back in reversed(self._ways_back):
            try:
                way_back()
            except (OSError, GreenlineError):
                failed.append(path)
        self._ways_back.clear()
        self._put_aside.clear()
        return f"What was written of {', '.join(failed)} could not be taken back." if failed else ""

    def settle(self) -> None:
        """Let everything stay."""
        for path in self._put_aside:
            with contextlib.suppress(OSError):
                path.unlink()
        self._ways_back.clear()
        self._put_aside.clear()

    def _create(self, path: Path, data: bytes, mode: int | None) -> None:
        folders = [folder for folder in path.parents if not folder.exists()]
        self._ways_back += [(str(folder), partial(_drop, folder)) for folder in reversed(folders)]
        path.parent.mkdir(parents=True, exist_ok=True)
        # Nobody else reads a file before it has its mode.
        own = 0o666 if mode is None else 0o600
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, own)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
            if mode is not None:
                path.chmod(mode)
        except OSError:
            path.unlink()
            raise

        def way_back() -> None:
            if read_regular(path) != data:
                raise _changed(path)
            path.unlink()

        self._ways_back.append((str(path), way_back))

    def _delete(self, path: Path, edit: FileEdit) -> None:
        is_closed = edit.version is None and not path.is_symlink()
        # Of a file that is open, the buffer is what the edit was made against.
        if (
            is_closed
            and read_regular(path) != _bytes_of(edit, edit.old_text)
            and _text(path) != edit.old_text
        ):
            raise _changed(path)
        # Under another name it keeps its owner, mode and other names, should it have to come back.
        aside = _beside(path)
        path.rename(aside)

        def way_back() -> None:
            if os.path.lexists(path):
                raise _changed(path)
            aside.rename(path)

        self._put_aside.append(aside)
        self._ways_back.append((str(path), way_back))

    def _overwrite(self, path: str, edit: FileEdit) -> None:
        old = read_regular(path)
        file = decode(old)
        if file.text != edit.old_text:
            raise _changed(path)
        data = encode(attrs.evolve(file, text=edit.new_text))
        _write(path, data)

        def way_back() -> None:
            if read_regular(path) != data:
                raise _changed(path)
            _write(path, old)

        self._ways_back.append((path, way_back))


def write_own(edit: FileEdit) -> str:
    """Make one edit on the disk, never over what it was not made against; return what failed."""
    own = OwnFiles()
    failure = own.put(edit)
    if failure:
        own.take_back()
    own.settle()
    return failure


def is_plain(path: str) -> bool:
    """Return whether any editor that opens a file and saves it keeps all that the edit leaves alone.

    Editors take a file for UTF-8 until they are told otherwise, and give it one kind of line end.
    """
    saved = saved_text(path)
    if saved is None:
        return True
    ends = {line_end(line) for line in split_lines(saved.text)} - {""}
    return is_utf8(saved) and len(ends) <= 1 and "\r" not in ends


def is_utf8(file: TextFile) -> bool:
    """Return whether a file is in UTF-8 and begins with no byte order mark."""
    return codecs.lookup(file.encoding).name in ("utf-8", "ascii") and not file.bom


def saved_text(path: str) -> TextFile | None:
    """Return what a file holds; None where it is not there, or is no text."""
    try:
        return decode(read_regular(path))
    except (OSError, GreenlineError):
        return None


def _bytes_of(edit: FileEdit, text: str) -> bytes:
    """Return what a file that comes or goes holds: in its form, or else in UTF-8, which holds everything."""
    try:
        return encode(TextFile.in_form(edit.form, text))
    except EditRejected:
        return text.encode("utf-8", "surrogatepass")


def _text(path: Path) -> str:
    return decode(read_regular(path)).text


def _write(path: str, data: bytes) -> None:
    temporary = _beside(Path(path))
    try:
        write_beside(temporary, path, data, stat.S_IMODE(Path(path).stat().st_mode))
        replace(temporary, path, data)
    finally:
        temporary.unlink(missing_ok=True)


def _beside(path: Path) -> Path:
    return path.with_name(f".greenline-{new_id('write')}.tmp")


def _drop(folder: Path) -> None:
    # A folder in which something else came to lie stays.
    with contextlib.suppress(OSError):
        folder.rmdir()


def _changed(path: Path | str) -> GreenlineError:
    return GreenlineError(f"{path} was changed meanwhile.", remedy="Try again.", code="stale")
