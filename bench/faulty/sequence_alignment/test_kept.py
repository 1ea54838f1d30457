import pytest
from program import align


@pytest.mark.parametrize(
    ("a", "b", "score"),
    [
        ("", "", 0),
        ("A", "", -2),
        ("", "ACG", -6),
        ("A", "A", 1),
        ("A", "C", -1),
        ("AAAA", "CCCC", -4),
        ("ACGT", "ACGA", 2),
        ("GATTACA", "GCATGCT", -1),
        ("AC", "CA", -2),
        ("ACGTT", "CGTT", 2),
    ],
)
def test_default_scores(a, b, score):
    assert align(a, b).score == score


def test_score_is_that_of_the_rows_shown():
    for a, b in [("GATTACA", "GCATGCT"), ("AGT", "TTAGGT"), ("CCC", "ACA"), ("", "T")]:
        result = align(a, b)
        shown = 0
        for x, y in zip(result.top, result.bottom, strict=True):
            shown += -2 if "-" in (x, y) else 1 if x == y else -1
        assert shown == result.score
        assert result.top.replace("-", "") == a
        assert result.bottom.replace("-", "") == b


def test_symmetric_score():
    assert align("ACCGT", "GT").score == align("GT", "ACCGT").score == -4


def test_gaps_win_over_mismatches_when_cheap():
    assert align("A", "C", gap=0).score == 0
    assert align("ACC", "GAC", match=3, mismatch=-9, gap=-1).score == 4


def test_positional_costs():
    assert align("AC", "AG", 5, 0, -1).score == 5


def test_matches():
    assert align("ACGT", "AGGT").matches == 3
    assert align("A", "").matches == 0
