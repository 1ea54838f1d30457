from program import align


def test_identical():
    result = align("GATTACA", "GATTACA")
    assert result.score == 7
    assert result.matches == 7


def test_explicit_costs():
    assert align("AC", "AG", match=2, mismatch=-3, gap=-5).score == -1


def test_mismatch():
    assert align("ACGT", "AGGT").score == 2


def test_gap():
    result = align("ACGT", "ACT")
    assert (result.top, result.bottom) == ("ACGT", "AC-T")
    assert result.score == 1
