"""Mutates drafts into cases, each with the one right result, or with the knowledge that there is none.

A mutation changes the diff as models and mails do, or the file under it; what the edit means stays known.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import attrs

from bench.edits_draft import Draft, DraftHunk, corpus, draft_of, drafts, places

Tree = dict[str, bytes]


@attrs.frozen
class Case:
    """Files, an edit of them, and what must come of it."""

    kind: str
    before: Tree
    edit: str
    after: Tree | None
    """None where the edit must be refused."""


def cases(seed: int, count: int) -> Iterator[Case]:
    """Yield cases, kinds in turn; the same for the same seed and files."""
    chance = random.Random(seed)
    source = drafts(chance, corpus())
    makers = [*ANSWERED, *ANSWERED, *ANSWERED, *UNANSWERED]
    made = 0
    while made < count:
        for maker in makers:
            case = None
            while case is None:
                case = maker(chance, next(source))
            made += 1
            yield case


def block_cases(seed: int, count: int) -> Iterator[Case]:
    """Yield cases in SEARCH/REPLACE blocks, which have no numbers and are found by their text alone."""
    chance = random.Random(seed)
    source = drafts(chance, corpus())
    made = 0
    while made < count:
        for maker in BLOCKS:
            draft = next(source)
            case = maker(chance, draft)
            if case is not None:
                made += 1
                yield attrs.evolve(case, edit=_blocks(draft))


def _blocks(draft: Draft) -> str:
    pieces = [draft.name, "```python"]
    for hunk in draft.hunks:
        new = [text for kind, text in hunk.lines if kind != "-"]
        pieces += ["<<<<<<< SEARCH", *hunk.source, "=======", *new, ">>>>>>> REPLACE", ""]
    return _text([*pieces, "```"])


def _case(kind: str, draft: Draft, edit: str | None = None, *, end: str = "\n") -> Case:
    before = {draft.name: _joined(draft.before, end)}
    text = _text(draft.render()) if edit is None else edit
    return Case(kind, before, text, {draft.name: _joined(draft.after, end)})


def _refused(case: Case, kind: str) -> Case:
    return attrs.evolve(case, kind=kind, after=None)


def _joined(lines: list[str], end: str = "\n") -> bytes:
    return "".join(line + end for line in lines).encode()


def _text(lines: list[str]) -> str:
    return "".join(line + "\n" for line in lines)


def _untouched(chance: random.Random, draft: Draft) -> Case:
    return _case("as a diff program makes it", draft)


def _shifted(chance: random.Random, draft: Draft) -> Case:
    shift = chance.choice((-1, 1)) * chance.randint(1, 150)
    for hunk in draft.hunks:
        hunk.start = max(hunk.start + shift, 1)
        hunk.new_start = max(hunk.new_start + shift, 1)
    return _case("numbers shifted", draft)


def _wrong_numbers(chance: random.Random, draft: Draft) -> Case:
    for hunk in draft.hunks:
        hunk.start = chance.choice((1, chance.randint(1, 2000)))
        hunk.new_start = chance.choice((hunk.start, chance.randint(1, 2000)))
    return _case("numbers wrong", draft)


def _no_numbers(chance: random.Random, draft: Draft) -> Case:
    for hunk in draft.hunks:
        hunk.header = chance.choice(("@@ ... @@", "@@", "@@ @@"))
    return _case("no numbers", draft)


def _wrong_counts(chance: random.Random, draft: Draft) -> Case:
    for hunk in draft.hunks:
        hunk.counts = (chance.randint(1, 15), chance.randint(1, 15))
    return _case("counts wrong", draft)


def _trailing_blanks(chance: random.Random, draft: Draft) -> Case:
    for hunk in draft.hunks:
        hunk.lines = [
            (k, t + "  " if k != "+" and t.strip() and chance.random() < 0.4 else t) for k, t in hunk.lines
        ]
    return _case("blanks at line ends", draft)


def _indented(chance: random.Random, draft: Draft) -> Case | None:
    """All of a hunk deeper or less deep by one step, as when a model shows a method alone."""
    deeper = chance.random() < 0.5
    for hunk in draft.hunks:
        texts = [t for _, t in hunk.lines if t.strip()]
        if not deeper and not all(t.startswith("    ") for t in texts):
            return None
        hunk.lines = [(k, ("    " + t if deeper else t[4:]) if t.strip() else t) for k, t in hunk.lines]
    return _case("indentation off by a step", draft)


def _one_line_drifted(chance: random.Random, draft: Draft) -> Case | None:
    hunk = chance.choice(draft.hunks)
    rows = [i for i, (k, t) in enumerate(hunk.lines) if k == " " and t.startswith("    ") and t.strip()]
    if not rows:
        return None
    row = chance.choice(rows)
    hunk.lines[row] = (" ", hunk.lines[row][1][1:])
    return _case("a context line drifted", draft)


def _tabs(chance: random.Random, draft: Draft) -> Case | None:
    """The file has tabs where the diff, as a terminal shows it, has spaces."""
    if not any(line.startswith("    ") for hunk in draft.hunks for _, line in hunk.lines):
        return None
    tabbed = attrs.evolve(draft, before=[_tab(x) for x in draft.before], after=[_tab(x) for x in draft.after])
    if any(_odd(line) for line in draft.before):
        return None
    return attrs.evolve(_case("tabs in the file, spaces in the diff", tabbed), edit=_text(draft.render()))


def _spaces(chance: random.Random, draft: Draft) -> Case | None:
    for hunk in draft.hunks:
        if any(_odd(line) for _, line in hunk.lines):
            return None
        hunk.lines = [(k, _tab(t)) for k, t in hunk.lines]
    return _case("spaces in the file, tabs in the diff", draft)


def _odd(line: str) -> bool:
    return (len(line) - len(line.lstrip(" "))) % 4 != 0


def _tab(line: str) -> str:
    body = line.lstrip(" ")
    return "\t" * ((len(line) - len(body)) // 4) + body


def _crlf_file(chance: random.Random, draft: Draft) -> Case:
    return _case("CRLF in the file, LF in the diff", draft, end="\r\n")


def _crlf_diff(chance: random.Random, draft: Draft) -> Case:
    case = _case("LF in the file, CRLF in the diff", draft)
    return attrs.evolve(case, edit=case.edit.replace("\n", "\r\n"))


def _crlf_kept(chance: random.Random, draft: Draft) -> Case:
    """As git shows a CRLF file: the headers end with LF, the hunks' lines with CRLF."""
    for hunk in draft.hunks:
        hunk.lines = [(k, t + "\r") for k, t in hunk.lines]
    return _case("CRLF in the file and in the diff's lines", draft, end="\r\n")


def _dropped(chance: random.Random, draft: Draft) -> Case | None:
    """A line of context is missing, where no insertion depends on it."""
    hunk = chance.choice(draft.hunks)
    rows = [
        i
        for i in range(1, len(hunk.lines) - 1)
        if hunk.lines[i][0] == " " and hunk.lines[i - 1][0] != "+" and hunk.lines[i + 1][0] != "+"
    ]
    edges = [0] if hunk.lines[1][0] == " " else []
    rows += edges
    if not rows:
        return None
    row = chance.choice(rows)
    hunk.start += row == 0
    del hunk.lines[row]
    if places(draft.before, hunk.source) > 0 and row != 0:
        return None
    return _case("a context line left out", draft)


def _duplicated(chance: random.Random, draft: Draft) -> Case:
    hunk = chance.choice(draft.hunks)
    row = chance.choice([i for i, (k, _) in enumerate(hunk.lines) if k == " "])
    hunk.lines.insert(row, hunk.lines[row])
    return _case("a context line twice", draft)


def _with_decoy(chance: random.Random, draft: Draft, gap: int = 25) -> tuple[Draft, int] | None:
    """Copy the one hunk's old lines to another place of the file; return how far off the copy stands."""
    if len(draft.hunks) != 1:
        return None
    hunk = draft.hunks[0]
    source, start = hunk.source, hunk.start - 1
    free = [
        row for row in range(len(draft.before) + 1) if row <= start - gap or row >= start + len(source) + gap
    ]
    if not free:
        return None
    row = chance.choice(free)
    shift = len(source) if row <= start else 0
    after_row = row if row <= start else row + len(draft.after) - len(draft.before)
    before = draft.before[:row] + source + draft.before[row:]
    after = draft.after[:after_row] + source + draft.after[after_row:]
    moved = attrs.evolve(hunk, start=hunk.start + shift, new_start=hunk.new_start + shift)
    if places(before, source) != 2:
        return None
    return attrs.evolve(draft, before=before, after=after, hunks=[moved]), row - (moved.start - 1)


def _decoy_exact(chance: random.Random, draft: Draft) -> Case | None:
    made = _with_decoy(chance, draft)
    return None if made is None else _case("the same lines elsewhere, number exact", made[0])


def _decoy_near(chance: random.Random, draft: Draft) -> Case | None:
    made = _with_decoy(chance, draft)
    if made is None:
        return None
    (hunk,) = made[0].hunks
    shift = chance.choice((-3, -2, -1, 1, 2, 3))
    if hunk.start + shift < 2:
        return None
    hunk.start += shift
    hunk.new_start += shift
    return _case("the same lines elsewhere, number a little off", made[0])


def _quoted(chance: random.Random, draft: Draft) -> Case:
    names = {
        "größe.py": '"{}/gr\\303\\266\\303\\237e.py"',
        "with blank.py": "{}/with blank.py",
        'q"uote.py': '"{}/q\\"uote.py"',
        "tab\there.py": '"{}/tab\\there.py"',
    }
    draft.name = chance.choice(sorted(names))
    draft.old_name, draft.new_name = (names[draft.name].format(side) for side in "ab")
    return _case("quoted path", draft)


def _fenced(chance: random.Random, draft: Draft) -> Case:
    text = f"Here is the change you asked for:\n\n```diff\n{_text(draft.render())}```\n\nIt does this:\n\n"
    return _case(
        "in a fence with prose", draft, text + "- renames a value\n- adds a call\n\nAsk me for more.\n"
    )


def _prose(chance: random.Random, draft: Draft) -> Case:
    text = f"Sure, this is it.\n\n{_text(draft.render())}\nThis should do what you asked for.\n"
    return _case("with prose and no fence", draft, text)


def _smart(chance: random.Random, draft: Draft) -> Case | None:
    """All quotes of the diff are typographic; the old lines show it for each kind that new ones have."""
    for hunk in draft.hunks:
        old, new = "".join(hunk.source), "".join(t for k, t in hunk.lines if k == "+")
        if not any(q in old for q in "'\"") or any(q in new and q not in old for q in "'\""):
            return None
        hunk.lines = [(k, _curled(t)) for k, t in hunk.lines]
    return _case("typographic quotes in the diff", draft)


def _curled(text: str) -> str:
    result, is_open = [], True
    for character in text:
        if character in "'\"":
            pair = "‘’" if character == "'" else "“”"
            result.append(pair[0] if is_open else pair[1])
            is_open = not is_open
        else:
            result.append(character)
    return "".join(result)


def _cut_context(chance: random.Random, draft: Draft) -> Case | None:
    """The last lines of context after the last change are missing, and the counts say so."""
    kinds = [k for k, _ in draft.hunks[-1].lines]
    if kinds[-3:] != [" ", " ", " "]:
        return None
    if draft.hunks[-1].start + len(draft.hunks[-1].source) > len(draft.before):
        return None
    missing = chance.randint(1, 3)
    text = _text(draft.render()[:-missing])
    # An added line without its end could be a piece of one, and then there is no answer.
    return _case("the last context lines missing", draft, text if missing == 3 else text[:-1])


def _no_prefix(chance: random.Random, draft: Draft) -> Case:
    draft.old_name = draft.new_name = draft.name
    return _case("no a/ and b/", draft)


def _bare_blanks(chance: random.Random, draft: Draft) -> Case | None:
    text = "".join(line if line != " \n" else "\n" for line in _text(draft.render()).splitlines(True))
    return _case("blank lines without their mark", draft, text) if text != _text(draft.render()) else None


def _unmarked_end(chance: random.Random, draft: Draft) -> Case:
    """The file has no end after its last line, which the diff changes and does not say."""
    draft.before[-1:] = ["the_last = 1"]
    draft.after[-1:] = [chance.choice(("the_last = 2", "first = 1\nthe_last = 1"))]
    size = min(4, len(draft.before))
    new = draft.after[-1].split("\n")
    lines = [(" ", t) for t in draft.before[-size:-1]] + [("-", "the_last = 1")] + [("+", t) for t in new]
    before = draft.before
    draft = Draft(draft.name, before, before[:-1] + new, [])
    draft.hunks = [DraftHunk(len(before) - size + 1, len(before) - size + 1, lines)]
    case = _case("no line end after the last line, unmarked", draft)
    after = case.after or {}
    return attrs.evolve(
        case,
        before={name: data[:-1] for name, data in case.before.items()},
        after={name: data[:-1] for name, data in after.items()},
    )


def _two_files(chance: random.Random, draft: Draft) -> Case | None:
    other = draft_of(chance, "second.py", list(draft.after))
    if other is None:
        return None
    return Case(
        "two files",
        {draft.name: _joined(draft.before), other.name: _joined(other.before)},
        _text(draft.render() + other.render()),
        {draft.name: _joined(draft.after), other.name: _joined(other.after)},
    )


def _two_at_once(chance: random.Random, draft: Draft) -> Case | None:
    """Two faults together."""
    for hunk in draft.hunks:
        hunk.counts = (chance.randint(1, 15), chance.randint(1, 15))
    second = chance.choice((_shifted, _trailing_blanks, _no_prefix, _prose, _crlf_file))
    case = second(chance, draft)
    return attrs.evolve(case, kind="counts wrong and another fault")


def _lost_marks(chance: random.Random, draft: Draft) -> Case:
    """All lines of context lack the blank before them."""
    lines = draft.render()
    return _case("context without its mark", draft, _text([x[1:] if x.startswith(" ") else x for x in lines]))


def _two_files_wrong_counts(chance: random.Random, draft: Draft) -> Case | None:
    for hunk in draft.hunks:
        old = sum(kind != "+" for kind, _ in hunk.lines)
        new = sum(kind != "-" for kind, _ in hunk.lines)
        hunk.counts = (old + chance.randint(0, 2), new + chance.randint(0, 2))
    case = _two_files(chance, draft)
    return None if case is None else attrs.evolve(case, kind="two files, counts wrong")


def _cut_anywhere(chance: random.Random, draft: Draft) -> Case | None:
    """The answer ends at any character before the last change is whole."""
    case = chance.choice((_two_files, _untouched))(chance, draft)
    if case is None:
        return None
    lines = case.edit.splitlines(True)
    last = max(i for i, line in enumerate(lines) if line[0] in "+-" and not line.startswith(("+++ ", "--- ")))
    text = case.edit[: chance.randint(1, len("".join(lines[:last])))]
    # What ends where a hunk or a file does is a whole diff, and nothing shows that more was to come.
    rest = case.edit[len(text) :]
    if rest.startswith(("@@", "--- ", "\n@@", "\n--- ")):
        return None
    return _refused(attrs.evolve(case, edit=text), "cut off anywhere before its last change")


def _stale(chance: random.Random, draft: Draft) -> Case | None:
    """A line to remove was changed in the file meanwhile."""
    hunk = chance.choice(draft.hunks)
    removed = [t for k, t in hunk.lines if k == "-" and len(t.strip()) > 4]
    if not removed:
        return None
    line = chance.choice(removed)
    draft.before = [x.replace(line.strip(), line.strip()[:-1] + "_new") for x in draft.before]
    return _refused(_case("", draft), "the removed line is another by now")


def _other_context(chance: random.Random, draft: Draft) -> Case | None:
    """A context line has another word than the file."""
    hunk = chance.choice(draft.hunks)
    rows = [i for i, (k, t) in enumerate(hunk.lines) if k == " " and len(t.strip()) > 8]
    inner = [i for i in rows if 0 < i < len(hunk.lines) - 1]
    if not inner:
        return None
    row = chance.choice(inner)
    hunk.lines[row] = (" ", hunk.lines[row][1][:-3] + "other")
    return _refused(_case("", draft), "a context line says something else")


def _decoy_unknown(chance: random.Random, draft: Draft) -> Case | None:
    made = _with_decoy(chance, draft)
    if made is None:
        return None
    made[0].hunks[0].header = "@@ ... @@"
    return _refused(_case("", made[0]), "the same lines elsewhere, no number")


def _decoy_between(chance: random.Random, draft: Draft) -> Case | None:
    made = _with_decoy(chance, draft)
    if made is None:
        return None
    (hunk,) = made[0].hunks
    shift = made[1] // 2
    hunk.start, hunk.new_start = max(hunk.start + shift, 1), max(hunk.new_start + shift, 1)
    return _refused(_case("", made[0]), "the same lines elsewhere, number between them")


def _cut_change(chance: random.Random, draft: Draft) -> Case | None:
    """The answer ends before its last change does."""
    hunk = draft.hunks[-1]
    changes = [i for i, (k, _) in enumerate(hunk.lines) if k == "+"]
    if len(changes) < 2:
        return None
    row = chance.choice(changes[:-1])
    rest = _text([kind + text for kind, text in hunk.lines[row + 1 :]])
    cut = chance.randint(0, len(hunk.lines[row][1]))
    text = _text(draft.render())
    return _refused(_case("", draft, text[: len(text) - len(rest) - cut]), "cut off in a change")


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
    return _refused(_case("", draft), "a placeholder for code")


def _no_file(chance: random.Random, draft: Draft) -> Case:
    draft.old_name, draft.new_name = "a/not_there.py", "b/not_there.py"
    return _refused(_case("", draft), "no such file")


def _outside(chance: random.Random, draft: Draft) -> Case:
    draft.old_name, draft.new_name = "a/../../outside.py", "b/../../outside.py"
    return _refused(_case("", draft), "outside the root")


def _one_of_two(chance: random.Random, draft: Draft) -> Case | None:
    """The second of two files is not the one that the diff knows."""
    case = _two_files(chance, draft)
    if case is None:
        return None
    before = {**case.before, "second.py": b"something = 'else'\n" * 30}
    return _refused(attrs.evolve(case, before=before), "one of two files does not fit")


def _creates_over(chance: random.Random, draft: Draft) -> Case:
    lines = ["--- /dev/null", f"+++ b/{draft.name}", "@@ -0,0 +1,1 @@", "+new = 1"]
    return _refused(_case("", draft, _text(lines)), "creates a file that is there")


def _unencodable(chance: random.Random, draft: Draft) -> Case | None:
    hunk = chance.choice(draft.hunks)
    added = [i for i, (k, _) in enumerate(hunk.lines) if k == "+"]
    if not added:
        return None
    hunk.lines[added[0]] = ("+", hunk.lines[added[0]][1] + "  # → €")
    draft.before[0] = "# -*- coding: latin-1 -*-"
    case = _case("", draft)
    before = {draft.name: b"".join(x.encode("latin-1", "replace") + b"\n" for x in draft.before)}
    return _refused(attrs.evolve(case, before=before), "a character that the file's encoding lacks")


Maker = Callable[[random.Random, Draft], Case | None]
ANSWERED: tuple[Maker, ...] = (
    _untouched,
    _shifted,
    _wrong_numbers,
    _no_numbers,
    _wrong_counts,
    _trailing_blanks,
    _indented,
    _one_line_drifted,
    _tabs,
    _spaces,
    _crlf_file,
    _crlf_diff,
    _crlf_kept,
    _dropped,
    _duplicated,
    _decoy_exact,
    _decoy_near,
    _quoted,
    _fenced,
    _prose,
    _smart,
    _cut_context,
    _no_prefix,
    _bare_blanks,
    _unmarked_end,
    _two_files,
    _two_at_once,
    _lost_marks,
    _two_files_wrong_counts,
)
UNANSWERED: tuple[Maker, ...] = (
    _stale,
    _other_context,
    _decoy_unknown,
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
BLOCKS: tuple[Maker, ...] = (
    _untouched,
    _trailing_blanks,
    _indented,
    _one_line_drifted,
    _tabs,
    _spaces,
    _crlf_file,
    _smart,
    _stale,
    _other_context,
    _decoy_unknown,
)
