"""Why a file is in the index or not, from the disk as it is now; needs no index."""

# Paths are strings here: they are keys of the index, and `Path` would respell some of them.
# ruff: noqa: PTH112, PTH114, PTH118

from __future__ import annotations

import os

import attrs

from greenline.core.error import NotFound, OutsideWorkspace
from greenline.index.chunk import SkipReason
from greenline.index.grammar import language_of
from greenline.index.scope import Scope
from greenline.index.source import Refused, read_source
from greenline.workspace.ignore import IgnoreRules
from greenline.workspace.listing import is_skipped_folder
from greenline.workspace.regular import read_regular


@attrs.frozen
class Why:
    """Whether a file belongs to the index."""

    root: str
    path: str
    language: str | None
    """Of a file that belongs to it; None for one that does not."""
    reason: SkipReason | None
    detail: str

    def __str__(self) -> str:
        if self.reason is None:
            return f"{self.path}: indexed as {self.language}"
        return f"{self.path}: skipped, {self.reason.value}" + (f" ({self.detail})" if self.detail else "")


def explain(scope: Scope, path: str) -> Why:
    """Say whether a file, by its absolute path, belongs to the index, and why not.

    Raises `OutsideWorkspace`, and `NotFound` where there is no such file.
    """
    located = scope.locate(path)
    if located is None:
        raise OutsideWorkspace(
            f"{path} lies outside the workspace.", remedy="Name the folder that holds it with --root."
        )
    root, relative = located
    if not os.path.lexists(path):
        raise NotFound(f"There is no file {path}.", remedy="Name a file that exists.")
    if os.path.isdir(path) and not os.path.islink(path):
        raise NotFound(f"{path} is a folder.", remedy="Name a file in it.")
    found = scope.look(root, relative)
    if found is not None and found.refused is not None and found.refused.reason is SkipReason.SECRET:
        return Why(root, relative, None, found.refused.reason, "its name is one that files of secrets have")
    if found is not None and found.refused is not None and found.refused.reason is SkipReason.IGNORED:
        return Why(root, relative, None, SkipReason.IGNORED, _own_rule(root, relative))
    if relative not in scope.listed(root, [relative]):
        return Why(root, relative, None, SkipReason.IGNORED, _rule(root, relative))
    if found is None:
        return Why(root, relative, None, SkipReason.UNREADABLE, "it is no regular file")
    if found.refused is not None:
        refused = found.refused
        if refused.reason is SkipReason.LINK:
            refused = scope.describe_link(os.path.join(root, relative))
        return Why(root, relative, None, refused.reason, refused.detail)
    try:
        source = read_source(relative, read_regular(path))
    except OSError as error:
        return Why(root, relative, None, SkipReason.UNREADABLE, error.strerror or "")
    if isinstance(source, Refused):
        return Why(root, relative, None, source.reason, source.detail)
    return Why(root, relative, language_of(relative, source.text), None, "")


def _rule(root: str, relative: str) -> str:
    """Return which rule ignores a file, as far as that can be said."""
    parts = relative.split("/")
    for count in range(1, len(parts)):
        folder = os.path.join(root, *parts[:count])
        if is_skipped_folder(folder):
            return f"{'/'.join(parts[:count])} is an environment, a cache or version control"
    return IgnoreRules(root).why(relative) or ""


def _own_rule(root: str, relative: str) -> str:
    return IgnoreRules(root, ".greenlineignore").why(relative) or ""
