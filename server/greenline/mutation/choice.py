"""Mutants: small edits of some lines, of which a good test notices each; pure.

They are made by the same operators as repairs, but few: each place is changed in at most two ways, and what
no test could notice (annotations, decorators, the words of an error) is left alone.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from greenline.mutation.operator import Operator, edits_of, expression, statement
from greenline.mutation.source import Candidate, Source


def _reassigned(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Take another operator of `+=` and its like; a plain assignment would only lack its name."""
    if isinstance(node, ast.AugAssign):
        yield from statement.augmented(source, node)


_OPERATORS: tuple[Operator, ...] = (
    expression.comparison,
    expression.arithmetic,
    expression.boolean,
    expression.constant,
    expression.negation,
    _reassigned,
    statement.removal,
)
_A_PLACE = 2


def mutants(path: str, data: bytes, lines: Collection[int], limit: int) -> tuple[Candidate, ...]:
    """Return at most `limit` edits that lie within the lines (1-based), spread over them, in a fixed order.

    None where the file is not Python.
    """
    try:
        source = Source(path, data)
    except (SyntaxError, ValueError):
        return ()
    wanted = set(lines)
    silent = list(_silent(source))
    by_line: dict[int, list[Candidate]] = {}
    seen: dict[tuple[int, int], set[bytes]] = {}
    for node in source.expressions(wanted):
        for operator in _OPERATORS:
            for candidate in edits_of(operator, source, node):
                known = seen.setdefault((candidate.start, candidate.end), set())
                if len(known) == _A_PLACE or candidate.replacement in known:
                    continue
                if _is_within(source, candidate, wanted, silent) and source.takes(candidate):
                    known.add(candidate.replacement)
                    by_line.setdefault(candidate.line, []).append(candidate)
    return tuple(_spread(by_line))[:limit]


def _spread(by_line: dict[int, list[Candidate]]) -> Iterator[Candidate]:
    """Yield the best of each line, then the second best of each, and so on."""
    ranked = [sorted(found, key=lambda c: -c.prior) for _, found in sorted(by_line.items())]
    for rank in range(max(map(len, ranked), default=0)):
        yield from (found[rank] for found in ranked if rank < len(found))


def _is_within(source: Source, candidate: Candidate, wanted: set[int], silent: list[tuple[int, int]]) -> bool:
    last = candidate.end - 1 if candidate.end > candidate.start else candidate.start
    touched = range(source.line_of(candidate.start), source.line_of(last) + 1)
    return wanted.issuperset(touched) and not any(
        start <= candidate.start and candidate.end <= end for start, end in silent
    )


def _silent(source: Source) -> Iterator[tuple[int, int]]:
    """Yield the spans in which an edit changes nothing that tests look at."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from map(source.span, node.decorator_list)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns is not None:
            yield source.span(node.returns)
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
            yield source.span(node.annotation)
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            yield from map(source.span, node.exc.args)
        if isinstance(node, ast.Assert) and node.msg is not None:
            yield source.span(node.msg)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield source.line_span(node)
