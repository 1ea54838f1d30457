"""Which fixes are one: those of the same normal form, and those that behave alike near the tests.

Pure. Two texts have the same normal form where they differ in how a comparison, a negation or a sum is
written and in nothing else; `a >= b` and `a > b - 1` are the same by that, as they are for whole numbers.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Mapping, Sequence

import attrs

from greenline.core.syntax import parse_python
from greenline.repair.fix import Fix, make_contents
from greenline.verify.batch import Look

_MIN_VARIANTS = 8
_AS_LIKELY = 0.4
"""The share of the best score from which on a place counts beside the best one."""

_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
}


@attrs.frozen
class Family:
    """Fixes that nothing tells apart."""

    fixes: tuple[Fix, ...]
    """The one to show first."""
    weight: float = 1.0
    """How usual the code looks with the one to show, against what edits of its kind do."""

    @property
    def best(self) -> Fix:
        """Return the one to show."""
        return self.fixes[0]

    @property
    def score(self) -> float:
        """Return the score of the likeliest, weighed."""
        return self.weight * max(fix.score for fix in self.fixes)


def families(
    fixes: Sequence[Fix], read: Callable[[str], bytes], looks: Sequence[Look | None]
) -> tuple[Family, ...]:
    """Return the families of fixes in the order of their likeliest; `looks` is what each does, where seen.

    `read` returns a file of the base. Of fixes of one normal form the smallest is shown. Two looks are the
    same where the variants are that both have, which are at least `_MIN_VARIANTS`.
    """
    groups: list[list[Fix]] = []
    by_form: dict[Hashable, list[Fix]] = {}
    by_look: list[tuple[dict[str, str], list[Fix]]] = []
    for fix, look in zip(fixes, looks, strict=True):
        form = _form(fix, read)
        seen = dict(look or ())
        group = by_form.get(form) or next((known for other, known in by_look if _same(seen, other)), None)
        if group is None:
            group = []
            groups.append(group)
        by_form[form] = group
        by_look.append((seen, group))
        group.append(fix)
    forms = {fix: _form(fix, read) for group in groups for fix in group}
    found = []
    for group in groups:
        same = [fix for fix in group if forms[fix] == forms[group[0]]]
        shown = min(same, key=lambda fix: (fix.size, -fix.score))
        found.append(Family((shown, *(fix for fix in group if fix != shown))))
    return tuple(sorted(found, key=lambda family: (len(family.best.edits), -family.score)))


def homes(family: Family, read: Callable[[str], bytes]) -> int:
    """Return in how many functions a statement that the best fix puts in would do, if likely at all."""
    best = family.best
    added = [edit for edit in best.edits if edit.start == edit.end and edit.operator.startswith("missing")]
    if not added:
        return 1
    text = added[0].replacement.strip()
    places = {
        (edit.path, edit.line)
        for fix in family.fixes
        if len(fix.edits) == len(best.edits) and fix.score >= _AS_LIKELY * best.score
        for edit in fix.edits
        if edit.start == edit.end and edit.replacement.strip() == text
    }
    return len({(path, _function_at(read(path), line)) for path, line in places})


def _function_at(data: bytes, line: int) -> int:
    """Return the line at which the innermost function around a line begins, or 0."""
    try:
        tree = parse_python(data)
    except (SyntaxError, RecursionError):
        return 0
    starts = [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    return max(starts, default=0)


def _same(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    both = one.keys() & other.keys()
    return len(both) >= _MIN_VARIANTS and all(one[name] == other[name] for name in both)


def _form(fix: Fix, read: Callable[[str], bytes]) -> Hashable:
    contents = make_contents(read, fix.edits)
    try:
        return tuple(
            (path, ast.dump(_Normal().visit(parse_python(text)))) for path, text in sorted(contents.items())
        )
    except (SyntaxError, RecursionError):
        return fix


class _Normal(ast.NodeTransformer):
    """Writes equal things in one way."""

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        """Push a negation into a comparison; fold the sign of a number."""
        self.generic_visit(node)
        inner = node.operand
        if isinstance(node.op, ast.Not) and isinstance(inner, ast.Compare) and len(inner.ops) == 1:
            opposite = _OPPOSITE[type(inner.ops[0])]()
            return self.visit_Compare(ast.Compare(inner.left, [opposite], inner.comparators))
        is_minus = isinstance(node.op, ast.USub) and isinstance(inner, ast.Constant)
        if is_minus and isinstance(inner, ast.Constant) and type(inner.value) in (int, float):
            return ast.Constant(-inner.value)  # type: ignore[operator]
        return node

    def visit_If(self, node: ast.If) -> ast.stmt:
        """Write a condition with two branches without a negation."""
        self.generic_visit(node)
        if isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not) and node.orelse:
            return ast.If(node.test.operand, node.orelse, node.body)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        """Gather the whole numbers of a sum at its end."""
        self.generic_visit(node)
        rest, number = _sum(node)
        return _plus(rest, number) if number else node if rest is node else rest

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        """Add a negative number where one is taken away, and take away what is added with its sign turned."""
        self.generic_visit(node)
        value = node.value
        if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub):
            turned = {ast.Add: ast.Sub, ast.Sub: ast.Add}.get(type(node.op))
            if turned is not None:
                return ast.AugAssign(node.target, turned(), value.operand)
        if isinstance(node.op, ast.Sub) and isinstance(value, ast.Constant) and isinstance(value.value, int):
            return ast.AugAssign(node.target, ast.Add(), ast.Constant(-value.value))
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """Write an order as `left < right + number`, an equality with its sides sorted."""
        self.generic_visit(node)
        if len(node.ops) != 1:
            return node
        operator, left, right = node.ops[0], node.left, node.comparators[0]
        if isinstance(operator, ast.Gt | ast.GtE):
            operator, left, right = (ast.Lt() if isinstance(operator, ast.Gt) else ast.LtE()), right, left
        if isinstance(operator, ast.Eq | ast.NotEq):
            left, right = sorted((left, right), key=ast.dump)
        if isinstance(operator, ast.Lt | ast.LtE):
            (left, less), (right, more) = _sum(left), _sum(right)
            number = more - less + isinstance(operator, ast.LtE)
            return ast.Compare(left, [ast.Lt()], [_plus(right, number)])
        return ast.Compare(left, [operator], [right])

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Leave out a range's start where it is zero."""
        self.generic_visit(node)
        is_range = isinstance(node.func, ast.Name) and node.func.id == "range" and len(node.args) == 2
        if is_range and isinstance(node.args[0], ast.Constant) and node.args[0].value == 0:
            return ast.Call(node.func, node.args[1:], node.keywords)
        return node


def _sum(node: ast.expr) -> tuple[ast.expr, int]:
    """Return an expression without the whole number that is added to it, and that number."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return ast.Constant(0), node.value
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        right = node.right
        if isinstance(right, ast.Constant) and type(right.value) is int:
            rest, number = _sum(node.left)
            return rest, number + (right.value if isinstance(node.op, ast.Add) else -right.value)
    return node, 0


def _plus(node: ast.expr, number: int) -> ast.expr:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return ast.Constant(node.value + number)
    return ast.BinOp(node, ast.Add(), ast.Constant(number)) if number else node
