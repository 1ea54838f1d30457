import pytest
from program import parse, select, summarize

LOG = "\n".join(
    [
        "lost line",
        "01:00:00 DEBUG b: one",
        "01:00:01 DEBUG b: two",
        "more",
        "",
        "01:00:02 INFO a.x: three: four",
        "01:00:03 ERROR a.x: five",
    ]
)


@pytest.mark.parametrize("level, n", [("DEBUG", 4), ("INFO", 2), ("WARNING", 1), ("ERROR", 1)])
def test_select(level, n):
    assert len(select(parse(LOG), level)) == n
    assert summarize(LOG, level)["total"] == n


def test_default_level_is_info():
    assert [r["level"] for r in select(parse(LOG))] == ["INFO", "ERROR"]
    assert summarize(LOG)["counts"] == {"INFO": 1, "ERROR": 1}


def test_order_is_kept():
    assert [r["message"] for r in parse(LOG)] == ["one", "two\nmore\n", "three: four", "five"]


def test_debug_counts():
    assert summarize(LOG, "DEBUG") == {
        "counts": {"DEBUG": 2, "INFO": 1, "ERROR": 1},
        "noisiest": "a.x",
        "total": 4,
    }


def test_noisiest_tie_goes_by_name():
    assert summarize(LOG, "DEBUG")["noisiest"] == "a.x"
    assert summarize("01:00:00 INFO z: a\n01:00:00 INFO y: a\n01:00:00 INFO z: b")["noisiest"] == "z"


def test_only_lost_lines():
    assert list(parse("a\nb")) == []


def test_single_record():
    assert list(parse("09:08:07 INFO m.n: ")) == [
        {"time": "09:08:07", "level": "INFO", "source": "m.n", "message": ""}
    ]


def test_nothing_selected():
    assert summarize(LOG.split("01:00:02")[0], "ERROR") == {"counts": {}, "noisiest": None, "total": 0}


def test_source_with_most_lines_wins():
    text = "01:00:00 INFO b: x\n01:00:00 INFO a: x\n01:00:00 INFO b: x\n01:00:00 INFO c: x\n"
    assert summarize(text) == {"counts": {"INFO": 4}, "noisiest": "b", "total": 4}
