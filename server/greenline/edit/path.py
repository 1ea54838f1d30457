"""Decides which file an edit's path means, and that it lies inside the roots."""

# Paths are strings here, as in the roots that they are compared with.
# ruff: noqa: PTH114, PTH117, PTH119

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

from greenline.core.error import EditRejected, OutsideWorkspace
from greenline.edit.git_folder import is_of_git
from greenline.workspace.root import locate

_LONGEST = 255
"""Bytes of a file's name; file systems have no longer ones."""
_URI = re.compile(r"[A-Za-z][\w+.-]*://")
_PREFIXES = ("a/", "b/", "i/", "w/", "c/", "o/")


def writable_path(path: str, *roots: str) -> str:
    """Return the absolute path that an edit of `path` goes to, links resolved.

    Raises `OutsideWorkspace` (`outside-workspace`, `ambiguous-root`), or `EditRejected`: `malformed` for no
    path at all, `protected` where git keeps its own records and a write could run code.
    """
    if not path.strip() or "\0" in path or "\n" in path or not _is_encodable(path):
        raise EditRejected(f"{path!r} is no path.", remedy="Name the file by its path from the root.")
    if any(len(os.fsencode(name)) > _LONGEST for name in path.split("/")):
        raise EditRejected(
            f"{path[:60]}… is no path: a name in it is longer than {_LONGEST} bytes.",
            remedy="Name the file by its path from the root.",
        )
    if _URI.match(path):
        raise EditRejected(
            f"{path} is a URI and no path.", remedy="Name the file by its path from the root.", path=path
        )
    if not os.path.isabs(path) and os.path.normpath(path).split(os.sep, 1)[0] == os.pardir:
        raise OutsideWorkspace(
            f"{path} lies outside the workspace.",
            remedy="Use a path inside one of the workspace's folders.",
            code="outside-workspace",
        )
    located = locate(path, roots)
    if located.relative == ".":
        raise EditRejected(
            f"{path} is the workspace's folder and no file.",
            remedy="Name the file by its path from the root.",
            path=path,
        )
    if is_of_git(located):
        raise EditRejected(
            f"{path} must not be edited: git keeps its own records there.",
            remedy="Edit the project's files instead.",
            code="protected",
            path=path,
        )
    if path.endswith("/"):
        raise EditRejected(
            f"{path} ends as the name of a folder does, and an edit changes files.",
            remedy="Name the file by its path from the root, without / at its end.",
            path=path,
        )
    return located.target


def _is_encodable(path: str) -> bool:
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return False
    return True


def named_path(
    name: str, roots: tuple[str, ...], has: Callable[[str], bool], *, is_shown: bool = True
) -> str:
    """Return the absolute path of the file that an edit names, as `writable_path` does.

    Where there is no such file, one without the prefix that diffs add, without the only root's own name in
    front, or with `/` for `\\`, is meant if there is that one. Where the edit shows no lines of the file
    (`is_shown`), which tell whether it is that one, a diff's prefix stays, and so does the name of a folder;
    and where there is a folder named as the prefix, it is that folder. A new file with `\\` in its name lies
    in the folder that the name begins with, if there is that one.
    """
    path = writable_path(name, *roots)
    if has(path):
        return path
    has_folder = any(Path(root, name[:1]).is_dir() for root in roots)
    others = [name[2:]] if is_shown and name.startswith(_PREFIXES) and not has_folder else []
    first, _, rest = name.partition("/")
    is_of_root = len(roots) == 1 and first == os.path.basename(os.path.normpath(roots[0]))
    if is_of_root and (is_shown or not Path(roots[0], first).is_dir()):
        others.append(rest)
    slashed = name.replace("\\", "/")
    if slashed != name:
        others.append(slashed)
        others += [slashed[2:]] if is_shown and slashed.startswith(_PREFIXES) and not has_folder else []
    for other in others:
        if other and has(found := writable_path(other, *roots)):
            return found
    first = slashed.partition("/")[0]
    if slashed != name and first and any(Path(root, first).is_dir() for root in roots):
        # A new file in a folder that is there.
        return writable_path(slashed, *roots)
    return path


def is_link(name: str, roots: tuple[str, ...]) -> bool:
    """Return whether an edit's path is itself a symbolic link."""
    return os.path.islink(locate(name, roots).path)
