"""The table of what a person waits for in an editor, and how the driver of VS Code is asked."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import bench.editors
import pytest
from bench.editors import measure
from bench.editors.driver import Driver
from bench.editors.feel import Feel, NotMeasured

OURS = Feel("Here", {"key": [0.01]}, {"key": [0.2]}, "1 / 2", "1 run ended")
CONTROL = Feel("Here alone", {"key": [0.01]}, {"key": [0.3]}, "1 / 2", "the same", is_control=True)
ANSWERS = """
import json, sys
for line in sys.stdin:
    order = json.loads(line)
    if order["do"] == "end":
        sys.exit(3)
    answer = {"failed": "no such thing"} if order["do"] == "fail" else {"twice": order["n"] * 2}
    print(json.dumps(answer), flush=True)
"""


def test_each_editor_has_its_rows_and_targets_and_a_control_has_no_target(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bench.editors, "EDITORS", {"Here": lambda _: (OURS, CONTROL)})

    table = measure(lambda _: None)

    assert [row[0] for row in table.rows] == ["Here key", "Here alone key"]
    assert [(target.name, target.met) for target in table.targets] == [("Here key p95 at work", False)]


def test_an_editor_that_is_not_there_misses_its_target_and_costs_the_other_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bench.editors, "EDITORS", {"Absent": absent, "Here": lambda _: (OURS,)})

    table = measure(lambda _: None)

    assert "Absent: not measured: There is no such editor." in table.notes
    assert table.targets[0].name == "Absent p95 at work"
    assert not table.targets[0].met
    assert len(table.rows) == 1


def test_without_any_editor_nothing_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench.editors, "EDITORS", {"Absent": absent})

    with pytest.raises(NotMeasured, match="There is no such editor"):
        measure(lambda _: None)


def test_the_driver_answers_orders_and_what_failed_or_ended_is_said(tmp_path: Path) -> None:
    looks: list[int] = []

    with Driver((sys.executable, "-c", ANSWERS), tmp_path, os.environ) as driver:
        assert driver.ask("double", 30.0, lambda: looks.append(1), n=4) == {"twice": 8}
        assert looks
        with pytest.raises(NotMeasured, match="no such thing"):
            driver.ask("fail", 30.0)
        with pytest.raises(NotMeasured, match="ended with 3"):
            driver.ask("end", 30.0)


def absent(_: object) -> tuple[Feel, ...]:
    raise NotMeasured("There is no such editor.")
