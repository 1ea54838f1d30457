"""Mutations with a right answer: the diff is changed as models and mails do, or the file under it."""

from __future__ import annotations

import random

import attrs

from bench.edits_case import Case, Maker, joined, make, text_of
from bench.edits_draft import Draft, DraftHunk, draft_of, places


def untouched(chance: random.Random, draft: Draft) -> Case:
    """The diff is as a diff program makes it."""
    return make("as a diff program makes it", draft)


def _shifted(chance: random.Random, draft: Draft) -> Case:
    shift = chance.choice((-1, 1)) * chance.randint(1, 150)
    for hunk in draft.hunks:
        hunk.start = max(hunk.start + shift, 1)
        hunk.new_start = max(hunk.new_start + shift, 1)
    return make("numbers shifted", draft)


def _wrong_numbers(chance: random.Random, draft: Draft) -> Case:
    for hunk in draft.hunks:
        hunk.start = chance.choice((1, chance.randint(1, 2000)))
        hunk.new_start = chance.choice((hunk.start, chance.randint(1, 2000)))
    return make("numbers wrong", draft)


def _no_numbers(chance: random.Random, draft: Draft) -> Case:
    for hunk in draft.hunks:
        hunk.header = chance.choice(("@@ ... @@", "@@", "@@ @@"))
    return make("no numbers", draft)


def _wrong_counts(chance: random.Random, draft: Draft) -> Case:
    for hunk in draft.hunks:
        hunk.counts = (chance.randint(1, 15), chance.randint(1, 15))
    return make("counts wrong", draft)


def trailing_blanks(chance: random.Random, draft: Draft) -> Case:
    """Blanks at the ends of old lines come and go."""
    for hunk in draft.hunks:
        hunk.lines = [
            (k, t + "  " if k != "+" and t.strip() and chance.random() < 0.4 else t) for k, t in hunk.lines
        ]
    return make("blanks at line ends", draft)


def indented(chance: random.Random, draft: Draft) -> Case | None:
    """All of a hunk deeper or less deep by one step, as when a model shows a method alone."""
    deeper = chance.random() < 0.5
    for hunk in draft.hunks:
        texts = [t for _, t in hunk.lines if t.strip()]
        if not deeper and not all(t.startswith("    ") for t in texts):
            return None
        hunk.lines = [(k, ("    " + t if deeper else t[4:]) if t.strip() else t) for k, t in hunk.lines]
    return make("indentation off by a step", draft)


def one_line_drifted(chance: random.Random, draft: Draft) -> Case | None:
    """One line of context has lost a blank of its indentation."""
    hunk = chance.choice(draft.hunks)
    rows = [i for i, (k, t) in enumerate(hunk.lines) if k == " " and t.startswith("    ") and t.strip()]
    if not rows:
        return None
    row = chance.choice(rows)
    hunk.lines[row] = (" ", hunk.lines[row][1][1:])
    return make("a context line drifted", draft)


def tabs(chance: random.Random, draft: Draft) -> Case | None:
    """The file has tabs where the diff, as a terminal shows it, has spaces."""
    if not any(line.startswith("    ") for hunk in draft.hunks for _, line in hunk.lines):
        return None
    tabbed = attrs.evolve(draft, before=[_tab(x) for x in draft.before], after=[_tab(x) for x in draft.after])
    if any(_odd(line) for line in draft.before):
        return None
    return attrs.evolve(make("tabs in the file, spaces in the diff", tabbed), edit=text_of(draft.render()))


def spaces(chance: random.Random, draft: Draft) -> Case | None:
    """The diff has tabs where the file has spaces."""
    for hunk in draft.hunks:
        if any(_odd(line) for _, line in hunk.lines):
            return None
        hunk.lines = [(k, _tab(t)) for k, t in hunk.lines]
    return make("spaces in the file, tabs in the diff", draft)


def _odd(line: str) -> bool:
    return (len(line) - len(line.lstrip(" "))) % 4 != 0


def _tab(line: str) -> str:
    body = line.lstrip(" ")
    return "\t" * ((len(line) - len(body)) // 4) + body


def crlf_file(chance: random.Random, draft: Draft) -> Case:
    """The file has CRLF and the diff LF."""
    return make("CRLF in the file, LF in the diff", draft, end="\r\n")


def _crlf_diff(chance: random.Random, draft: Draft) -> Case:
    case = make("LF in the file, CRLF in the diff", draft)
    return attrs.evolve(case, edit=case.edit.replace("\n", "\r\n"))


def _crlf_kept(chance: random.Random, draft: Draft) -> Case:
    """As git shows a CRLF file: the headers end with LF, the hunks' lines with CRLF."""
    for hunk in draft.hunks:
        hunk.lines = [(k, t + "\r") for k, t in hunk.lines]
    return make("CRLF in the file and in the diff's lines", draft, end="\r\n")


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
    return make("a context line left out", draft)


def _duplicated(chance: random.Random, draft: Draft) -> Case:
    hunk = chance.choice(draft.hunks)
    row = chance.choice([i for i, (k, _) in enumerate(hunk.lines) if k == " "])
    hunk.lines.insert(row, hunk.lines[row])
    return make("a context line twice", draft)


def with_decoy(chance: random.Random, draft: Draft, gap: int = 25) -> tuple[Draft, int] | None:
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
    made = with_decoy(chance, draft)
    return None if made is None else make("the same lines elsewhere, number exact", made[0])


def _decoy_near(chance: random.Random, draft: Draft) -> Case | None:
    made = with_decoy(chance, draft)
    if made is None:
        return None
    (hunk,) = made[0].hunks
    shift = chance.choice((-3, -2, -1, 1, 2, 3))
    if hunk.start + shift < 2:
        return None
    hunk.start += shift
    hunk.new_start += shift
    return make("the same lines elsewhere, number a little off", made[0])


def _quoted(chance: random.Random, draft: Draft) -> Case:
    names = {
        "größe.py": '"{}/gr\\303\\266\\303\\237e.py"',
        "with blank.py": "{}/with blank.py",
        'q"uote.py': '"{}/q\\"uote.py"',
        "tab\there.py": '"{}/tab\\there.py"',
    }
    draft.name = chance.choice(sorted(names))
    draft.old_name, draft.new_name = (names[draft.name].format(side) for side in "ab")
    return make("quoted path", draft)


def _fenced(chance: random.Random, draft: Draft) -> Case:
    text = f"Here is the change you asked for:\n\n```diff\n{text_of(draft.render())}```\n\nIt does this:\n\n"
    return make(
        "in a fence with prose", draft, text + "- renames a value\n- adds a call\n\nAsk me for more.\n"
    )


def _prose(chance: random.Random, draft: Draft) -> Case:
    text = f"Sure, this is it.\n\n{text_of(draft.render())}\nThis should do what you asked for.\n"
    return make("with prose and no fence", draft, text)


def smart(chance: random.Random, draft: Draft) -> Case | None:
    """All quotes of the diff are typographic; the old lines show it for each kind that new ones have."""
    for hunk in draft.hunks:
        old, new = "".join(hunk.source), "".join(t for k, t in hunk.lines if k == "+")
        if not any(q in old for q in "'\"") or any(q in new and q not in old for q in "'\""):
            return None
        hunk.lines = [(k, _curled(t)) for k, t in hunk.lines]
    return make("typographic quotes in the diff", draft)


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
    text = text_of(draft.render()[:-missing])
    # An added line without its end could be a piece of one, and then there is no answer.
    return make("the last context lines missing", draft, text if missing == 3 else text[:-1])


def _no_prefix(chance: random.Random, draft: Draft) -> Case:
    draft.old_name = draft.new_name = draft.name
    return make("no a/ and b/", draft)


def _bare_blanks(chance: random.Random, draft: Draft) -> Case | None:
    text = "".join(line if line != " \n" else "\n" for line in text_of(draft.render()).splitlines(True))
    return make("blank lines without their mark", draft, text) if text != text_of(draft.render()) else None


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
    case = make("no line end after the last line, unmarked", draft)
    after = case.after or {}
    return attrs.evolve(
        case,
        before={name: data[:-1] for name, data in case.before.items()},
        after={name: data[:-1] for name, data in after.items()},
    )


def two_files(chance: random.Random, draft: Draft) -> Case | None:
    """The diff is over two files."""
    other = draft_of(chance, "second.py", list(draft.after))
    if other is None:
        return None
    return Case(
        "two files",
        {draft.name: joined(draft.before), other.name: joined(other.before)},
        text_of(draft.render() + other.render()),
        {draft.name: joined(draft.after), other.name: joined(other.after)},
    )


def _two_at_once(chance: random.Random, draft: Draft) -> Case | None:
    """Two faults together."""
    for hunk in draft.hunks:
        hunk.counts = (chance.randint(1, 15), chance.randint(1, 15))
    second = chance.choice((_shifted, trailing_blanks, _no_prefix, _prose, crlf_file))
    case = second(chance, draft)
    return attrs.evolve(case, kind="counts wrong and another fault")


def _lost_marks(chance: random.Random, draft: Draft) -> Case:
    """All lines of context lack the blank before them."""
    lines = draft.render()
    return make(
        "context without its mark", draft, text_of([x[1:] if x.startswith(" ") else x for x in lines])
    )


def _two_files_wrong_counts(chance: random.Random, draft: Draft) -> Case | None:
    for hunk in draft.hunks:
        old = sum(kind != "+" for kind, _ in hunk.lines)
        new = sum(kind != "-" for kind, _ in hunk.lines)
        hunk.counts = (old + chance.randint(0, 2), new + chance.randint(0, 2))
    case = two_files(chance, draft)
    return None if case is None else attrs.evolve(case, kind="two files, counts wrong")


ANSWERED: tuple[Maker, ...] = (
    untouched,
    _shifted,
    _wrong_numbers,
    _no_numbers,
    _wrong_counts,
    trailing_blanks,
    indented,
    one_line_drifted,
    tabs,
    spaces,
    crlf_file,
    _crlf_diff,
    _crlf_kept,
    _dropped,
    _duplicated,
    _decoy_exact,
    _decoy_near,
    _quoted,
    _fenced,
    _prose,
    smart,
    _cut_context,
    _no_prefix,
    _bare_blanks,
    _unmarked_end,
    two_files,
    _two_at_once,
    _lost_marks,
    _two_files_wrong_counts,
)
