"""Collects what an edit does to files: whole or not at all, never outside the roots, bytes kept."""

from __future__ import annotations

import contextlib
import os.path
from collections.abc import Callable, Iterator, Sequence

import attrs

from greenline.core.edit import EditSet, FileChange
from greenline.core.error import EditRejected, InvalidInput, OutsideWorkspace
from greenline.edit.cut import refuse_cut_file
from greenline.edit.drift import Drift
from greenline.edit.header import settled
from greenline.edit.line_number import may_be_numbered
from greenline.edit.number_refusal import refuse_numbers
from greenline.edit.operation import Create, Delete, FilePatch, Move, Operation, PatchHunk, Replace, Write
from greenline.edit.patch import apply_patch_hunks
from greenline.edit.path import is_link, named_path
from greenline.edit.reading import Change, as_declared, changed, encoded, written
from greenline.edit.replace import replace_lines, replace_once
from greenline.edit.rewrite import rewrite
from greenline.edit.room import is_emptied, refuse_inside_file
from greenline.edit.style import restyled
from greenline.edit.text import split_lines
from greenline.edit.unnumbered import apply_unnumbered, unnumbered
from greenline.workspace.encoding import TextFile, decode, decode_as

Read = Callable[[str], bytes | None]
"""Absolute path → bytes, or None where there is no such file."""


_DECLARING = (".py", ".pyi", ".xml", ".html", ".htm", ".xhtml", ".svg")
"""Suffixes of files that say their own encoding."""


class Staging:
    """Collects changes over `read`; later changes see earlier ones. One thread at a time.

    `encoding` is that of files without a byte order mark, instead of the detected one.
    What does not land is only measured, as it stands: no line is a stand-in, or gets another indentation.
    """

    def __init__(self, read: Read, *roots: str, encoding: str | None = None, lands: bool = True) -> None:
        self._read = read
        self._lands = lands
        self._roots = roots
        self._encoding = encoding
        self._changes: dict[str, FileChange] = {}
        self._drifts: dict[str, Drift] = {}
        """How replacements moved the lines of files that nothing else changed."""
        self._paths: dict[str, str] = {}
        """Files as the edit names them, where that is the name under a root."""

    def current(self, path: str) -> bytes | None:
        """Return a file's bytes with the changes so far."""
        if path in self._changes:
            return self._changes[path].after
        try:
            return self._read(path)
        except InvalidInput as error:
            raise EditRejected(error.message, remedy=error.remedy, code="unreadable") from error

    def exists(self, name: str) -> bool:
        """Return whether an edit's path names a file; one that leads outside the roots names none."""
        try:
            return self.current(self._path(name)) is not None
        except (EditRejected, InvalidInput, OutsideWorkspace):
            return False

    def path_of(self, name: str, is_shown: bool) -> str:
        """Return the absolute path of the file that an edit names, as `named_path` does."""
        return self._path(name, is_shown=is_shown)

    def put(
        self, path: str, after: bytes | None, mode: int | None = None, moved_from: str | None = None
    ) -> None:
        """Record a file's new bytes, None to delete it."""
        self._drifts.pop(path, None)
        self._put(path, after, mode, moved_from)

    def _put(
        self, path: str, after: bytes | None, mode: int | None = None, moved_from: str | None = None
    ) -> None:
        old = self._changes.get(path)
        before = self._read(path) if old is None else old.before
        if after is not None and before is None:
            refuse_inside_file(path, self._changes)
        if after is not None and path.endswith(_DECLARING) and self._encoding is None:
            source = self._changes[moved_from].before if moved_from in self._changes else before
            after = as_declared(path, source or b"", after)
        if old is not None:
            mode = old.mode if mode is None else mode
            moved_from = moved_from or old.moved_from
        self._changes[path] = FileChange(path, before, after, moved_from, mode)

    def edit_set(self) -> EditSet:
        """Return the changes so far, sorted by path, without those that change nothing.

        Raises `EditRejected` (`malformed`) where new lines break a file by their indentation alone.
        """
        made = map(self._restyled, self._changes.values())
        kept = (c for c in made if c.before != c.after or c.mode is not None)
        return EditSet(tuple(sorted(kept, key=lambda c: c.path)))

    def _restyled(self, change: FileChange) -> FileChange:
        """Return a change whose new lines are indented as the file's are."""
        if not self._lands or change.before is None or change.after is None or change.before == change.after:
            return change
        # What cannot be read as text has no lines to indent.
        with _naming(change.path), contextlib.suppress(InvalidInput):
            before, file = self._decode(change.before), self._decode(change.after)
            text = restyled(change.path, before.text, file.text)
            if text != file.text:
                return attrs.evolve(change, after=encoded(file, text))
        return change

    def apply(self, operation: Operation) -> None:
        """Apply one operation, or raise and leave what is staged as it was.

        Raises `OutsideWorkspace`, or `EditRejected` with the path and the candidate lines.
        """
        match operation:
            case FilePatch():
                self._patch(settled(operation, self.exists))
            case Replace():
                self._replace(operation)
            case Write():
                self._write(operation)
            case Create():
                self._create(operation.path, operation.content)
            case Delete():
                self._delete(operation.path)
            case Move():
                self._move(operation.path, operation.to)

    def _patch(self, patch: FilePatch) -> None:
        if patch.new is None:
            self._delete(patch.old or "", patch)
        elif patch.old is None:
            refuse_cut_file(patch.hunks)
            text = "".join(line for hunk in patch.hunks for line in hunk.target)
            self._create(patch.new, text, patch.mode)
        else:
            self._edit(patch, patch.old, patch.new)

    def _replace(self, operation: Replace) -> None:
        if not operation.search:
            self._create(operation.path, operation.replace)
            return
        path, data = self._file(operation.path)
        replace = unnumbered(replace_lines if operation.whole_lines else replace_once)
        with _naming(operation.path):
            drift = self._drifts.get(path)

            def start(file: TextFile) -> int | None:
                if drift is None:
                    return self._start(path, file, operation.start)
                return drift.start(operation, file.text)

            def change(file: TextFile) -> str:
                search, new = (_unmarked(file, text) for text in (operation.search, operation.replace))
                return replace(file.text, search, new, start(file), path)

            try:
                after = self._changed(data, operation.search, change)
            except EditRejected as error:
                if error.code == "no-match" and operation.search in self._text_before(path):
                    error.message += " It was, and an earlier part of the edit has changed it."
                raise
            self._refuse_numbers(path, operation.replace, data, after)
            if drift is None and path not in self._changes:
                drift = self._drifts[path] = Drift()
            if drift is not None and drift.is_known:
                file = self._decode(data)
                drift.note(operation, start(file), file.text, self._decode(after).text)
            self._put(path, after)

    def _text_before(self, path: str) -> str:
        """Return a changed file's text before the edit."""
        change = self._changes.get(path)
        return "" if change is None or change.before is None else self._decode(change.before).text

    def _changed(self, data: bytes, old_text: str, change: Change) -> bytes:
        """Return a file's bytes after a change of its text; `old_text` is what the edit says of the file."""
        return changed(data, self._decode(data), old_text, change, is_free=self._encoding is None)

    def _start(self, path: str, file: TextFile, start: int | None) -> int | None:
        """Return a stated line where it means the same before and after what is staged, else None."""
        change = self._changes.get(path)
        if start is None or change is None or change.before is None:
            return start
        before, now = split_lines(self._decode(change.before).text), split_lines(file.text)
        is_same = before[: start + 1] == now[: start + 1] or len(before) == len(now)
        return start if is_same else None

    def _write(self, operation: Write) -> None:
        path = self._path(operation.path, is_shown=False)
        data = self.current(path)
        self._refuse_other(path, operation.path)
        with _naming(operation.path):

            def change(file: TextFile) -> str:
                return rewrite(file.text, _unmarked(file, operation.content), keeps_end=operation.keeps_end)

            file = self._decode(data or b"")
            is_free = self._encoding is None
            after = written(data or b"", file, operation.content, change, is_free=is_free)
            self._refuse_numbers(path, operation.content, data or b"", after)
            self.put(path, after)

    def _create(self, name: str, text: str, mode: int | None = None) -> None:
        path = self._path(name, is_shown=False)
        self._refuse_other(path, name)
        if self.current(path):
            raise EditRejected(
                f"The edit creates {name}, but there is such a file.",
                remedy="Give an edit of the file as it is.",
                code="exists",
                path=name,
            )
        with _naming(name):
            after = encoded(self._decode(b""), rewrite("", text, keeps_end=False))
            self._refuse_numbers(path, text, b"", after)
            self.put(path, after, mode)

    def _delete(self, name: str, patch: FilePatch | None = None) -> None:
        path, data = self._file(name, is_shown=patch is not None)
        self._refuse_link(name)
        if patch is not None and not patch.hunks and data:
            raise EditRejected(
                f"The diff deletes {name} and shows none of its text.",
                remedy="Show all of it, or delete it without a diff.",
                path=name,
            )
        if patch is not None and patch.hunks:
            with _naming(name):
                rest = apply_patch_hunks(self._decode(data).text, patch.hunks, path=name)
            if rest:
                raise EditRejected(
                    f"The diff deletes {name}, but the file holds more than the diff shows.",
                    remedy="Read the file again, and show all of it or delete it without a diff.",
                    code="no-match",
                    path=name,
                )
        self.put(path, None)

    def _move(self, old: str, new: str) -> None:
        source, data = self._file(old, is_shown=False)
        self._move_to(old, source, new, data, None)

    def _edit(self, patch: FilePatch, old: str, new: str) -> None:
        source = self._path(old)
        if patch.moved and self.current(source) is None and self.exists(new):
            # Names that differ in a prefix alone are one file, named carelessly.
            old, source = new, self._path(new)
        data = self.current(source)
        if data is None and patch.hunks and not any(hunk.source for hunk in patch.hunks):
            refuse_cut_file(patch.hunks)
            self._create(new, "".join(line for hunk in patch.hunks for line in hunk.target), patch.mode)
            return
        source, data = self._file(old, is_shown=bool(patch.hunks))
        after = data
        if patch.hunks:
            with _naming(old):
                old_text = "".join(line for hunk in patch.hunks for line in hunk.source)
                after = self._changed(data, old_text, self._with(patch.hunks, source))
                new_text = "".join(text for hunk in patch.hunks for kind, text in hunk.lines if kind == "+")
                self._refuse_numbers(source, new_text, data, after)
        if self._path(new) == source:
            self.put(source, after, patch.mode)
        else:
            self._move_to(old, source, new, after, patch.mode)

    def _refuse_numbers(self, path: str, new: str, before: bytes, after: bytes) -> None:
        """Refuse new lines with the line numbers of a tool before them; raises `EditRejected`."""
        if self._lands and may_be_numbered(new):
            old, now = (split_lines(self._decode(data).text) for data in (before, after))
            refuse_numbers(path, old, now)

    def _with(self, hunks: Sequence[PatchHunk], path: str) -> Change:
        def change(file: TextFile) -> str:
            unmarked = [_unmarked_hunk(file, hunk) for hunk in hunks]
            apply = apply_unnumbered if self._lands else apply_patch_hunks
            return apply(file.text, unmarked, may_elide=not self._lands, path=path)

        return change

    def _move_to(self, old: str, source: str, new: str, after: bytes, mode: int | None) -> None:
        target = self._path(new, is_shown=False)
        self._refuse_link(old)
        self._refuse_other(target, new, source)
        if self.current(target) is not None:
            raise EditRejected(
                f"The edit moves {old} to {new}, but there is such a file.",
                remedy="Choose a new name.",
                code="exists",
                path=new,
            )
        was = self._changes.get(source)
        origin = was.moved_from or source if was is not None and was.before is None else source
        self.put(source, None, moved_from=source)
        self.put(target, after, mode, moved_from=origin)

    def _file(self, name: str, *, is_shown: bool = True) -> tuple[str, bytes]:
        """Return the path and the bytes of a file that an edit needs; raises `EditRejected` (`missing`)."""
        try:
            path = self._path(name, is_shown=is_shown)
        except OutsideWorkspace as error:
            if error.code != "ambiguous-root" or any(self._has_in(root, name) for root in self._roots):
                raise
            raise _missing(name) from None
        data = self.current(path)
        if data is None:
            raise _missing(name)
        return path, data

    def _has_in(self, root: str, name: str) -> bool:
        try:
            return self.current(named_path(name, (root,), self._has)) is not None
        except (EditRejected, InvalidInput, OutsideWorkspace):
            return True

    def _path(self, name: str, *, is_shown: bool = True) -> str:
        known = self._paths.get(name)
        if known is not None and self._has(known):
            return known
        path = named_path(name, self._roots, self._has, is_shown=is_shown)
        if any(path == f"{root}/{name}" for root in self._roots):
            self._paths[name] = path
        return path

    def _has(self, path: str) -> bool:
        return self.current(path) is not None

    def _decode(self, data: bytes) -> TextFile:
        return decode(data) if self._encoding is None else decode_as(data, self._encoding)

    def _refuse_other(self, path: str, name: str, leaving: str = "") -> None:
        """Refuse to put a file where a folder, a pipe or a device is; `leaving` moves there."""
        is_there = path not in self._changes and self.current(path) is None and os.path.lexists(path)
        if is_there and not is_emptied(path, self._changes, leaving):
            raise EditRejected(
                f"{name} is there and is no regular file.",
                remedy="Choose another path.",
                code="exists",
                path=name,
            )

    def _refuse_link(self, name: str) -> None:
        if is_link(name, self._roots):
            raise EditRejected(
                f"{name} is a symbolic link, and an edit changes only what it leads to.",
                remedy="Name the file that it leads to.",
                code="link",
                path=name,
            )


def _unmarked(file: TextFile, text: str) -> str:
    """Return a text of the edit without the byte order mark that the file has apart from its text."""
    return text.removeprefix("\ufeff") if file.bom else text


def _unmarked_hunk(file: TextFile, hunk: PatchHunk) -> PatchHunk:
    if not file.bom:
        return hunk
    return attrs.evolve(hunk, lines=tuple((kind, _unmarked(file, text)) for kind, text in hunk.lines))


@contextlib.contextmanager
def _naming(name: str) -> Iterator[None]:
    """Say in an error which file it is about; bytes that are no text are an error of the edit here."""
    try:
        yield
    except EditRejected as error:
        if error.path is None:
            error.path = name
            error.message = f"{name}: {error.message}"
        raise
    except InvalidInput as error:
        raise EditRejected(
            f"{name}: {error.message}", remedy=error.remedy, code="not-utf8", path=name
        ) from error


def _missing(name: str) -> EditRejected:
    return EditRejected(
        f"The edit changes {name}, but there is no such file.",
        remedy="List the folder and name the file by its path from the root.",
        code="missing",
        path=name,
    )
