from program import parse, select, summarize

LOG = """\
10:00:00 INFO app.web: started
10:00:01 DEBUG app.db: connect
10:00:02 ERROR app.db: query failed
  Traceback
10:00:03 WARNING app.web: slow
10:00:04 ERROR app.db: query failed
"""


def test_parse_joins_lines():
    assert [r["message"] for r in parse(LOG)][2] == "query failed\n  Traceback"


def test_select():
    assert [r["time"] for r in select(parse(LOG), "WARNING")] == ["10:00:02", "10:00:03", "10:00:04"]


def test_counts():
    assert summarize(LOG, "WARNING")["counts"] == {"ERROR": 2, "WARNING": 1}


def test_summary():
    summary = summarize(LOG)
    assert summary["noisiest"] == "app.db"
    assert summary["total"] == 4


def test_empty_log():
    assert summarize("") == {"counts": {}, "noisiest": None, "total": 0}
