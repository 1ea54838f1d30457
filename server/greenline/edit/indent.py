"""Translates an edit's indentation into the file's, by the lines that both have."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence

import attrs

from greenline.core.error import EditRejected

_TAB = 8


@attrs.frozen
class Indents:
    """Which indentation of the file stands for which of the edit."""

    known: dict[str, str]
    kept: bool = False
    """Whether most lines are indented alike in both, so that an unknown indentation is the file's own."""
    disputed: frozenset[str] = frozenset()
    """Those of the edit that stand for several of the file, so that a new line goes by its neighbours."""
    units: tuple[str, str] = ("", "")
    """One step of the edit's indentation and of the file's, empty where nothing shows it; where the known
    ones are a single one, they alone tell a block that is only shifted from one in another style."""

    @classmethod
    def of(
        cls, source: Sequence[str], found: Sequence[str], units: tuple[str, str] = ("", "")
    ) -> Indents | None:
        """Learn from lines that stand for each other; None where most contradict each other."""
        votes: dict[str, Counter[str]] = {}
        total = odd = same = 0
        for wanted, line in zip(source, found, strict=True):
            if wanted.strip():
                votes.setdefault(indentation(wanted), Counter())[indentation(line)] += 1
                total += 1
                same += indentation(wanted) == indentation(line)
        known: dict[str, str] = {}
        for indent, counter in votes.items():
            (best, count), *others = counter.most_common()
            # Where votes are even, a line that kept its indentation knows better than one that drifted.
            known[indent] = indent if others and counter[indent] == count else best
            odd += sum(counter.values()) - counter[known[indent]]
        if odd * 3 > total:
            return None
        ordered = [known[key] for key in sorted(known, key=width)]
        if any(width(a) > width(b) for a, b in itertools.pairwise(ordered)):
            return None
        disputed = frozenset(indent for indent, counter in votes.items() if len(counter) > 1)
        return cls(known, same * 2 > total, disputed, units)

    def dispute(self, body: str) -> str | None:
        """Return the disputed indentation that a line's own would be translated by; None where none is."""
        indent = indentation(body)
        basis = max((key for key in self.known if indent.startswith(key)), key=len, default=None)
        return (
            basis if basis in self.disputed and body.strip() and (basis == indent or not self.kept) else None
        )

    def settled(self, indent: str, own: str) -> Indents:
        """Return these with `own`, of the file, for a disputed one."""
        return attrs.evolve(self, known={**self.known, indent: own})

    def translate(self, body: str) -> str:
        """Return a line with the file's indentation; an unknown one is put together from the known."""
        stripped = body.lstrip(" \t")
        indent = body[: len(body) - len(stripped)]
        if not stripped.strip():
            return body
        if indent in self.known:
            return self.known[indent] + stripped
        if self.kept:
            return body
        shift = self._shift(indent)
        if shift is not None:
            return _shifted(indent, *shift) + stripped
        for shorter in sorted(self.known, key=len, reverse=True):
            if indent.startswith(shorter):
                return self.known[shorter] + self._rest(indent[len(shorter) :]) + stripped
        return self._shallower(indent) + stripped

    def _shift(self, wanted: str) -> tuple[str, str] | None:
        """Return what the edit's indentations have in front that the file's lack, and the other way round.

        None where no such shift says it all, or a single one may as well be of another style; `wanted` is
        the indentation to translate.
        """
        (indent, own), *others = self.known.items()
        if own.endswith(indent):
            lost, gained = "", own[: len(own) - len(indent)]
        elif indent.endswith(own):
            lost, gained = indent[: len(indent) - len(own)], ""
        else:
            return None
        if not others:
            return (lost, gained) if self._is_one_style(indent, own, wanted) else None
        is_whole = all(key.startswith(lost) and gained + key[len(lost) :] == value for key, value in others)
        return (lost, gained) if is_whole else None

    def _is_one_style(self, indent: str, own: str, wanted: str) -> bool:
        """Return whether a single indentation is shifted, and not written with another step."""
        step, file_step = self.units
        if set(indent + step) != set(own + file_step) and indent + step and own + file_step:
            return False
        if step and file_step:
            return not self._is_scaled(indent, own) or step == file_step
        # Nothing shows the edit's step; one that begins with less than a step of the file has another.
        return not indent or len(indent) >= len(file_step) or len(wanted) > len(indent)

    def _step(self) -> tuple[str, str] | None:
        """Return one step of the edit's indentation with the file's."""
        pairs = sorted(self.known.items(), key=lambda pair: len(pair[0]))
        if len(pairs) == 1 and all(self.units):
            is_alike = set(pairs[0][0]) <= set(pairs[0][1])
            if is_alike and not self._is_scaled(*pairs[0]):
                return None
            if is_alike or len(self.units[0]) * len(pairs[0][1]) != len(pairs[0][0]) * len(self.units[1]):
                return self.units
        if len(pairs) == 1 and pairs[0][0]:
            pairs.insert(0, ("", ""))
        for (short, file_short), (long, file_long) in itertools.pairwise(pairs):
            if long.startswith(short) and file_long.startswith(file_short) and file_long != file_short:
                step, file_step = long[len(short) :], file_long[len(file_short) :]
                if file_step == "\t" * len(file_step) and len(step) % len(file_step) == 0:
                    step, file_step = step[: len(step) // len(file_step)], "\t"
                elif step == "\t" * len(step) and len(file_step) % len(step) == 0:
                    step, file_step = "\t", file_step[: len(file_step) // len(step)]
                if step:
                    return step, file_step
        return None

    def _is_scaled(self, indent: str, own: str) -> bool:
        """Return whether a line is as many steps deep in the edit as in the file, and not shifted."""
        step, file_step = map(len, self.units)
        if not indent:
            # Nothing shows its depth, and a wide step of the edit may be several of the file.
            return set(self.units[0]) != set(self.units[1]) or step % file_step != 0
        return len(indent) * file_step == len(own) * step

    def _rest(self, extra: str) -> str:
        """Translate what is deeper than a known indentation."""
        step = self._step()
        if step and extra == step[0] * (len(extra) // len(step[0])):
            return step[1] * (len(extra) // len(step[0]))
        return extra

    def _shallower(self, indent: str) -> str:
        """Translate an indentation above all known ones: what those lose, it loses as well."""
        longer = min((key for key in self.known if key.startswith(indent)), key=len, default=None)
        if longer is None:
            return indent
        lost = self._rest(longer[len(indent) :])
        deeper = self.known[longer]
        return deeper.removesuffix(lost) if deeper.endswith(lost) else indent


def _shifted(indent: str, lost: str, gained: str) -> str:
    """Return an indentation without what is in front of all others; raises `EditRejected` (`no-match`)."""
    if indent.startswith(lost):
        return gained + indent[len(lost) :]
    if not indent:
        # A label or a directive may stand at the margin wherever it is.
        return indent
    raise EditRejected(
        f"The edit is indented by {len(lost)} more than the file, and a new line by {len(indent)} only.",
        remedy="Copy the lines with the file's indentation.",
        code="no-match",
    )


def unit(lines: Sequence[str], least: str = "") -> str:
    """Return the blanks that a line most often has more than the line with text above it, or nothing.

    Where the old lines begin with `least`, one at the margin may be any number of steps above them.
    """
    # The further lines of a comment in C's style stand one blank to the right.
    indents = [indentation(line) for line in lines if line.strip() and line.lstrip()[0] != "*"]
    steps = Counter(
        deeper[len(indent) :]
        for indent, deeper in itertools.pairwise(indents)
        if deeper != indent
        and deeper.startswith(indent)
        and (indent or not least)
        and _is_unit(deeper[len(indent) :])
    )
    return min(steps, key=lambda step: (-steps[step], len(step)), default="")


def _is_unit(step: str) -> bool:
    """Return whether blanks are one step, and not what aligns a line with a bracket above."""
    return step == "\t" or (len(step) in (1, 2, 3, 4, 8) and "\t" not in step)


def indentation(line: str) -> str:
    """Return the blanks that a line begins with."""
    return line[: len(line) - len(line.lstrip(" \t"))]


def width(indent: str) -> int:
    """Return the columns that an indentation takes."""
    return len(indent.expandtabs(_TAB))
