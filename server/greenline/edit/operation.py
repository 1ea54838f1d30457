"""What an edit asks for, whatever format it came in; values only."""

from __future__ import annotations

import attrs


@attrs.frozen
class PatchHunk:
    """One hunk as the diff states it."""

    start: int | None
    """0-based line of the old file, or None where the header has no numbers."""
    lines: tuple[tuple[str, str], ...]
    r"""Kind (a space, `-` or `+`) and text; the text ends in ``\n`` except before a no-newline marker."""
    heading: str = ""
    """The line above the hunk that its header names, or empty."""
    claimed: tuple[int, int] | None = None
    """How many old and new lines the header claims, where the body has not confirmed it."""
    last: bool = False
    """Whether the edit's text ends with this hunk and nothing closes it, so that its end may be cut off."""
    torn: bool = False
    """Whether the text ends in the hunk's last line without a line end."""
    below: tuple[str, ...] = ()
    """Lines without a mark right below, taken for prose; they may be context that lost its blank."""
    new_start: int | None = None
    """0-based first line in the new file, where the header has it."""
    has_marks: bool = True
    """Whether each line stood behind a mark, a blank for context, which may have been lost."""
    at_end: bool = False
    """Whether it is said to end where the file ends."""
    named: tuple[str, ...] = ()
    """Lines of the file that stand above the change, in this order; without them the hunk has no place."""

    @property
    def source(self) -> list[str]:
        """Old lines."""
        return [text for kind, text in self.lines if kind != "+"]

    @property
    def target(self) -> list[str]:
        """New lines."""
        return [text for kind, text in self.lines if kind != "-"]


@attrs.frozen
class FilePatch:
    """The changes of one file; `old` is None where it is created, `new` where it is deleted."""

    old: str | None
    new: str | None
    hunks: tuple[PatchHunk, ...] = ()
    mode: int | None = None
    moved: bool = False
    """Whether the old file goes away under its old name."""
    place: str = attrs.field(default="a diff", eq=False)
    """Where the edit says it, in words."""
    may_be_stamped: bool = False
    """Whether a timestamp or a word at the end of a name may be the header's and not the name's."""


@attrs.frozen
class Replace:
    """Put `replace` where `search` stands; an empty `search` creates the file."""

    path: str
    search: str
    replace: str
    start: int | None = None
    """0-based line where the search is said to begin, or None."""
    whole_lines: bool = False
    """Whether the search is whole lines, as in a block, and never a piece of one."""
    place: str = attrs.field(default="an edit", eq=False)
    """Where the edit says it, in words."""


@attrs.frozen
class Write:
    """Give a file all its text, whether it is there or not."""

    path: str
    content: str
    keeps_end: bool = False
    """Whether the end of the content says nothing about the file's last line end, as in a fence."""
    place: str = attrs.field(default="a whole text", eq=False)
    """Where the edit says it, in words."""


@attrs.frozen
class Create:
    """Make a file that is not there."""

    path: str
    content: str
    place: str = attrs.field(default="a part", eq=False)
    """Where the edit says it, in words."""


@attrs.frozen
class Delete:
    """Remove a file that is there."""

    path: str
    place: str = attrs.field(default="a part", eq=False)
    """Where the edit says it, in words."""


@attrs.frozen
class Move:
    """Give a file a new path that is free."""

    path: str
    to: str
    place: str = attrs.field(default="a part", eq=False)
    """Where the edit says it, in words."""


Operation = FilePatch | Replace | Write | Create | Delete | Move
