"""Mutations without a right answer: what the edit means is gone, or must not be done."""

from __future__ import annotations

import random

import attrs

from bench.edits_answered import two_files, untouched, with_decoy
from bench.edits_case import Case, Maker, make, refused, text_of
from bench.edits_draft import Draft


def stale(chance: random.Random, draft: Draft) -> Case | None:
    """A line to remove was changed in the file meanwhile."""
    hunk = chance.choice(draft.hunks)
    removed = [t for k, t in hunk.lines if k == "-" and len(t.strip()) > 4]
    if not removed:
        return None
    line = chance.choice(removed)
    draft.before = [x.replace(line.strip(), line.strip()[:-1] + "_new") for x in draft.before]
    return refused(make("", draft), "the removed line is another by now")


def other_context(chance: random.Random, draft: Draft) -> Case | None:
    """A context line has another word than the file."""
    hunk = chance.choice(draft.hunks)
    rows = [i for i, (k, t) in enumerate(hunk.lines) if k == " " and len(t.strip()) > 8]
    inner = [i for i in rows if 0 < i < len(hunk.lines) - 1]
    if not inner:
        return None
    row = chance.choice(inner)
    hunk.lines[row] = (" ", hunk.lines[row][1][:-3] + "other")
    return refused(make("", draft), "a context line says something else")


def decoy_unknown(chance: random.Random, draft: Draft) -> Case | None:
    """The old lines stand twice and nothing says which are meant."""
    made = with_decoy(chance, draft)
    if made is None:
        return None
    made[0].hunks[0].header = "@@ ... @@"
    return refused(make("", made[0]), "the same lines elsewhere, no number")


def _decoy_between(chance: random.Random, draft: Draft) -> Case | None:
    made = with_decoy(chance, draft)
    if made is None:
        return None
    (hunk,) = made[0].hunks
    shift = made[1] // 2
    hunk.start, hunk.new_start = max(hunk.start + shift, 1), max(hunk.new_start + shift, 1)
    return refused(make("", made[0]), "the same lines elsewhere, number between them")


def _cut_change(chance: random.Random, draft: Draft) -> Case | None:
    """The answer ends before its last change does."""
    hunk = draft.hunks[-1]
    changes = [i for i, (k, _) in enumerate(hunk.lines) if k == "+"]
    if len(changes) < 2:
        return None
    row = chance.choice(changes[:-1])
    rest = text_of([kind + text for kind, text in hunk.lines[row + 1 :]])
    cut = chance.randint(0, len(hunk.lines[row][1]))
    text = text_of(draft.render())
    return refused(make("", draft, text[: len(text) - len(rest) - cut]), "cut off in a change")


def _elided(chance: random.Random, draft: Draft) -> Case | None:
    hunk = chance.choice(draft.hunks)
    added = [i for i, (k, _) in enumerate(hunk.lines) if k == "+"]
    if not added:
        return None
    words = (
        "# ... existing code ...",
        "# rest of the function stays the same",
        "# ... (other lines unchanged)",
    )
    hunk.lines[added[-1]] = ("+", "    " + chance.choice(words))
    return refused(make("", draft), "a placeholder for code")


def _no_file(chance: random.Random, draft: Draft) -> Case:
    draft.old_name, draft.new_name = "a/not_there.py", "b/not_there.py"
    return refused(make("", draft), "no such file")


def _outside(chance: random.Random, draft: Draft) -> Case:
    draft.old_name, draft.new_name = "a/../../outside.py", "b/../../outside.py"
    return refused(make("", draft), "outside the root")


def _one_of_two(chance: random.Random, draft: Draft) -> Case | None:
    """The second of two files is not the one that the diff knows."""
    case = two_files(chance, draft)
    if case is None:
        return None
    before = {**case.before, "second.py": b"something = 'else'\n" * 30}
    return refused(attrs.evolve(case, before=before), "one of two files does not fit")


def _creates_over(chance: random.Random, draft: Draft) -> Case:
    lines = ["--- /dev/null", f"+++ b/{draft.name}", "@@ -0,0 +1,1 @@", "+new = 1"]
    return refused(make("", draft, text_of(lines)), "creates a file that is there")


def _unencodable(chance: random.Random, draft: Draft) -> Case | None:
    hunk = chance.choice(draft.hunks)
    added = [i for i, (k, _) in enumerate(hunk.lines) if k == "+"]
    if not added:
        return None
    hunk.lines[added[0]] = ("+", hunk.lines[added[0]][1] + "  # → €")
    draft.before[0] = "# -*- coding: latin-1 -*-"
    case = make("", draft)
    before = {draft.name: b"".join(x.encode("latin-1", "replace") + b"\n" for x in draft.before)}
    return refused(attrs.evolve(case, before=before), "a character that the file's encoding lacks")


def _cut_anywhere(chance: random.Random, draft: Draft) -> Case | None:
    """The answer ends at any character before the last change is whole."""
    case = chance.choice((two_files, untouched))(chance, draft)
    if case is None:
        return None
    lines = case.edit.splitlines(True)
    last = max(i for i, line in enumerate(lines) if line[0] in "+-" and not line.startswith(("+++ ", "--- ")))
    text = case.edit[: chance.randint(1, len("".join(lines[:last])))]
    # What ends where a hunk or a file does is a whole diff, and nothing shows that more was to come.
    rest = case.edit[len(text) :]
    if rest.startswith(("@@", "--- ", "\n@@", "\n--- ")):
        return None
    return refused(attrs.evolve(case, edit=text), "cut off anywhere before its last change")


UNANSWERED: tuple[Maker, ...] = (
    stale,
    other_context,
    decoy_unknown,
    _decoy_between,
    _cut_change,
    _elided,
    _no_file,
    _outside,
    _one_of_two,
    _creates_over,
    _unencodable,
    _cut_anywhere,
)
