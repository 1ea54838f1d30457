"""Mutation operators, a module a family; each takes a node and yields small edits."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator

from greenline.mutation.operator import (
    call,
    container,
    detail,
    expression,
    forgotten,
    ingredient,
    initial,
    insertion,
    leftover,
    name,
    omitted,
    slip,
    statement,
    structure,
)
from greenline.mutation.source import Candidate, Source

Operator = Callable[[Source, ast.AST], Iterator[Candidate]]

OPERATORS: tuple[Operator, ...] = (
    expression.comparison,
    expression.arithmetic,
    expression.boolean,
    expression.constant,
    expression.index_and_slice,
    expression.negation,
    expression.off_by_one,
    slip.direction,
    container.snapshot,
    container.held_deeply,
    call.arguments,
    call.sibling_function,
    call.wrap,
    call.range_bounds,
    name.variable,
    name.attribute,
    statement.removal,
    statement.swap,
    statement.returned,
    statement.augmented,
    statement.default,
    statement.missing_await,
    statement.base_case,
    statement.indentation,
    statement.loop_exit,
    structure.order,
    structure.loop_condition,
    structure.forgotten_call,
    structure.shared_row,
    structure.exception_type,
    structure.branch,
    structure.clause,
    ingredient.membership,
    ingredient.results,
    ingredient.spelling,
    ingredient.magnitude,
    ingredient.element,
    ingredient.expression,
    ingredient.part,
    insertion.step,
    insertion.jump,
    insertion.copied,
    forgotten.call_around,
    forgotten.formatting,
    forgotten.rounding,
    forgotten.reversal,
    forgotten.sort_key,
    forgotten.condition,
    forgotten.parent_setup,
    forgotten.entry_order,
    detail.sign,
    detail.bits_cleared,
    detail.cleaned,
    detail.cleaned_at_once,
    detail.same_either_way,
    detail.handed_on,
    detail.unused_name,
    detail.guard,
    detail.extreme,
    detail.growth,
    detail.nothing,
    leftover.rest,
    leftover.first_result,
    leftover.absence,
    leftover.limit,
    leftover.reset,
    leftover.stale,
    leftover.replaced_step,
    omitted.gathered,
    omitted.joined,
    omitted.parent_method,
    omitted.refusal,
    omitted.varying,
    omitted.kind,
    omitted.borrowed_base,
    slip.late_sign,
    slip.deep_copy,
    slip.limited_part,
    slip.left_behind,
    initial.start,
    initial.local_base,
    initial.sibling_number,
    container.changed_for_others,
    container.used_last,
    container.first_mark,
    container.never_kept_up,
)


_MAX_A_LINE = 1500
"""A line with more edits is a table, and to parse it with each of them takes the square of its length."""


def candidates(source: Source, lines: set[int]) -> Iterator[Candidate]:
    """Yield single edits on the given lines that still parse, without repeats: all but of endless lines."""
    seen: set[tuple[int, int, bytes]] = set()
    n_edits: Counter[int] = Counter()
    for node in source.expressions(lines):
        for operator in OPERATORS:
            for candidate in map(source.with_own_ends, edits_of(operator, source, node)):
                key = (candidate.start, candidate.end, candidate.replacement)
                if key in seen or n_edits[candidate.line] >= _MAX_A_LINE:
                    continue
                if source.takes(candidate):
                    seen.add(key)
                    n_edits[candidate.line] += 1
                    yield candidate


def edits_of(operator: Operator, source: Source, node: ast.AST) -> list[Candidate]:
    """Return the edits of a node by one operator; none where it is nested deeper than the operator goes."""
    try:
        return list(operator(source, node))
    except RecursionError:
        return []
