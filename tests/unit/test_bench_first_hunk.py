"""The steps that the README tells, as the measurement of a first hunk reads them."""

from __future__ import annotations

from pathlib import Path

import attrs
import bench.first_hunk
import pytest
from bench.editors.feel import NotMeasured
from bench.first_hunk import WAYS, measure
from bench.first_hunk.home import Home
from bench.first_hunk.step import Steps, Timed, Way, read_steps
from bench.first_hunk.vscode import VSCODE

ROOT = Path(__file__).parents[2]


def test_steps_are_the_lines_of_the_block_and_the_beginnings_of_the_list() -> None:
    text = (
        "## Before\n\n```sh\nno\n```\n\n## First\n\nWords.\n\n```sh\none \\\n  two\n\nedit it\n```\n\n"
        "1. `:a b` does.\n2. `]g` goes, then `x`.\n- `no`\n\n## After\n\n1. `no`\n"
    )

    assert read_steps(text, "## First") == Steps(("one    two", "edit it"), (":a b", "]g"))


@pytest.mark.parametrize(
    "text", ["", "## First\n", "## First\n```sh\na\n```\n", "## First\n1. `a`\n## B\n```sh\na\n```\n"]
)
def test_a_text_without_steps_is_refused(text: str) -> None:
    with pytest.raises(NotMeasured, match="## First"):
        read_steps(text, "## First")


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.editor)
def test_the_readme_has_steps_whose_effects_are_known(way: Way) -> None:
    steps = read_steps((ROOT / "README.md").read_text("utf-8"), way.heading)

    assert steps.commands[-2:-1] == ("cd ~/ledger",)
    assert steps.commands[-1].split()[0] in way.programs(Home(Path("/nowhere")))
    assert steps.keys == tuple(way.effects)


def test_the_driver_of_vscode_knows_every_effect() -> None:
    driver = (ROOT / "editor-clients/vscode/test/bench/first.ts").read_text("utf-8")

    assert all(f"\n  {effect}: " in driver for effect in VSCODE.effects.values())


def test_an_editor_that_is_not_there_misses_its_target_and_costs_the_other_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def need() -> None:
        raise NotMeasured("There is no such editor.")

    absent = attrs.evolve(WAYS[0], editor="Absent", need=need)
    here = attrs.evolve(WAYS[0], editor="Here", need=lambda: None)
    monkeypatch.setattr(bench.first_hunk, "WAYS", (absent, here))
    monkeypatch.setattr(bench.first_hunk, "_follow", lambda *_: [Timed("all", 2.0)])

    table = measure(lambda _: None)

    assert "Absent: not measured: There is no such editor." in table.notes
    assert [target.met for target in table.targets] == [False, True]
