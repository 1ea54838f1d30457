"""The steps that the README tells, as the measurement of a first hunk reads them."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.editors.feel import NotMeasured
from bench.first_hunk import _EFFECTS, HEADING, Steps, read_steps

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


def test_the_readme_has_steps_whose_effects_are_known() -> None:
    steps = read_steps((ROOT / "README.md").read_text("utf-8"), HEADING)

    assert steps.commands[-1].startswith("nvim ")
    assert set(steps.keys) <= _EFFECTS.keys()
    assert steps.keys[-2:] == ("ga", ":w")
