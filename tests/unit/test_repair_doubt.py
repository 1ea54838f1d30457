"""What passes weak tests is not believed for that alone, and what only an import executes is suspected."""

from __future__ import annotations

import pytest

from greenline.core.port import StagedFile
from greenline.mutation.source import Candidate, Source
from greenline.repair.alike import Family
from greenline.repair.doubt import doubt, ties
from greenline.repair.fix import Fix
from greenline.repair.spread import names_tested, spread


def _family(line: int, prior: float, score: float = 0.5) -> Family:
    return Family((Fix((Candidate("m.py", line, line + 1, b"x", "kind", line, prior),), score),))


def test_a_likely_edit_is_believed() -> None:
    assert doubt([_family(3, 0.9)], {}, 3, ()) == ""


def test_an_unlikely_edit_that_few_tests_execute_is_not() -> None:
    assert "2 tests execute" in doubt([_family(3, 0.12)], {("m.py", 3): 2}, 1, ())
    assert "1 test executes" in doubt([_family(3, 0.12)], {("m.py", 3): 1}, 3, ())


def test_the_only_one_is_believed_with_two_tests_where_several_fail() -> None:
    assert doubt([_family(3, 0.12)], {("m.py", 3): 2}, 2, ()) == ""
    rivals = [_family(5, 0.9, score=0.01)]
    assert "2 tests execute" in doubt([_family(3, 0.12), *rivals], {("m.py", 3): 2}, 2, ())


def test_an_unlikely_edit_that_many_tests_execute_is() -> None:
    assert doubt([_family(3, 0.12)], {("m.py", 3): 5}, 3, ()) == ""
    assert "5 tests execute" in doubt([_family(3, 0.1)], {("m.py", 3): 5}, 3, ())


def test_an_unlikely_edit_of_what_an_import_executes_is() -> None:
    assert doubt([_family(3, 0.12)], {}, 3, ()) == ""


def test_one_of_many_that_differ_is_not_believed() -> None:
    rivals = [_family(line, 0.9) for line in (5, 7, 9)]

    assert "4 edits that differ" in doubt([_family(3, 0.9), *rivals], {}, 3, ())


def test_one_that_outweighs_all_others_is() -> None:
    rivals = [_family(line, 0.9, score=0.1) for line in (5, 7, 9)]

    assert doubt([_family(3, 0.9), *rivals], {}, 3, ()) == ""


def test_two_that_are_as_likely_are_a_choice_and_two_that_are_nearly_so_are_none() -> None:
    assert doubt([_family(3, 0.9), _family(5, 0.9)], {}, 3, ()) == ""
    assert "2 edits that differ" in doubt([_family(3, 0.9), _family(5, 0.9, score=0.4)], {}, 3, ())


def test_forms_of_one_guess_count_once() -> None:
    forms = [_family(5, 0.9, score=0.1) for _ in range(8)]

    assert doubt([_family(3, 0.9), *forms], {}, 3, ()) == ""
    others = [_family(line, 0.9, score=0.1) for line in range(5, 13)]
    assert "9 edits that differ" in doubt([_family(3, 0.9), *others], {}, 3, ())


def test_few_failing_tests_need_a_greater_share() -> None:
    found = [_family(3, 0.9, score=0.9), _family(5, 0.9, score=0.45)]

    assert doubt(found, {}, 3, ()) == ""
    assert "2 edits that differ" in doubt(found, {}, 2, ())


def test_an_equally_likely_fix_that_differs_is_a_tie() -> None:
    best, there, weaker = _family(3, 0.9), _family(9, 0.9), _family(12, 0.9, score=0.2)

    assert ties([best, there, weaker]) == (there.best,)


@pytest.mark.parametrize(
    ("text", "own", "line"),
    [
        ("def f(a=16):\n    return a\n", {2: 1.0}, 1),
        ("RATES = {\n    1: 2,\n}\n\ndef f(a):\n    return RATES[a]\n", {6: 1.0}, 2),
        ("class C:\n    size = 3\n\n    def f(self):\n        return self.size\n", {5: 1.0}, 2),
    ],
)
def test_what_an_import_executes_is_suspected_with_its_users(
    text: str, own: dict[int, float], line: int
) -> None:
    found = spread(Source("m.py", text.encode()), own)

    assert 0.0 < found[line] < 1.0


def test_what_nothing_suspicious_uses_is_not() -> None:
    text = "A = 1\nB = 2\n\ndef f():\n    return A\n"

    assert 2 not in spread(Source("m.py", text.encode()), {5: 1.0})


def test_a_constant_that_only_a_failing_test_reads_is_suspected() -> None:
    test = "from m import A, C\n\n\ndef test_a():\n    assert A == C.size\n"
    tree = {"tests/test_m.py": StagedFile(test.encode())}
    source = Source("m.py", b"A = 1\nB = 2\n\nclass C:\n    size = 3\n\ndef f():\n    return 1\n")

    for failing in ("tests/test_m.py::test_a[1]", "tests.test_m.Case.test_a"):
        found = spread(source, {8: 1.0}, names_tested(tree, [failing]))
        assert {1, 5} <= found.keys()
        assert 2 not in found


def test_two_edits_that_mend_nothing_alone_need_several_failing_tests() -> None:
    one, other = _family(3, 0.9).best.edits[0], _family(5, 0.9).best.edits[0]
    pair = [Family((Fix((one, other), 0.5),))]

    assert "mend nothing alone" in doubt(pair, {}, 2, ())
    assert doubt(pair, {}, 3, ()) == ""
    assert doubt(pair, {}, 2, {other}) == ""


def test_one_test_that_executes_a_line_needs_a_greater_share() -> None:
    found = [_family(3, 0.9, score=0.9), _family(5, 0.9, score=0.3)]

    assert doubt(found, {("m.py", 3): 2}, 2, ()) == ""
    assert "2 edits that differ" in doubt(found, {("m.py", 3): 1}, 2, ())


def test_what_would_do_in_several_functions_is_not_put_in() -> None:
    assert doubt([_family(3, 0.9)], {}, 3, (), n_homes=1) == ""
    assert "in 2 functions" in doubt([_family(3, 0.9)], {}, 3, (), n_homes=2)
