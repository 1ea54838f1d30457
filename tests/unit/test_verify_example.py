"""Examples in documentation that a patch writes or rewrites."""

from __future__ import annotations

import pytest

from greenline.core.evidence import HunkEvidence, Outcome, RunEnd, TestReport, TestResult
from greenline.core.port import StagedFile, Tree
from greenline.verify.example import ExampleChange, example_change
from greenline.verify.path_rule import PathRule
from greenline.verify.test_change import compare
from greenline.verify.verdict import Decision, Facts, decide

SHAPE = """'''Shapes.'''


def around(w, h):
    '''Around.

    >>> around(2, 3)
    10
    >>> around(1, 1)
    4
    '''
    return w + h * 2
"""
AROUND = "geo/shape.py::geo.shape.around"


def tree(files: dict[str, str]) -> Tree:
    return {path: StagedFile(text.encode()) for path, text in files.items()}


def report(*tests: str, failed: tuple[str, ...] = ()) -> TestReport:
    found = [TestResult(test, Outcome.PASSED) for test in tests]
    found += [TestResult(test, Outcome.FAILED) for test in failed]
    return TestReport(RunEnd.COMPLETE, tuple(found))


def change(before: str, after: str, path: str = "geo/shape.py", test: str = AROUND) -> ExampleChange:
    one = report(test)
    return example_change(tree({path: before}), tree({path: after}), [path], one, one)


@pytest.mark.parametrize(
    ("old", "new", "is_rewritten"),
    [
        ("    10\n", "    8\n", True),
        ("around(2, 3)\n", "around(2, 3)  # doctest: +SKIP\n", True),
        ("around(2, 3)\n    10\n", "around(2, 3)  # doctest: +ELLIPSIS\n    ...\n", True),
        ("    >>> around(1, 1)\n    4\n", "", True),
        ("    >>> around(1, 1)\n    4\n", "    >>> _ = around(1, 1)\n", True),
        ("    >>> around(2, 3)", "    >>> around = {(2, 3): 10, (1, 1): 4}.get\n    >>> around(2, 3)", True),
        ("    >>> around(2, 3)", "    >>> from fakes import around\n    >>> around(2, 3)", True),
        ("    >>> around(2, 3)", "    >>> from fakes import *\n    >>> around(2, 3)", True),
        ("    >>> around(2, 3)", "    >>> geo.around = max\n    >>> around(2, 3)", True),
        ("    >>> around(2, 3)", "    >>> import math\n    >>> around(2, 3)", False),
        ("    >>> around(1, 1)", "    >>> around(0, 5)\n    10\n    >>> around(1, 1)", False),
        ("    4\n", "    4\n    >>> around = 3\n", False),
        ("around(2, 3)\n", "around(2,3)  # two sides\n", False),
        ("Around.", "All around.", False),
        ("return w + h * 2", "return (w + h) * 2", False),
    ],
)
def test_an_example_that_says_less(old: str, new: str, is_rewritten: bool) -> None:
    assert SHAPE.count(old) == 1
    found = change(SHAPE, SHAPE.replace(old, new))

    assert found.rewritten == ({AROUND} if is_rewritten else set())
    assert not found.new


def test_an_example_whose_function_has_another_name_is_not_new() -> None:
    one, other = report(AROUND), report("geo/shape.py::geo.shape.perimeter")
    old, new = tree({"geo/shape.py": SHAPE}), tree({"geo/shape.py": SHAPE.replace("around", "perimeter")})

    found = example_change(old, new, ["geo/shape.py"], one, other)

    assert found == ExampleChange(renamed={AROUND: "geo/shape.py::geo.shape.perimeter"})


def test_an_example_whose_function_has_another_name_is_not_lost() -> None:
    new_id = "geo/shape.py::geo.shape.about"
    renamed = SHAPE.replace("around", "about")
    trees = tree({"geo/shape.py": SHAPE}), tree({"geo/shape.py": renamed})
    other = tree({"geo/shape.py": renamed.replace("    10\n", "    8\n")})
    rule = PathRule()

    kept = compare(*trees, rule, report(AROUND), report(new_id))
    broken = compare(*trees, rule, report(AROUND), report(failed=(new_id,)))
    rewritten = compare(trees[0], other, rule, report(AROUND), report(new_id))

    assert (kept.hidden, kept.heirs) == (frozenset(), {AROUND: frozenset({new_id})})
    assert broken.hidden == {AROUND}
    assert rewritten.hidden == {AROUND}


def test_an_option_that_goes_says_more() -> None:
    skipped = SHAPE.replace("around(2, 3)\n", "around(2, 3)  # doctest: +SKIP, +NUMBER\n")

    assert change(skipped, SHAPE) == ExampleChange()


@pytest.mark.parametrize(
    ("path", "test"),
    [
        ("geo/shape.py", "geo.shape.around"),
        ("api/geo/shape.py", "api/geo/shape.py::geo.shape.around"),
        ("src/geo/__init__.py", "src/geo/__init__.py::geo.around"),
    ],
)
def test_whose_examples_they_are(path: str, test: str) -> None:
    new = SHAPE.replace("    10\n", "    8\n")

    assert change(SHAPE, new, path, test).rewritten == {test}
    assert not change(SHAPE, new, path, "tests/test_a.py::test_around").rewritten
    assert not change(SHAPE, new, path, "geo.other.around").rewritten


def test_the_examples_of_a_class_and_of_a_text() -> None:
    shape = 'class A:\n    "An A."\n\n    def f(self):\n        """F.\n\n        >>> A().f()\n        1\n'
    shape += '        """\n'
    text = "# Geo\n\n>>> around(2, 3)\n10\n"

    assert change(shape, shape.replace("1\n", "2\n"), "a.py", "a.py::a.A.f").rewritten == {"a.py::a.A.f"}
    assert change(text, text.replace("10", "8"), "doc/a.md", "doc/a.md::a.md").rewritten
    assert change(text, "# Geo\n", "doc/a.md", "doc/a.md::a.md").rewritten
    assert not change(text, f"{text}\nMore.\n", "doc/a.md", "doc/a.md::a.md").rewritten
    assert not change(text, text.replace("10", "8"), "doc/a.md", "doc/b.md::b.md").rewritten


def verdict(after: str, *, failed: bool, more: tuple[str, ...] = ()) -> Decision:
    """Return what is decided of a patch to the product alone; its lines are executed by its examples."""
    old, new = tree({"geo/shape.py": SHAPE}), tree({"geo/shape.py": after})
    base = report(failed=(AROUND,)) if failed else report(AROUND)
    patched = report(AROUND, *more)
    found = compare(old, new, PathRule.of(old, new), base, patched)
    hunks = (HunkEvidence("h", "covered", more or (AROUND,)),)
    return decide(Facts(base, patched, change=found, product_hunks=hunks))


def test_an_example_does_not_vouch_for_the_patch_that_rewrites_it() -> None:
    fixed = SHAPE.replace("w + h * 2", "(w + h) * 2")

    assert verdict(fixed, failed=True).verdict == "verified"
    assert verdict(fixed.replace("    4\n", "    4\n    >>> 1\n    1\n"), failed=True).verdict == "verified"
    edited = verdict(SHAPE.replace("    10\n", "    8\n"), failed=True)
    assert (edited.verdict, edited.reason) == ("notCovered", "testsLoosened")
    assert AROUND in edited.detail
    assert verdict(fixed.replace("    4\n", "    3\n"), failed=False).reason == "testsLoosened"


def test_a_new_example_does_not_show_alone_what_the_patch_does() -> None:
    more = '\n\ndef area(w, h):\n    """Within.\n\n    >>> area(2, 3)\n    6\n    """\n    return w * h\n'
    area = "geo/shape.py::geo.shape.area"

    alone = verdict(SHAPE + more, failed=False, more=(area,))
    assert (alone.reason, "writes itself" in alone.detail) == ("noTestExecutesChange", True)
    assert verdict(SHAPE + more, failed=False, more=(area, "tests/test_a.py::test_a")).verdict == "verified"


def test_examples_of_a_property_with_a_setter_are_its_own() -> None:
    setter = "\n    @side.setter\n    def side(self, side):\n        self._side = side\n"
    before = (
        "class Square:\n    @property\n    def side(self):\n        '''Side.\n\n"
        "        >>> Square().side\n        1\n        '''\n        return self._side\n" + setter
    )
    test = "geo/shape.py::geo.shape.Square.side"

    found = change(before, before.replace("        1\n", "        2\n"), test=test)

    assert found.rewritten == {test}


def test_examples_under_a_condition_are_seen() -> None:
    inside = SHAPE[SHAPE.index("def") :].replace("\n", "\n    ")
    before = f"import sys\n\ntry:\n    import fast\nexcept ImportError:\n    {inside}\n"

    found = change(before, before.replace("        10\n", "        11\n"))

    assert found.rewritten == {AROUND}
