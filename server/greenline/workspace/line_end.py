"""Files of a commit with the line ends that git gives them when it writes them out.

git's own comparison would start the filters that a repository names, so what it does to line ends is done
here: by the attributes `text` and `eol`, and by `core.autocrlf`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

import attrs

from greenline.core.port import StagedFile, Tree
from greenline.workspace.git import git

_CRLF, _LF = b"\r\n", b"\n"


def as_written(root: str, base: Tree, current: Tree) -> Tree:
    """Return a commit's files; those that differ from the working ones in line ends alone are these.

    One that was changed has the line ends of the working file where git would have written it so.
    """
    differing = {
        path: file
        for path, file in base.items()
        if file.link is None
        and (other := current.get(path)) is not None
        and other.link is None
        and file.content != other.content
        and b"\r" in other.content
    }
    if not differing:
        return base
    found = {
        path: attrs.evolve(base[path], content=_written(base[path], current[path]))
        for path in _converted(root, differing)
    }
    return {**base, **found}


def _written(stored: StagedFile, working: StagedFile) -> bytes:
    """Return the bytes of a stored file as git would have written them beside the working ones."""
    if working.content.replace(_CRLF, _LF) == stored.content:
        return working.content
    has_one_kind = working.content.count(_LF) == working.content.count(_CRLF)
    return stored.content.replace(_LF, _CRLF) if has_one_kind else stored.content


def _converted(root: str, files: Mapping[str, StagedFile]) -> Iterable[str]:
    """Yield the files whose line ends git converts."""
    said = git(
        root,
        ["check-attr", "-z", "--stdin", "text", "eol", "crlf"],
        b"".join(os.fsencode(p) + b"\0" for p in files),
    )
    fields = [os.fsdecode(piece) for piece in (said or b"").split(b"\0")]
    attributes: dict[str, dict[str, str]] = {}
    for path, name, value in zip(fields[::3], fields[1::3], fields[2::3], strict=False):
        attributes.setdefault(path, {})[name] = value
    is_automatic = _is_automatic(root)
    for path, file in files.items():
        own = attributes.get(path, {})
        text, eol = own.get("text", "unspecified"), own.get("eol", "unspecified")
        if text == "unspecified":
            # The name that it had before git 1.7.2.
            text = own.get("crlf", "unspecified")
        text = "set" if text == "input" else text
        if text == "unspecified":
            text = "set" if eol in ("lf", "crlf") else "auto" if is_automatic else "unset"
        # What is stored with such line ends, or is no text, git leaves alone where it finds out by itself.
        is_plain = b"\r" not in file.content and b"\0" not in file.content
        if is_plain and text in ("set", "auto"):
            yield path


def _is_automatic(root: str) -> bool:
    """Return whether git converts what is text without being told of each file."""
    raw = git(root, ["config", "--get", "core.autocrlf"])
    if (raw or b"").strip().lower() == b"input":
        return True
    value = git(root, ["config", "--type=bool-or-int", "--get", "core.autocrlf"])
    return (value or b"false").strip() not in (b"false", b"0")
