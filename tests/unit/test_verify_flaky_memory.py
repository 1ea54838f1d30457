"""What is remembered of flaky tests: by several at the same time, bounded, and never in the way."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenline.core.error import InvalidInput
from greenline.verify.flaky_memory import KEPT_S, MAX_BYTES, FlakyMemory, Place, known_warnings

PLACES: tuple[Place, ...] = ("base", "patched", "order")
SEEN = st.lists(st.tuples(st.sampled_from(PLACES), st.text(min_size=1, max_size=4)), max_size=8)


def memory(folder: Path, **options: Any) -> FlakyMemory:
    return FlakyMemory(lambda _: folder, **options)


@given(SEEN)
def test_every_sighting_counts(
    tmp_path_factory: pytest.TempPathFactory, seen: list[tuple[Place, str]]
) -> None:
    folder = tmp_path_factory.mktemp("state")
    for at, (place, test) in enumerate(seen):
        memory(folder, now=lambda at=at: float(at)).record("/w", {place: [test]})

    known = memory(folder, now=lambda: 100.0).known("/w")

    assert set(known) == {test for _, test in seen}
    for test, found in known.items():
        mine = [(place, float(at)) for at, (place, name) in enumerate(seen) if name == test]
        assert [(s.place, s.at) for s in found.sightings] == mine
        assert found.is_flaky is any(place != "order" for place, _ in mine)
    assert list(known) == sorted(known, key=lambda test: (-known[test].last, test))


def test_a_test_is_forgotten_after_a_month_and_on_demand(tmp_path: Path) -> None:
    memory(tmp_path, now=lambda: 0.0).record("/w", {"base": ["old"]})
    later = memory(tmp_path, now=lambda: KEPT_S + 1)
    later.record("/w", {"base": ["new", "other"]})

    assert set(later.known("/w")) == {"new", "other"}

    later.forget("/w", ["new"])

    assert set(later.known("/w")) == {"other"}


@pytest.mark.parametrize("at", ["Infinity", "NaN", "1e300", "1" + 400 * "0", "200.0"])
def test_what_was_seen_at_no_time_that_has_been_is_not_known(tmp_path: Path, at: str) -> None:
    (tmp_path / "flaky.jsonl").write_text(f'{{"test": "a", "place": "base", "at": {at}}}\n')

    assert memory(tmp_path, now=lambda: 100.0).known("/w") == {}


@given(st.binary(max_size=30))
def test_a_line_that_cannot_be_read_is_none(tmp_path_factory: pytest.TempPathFactory, noise: bytes) -> None:
    folder = tmp_path_factory.mktemp("state")
    memory(folder).record("/w", {"base": ["a"]})
    with (folder / "flaky.jsonl").open("ab") as file:
        file.write(b'{"test": 1}\n[]\n' + noise + b"\n")
    memory(folder).record("/w", {"patched": ["b"]})

    assert set(memory(folder).known("/w")) == {"a", "b"}


def test_several_can_tell_at_the_same_time(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: memory(tmp_path).record("/w", {"base": [f"t{n}", "all"]}), range(40)))

    known = memory(tmp_path).known("/w")

    assert set(known) == {"all", *(f"t{n}" for n in range(40))}
    assert len(known["all"].sightings) == 40


def test_what_is_told_while_another_is_forgotten_stays(tmp_path: Path) -> None:
    names = [f"t{n}" for n in range(200)]

    def forget() -> None:
        for _ in names:
            memory(tmp_path).forget("/w", ["mended"])

    with ThreadPoolExecutor(2) as pool:
        done = pool.submit(forget)
        for name in names:
            memory(tmp_path).record("/w", {"base": [name]})
        done.result()

    assert memory(tmp_path).known("/w").keys() == set(names)


def test_the_file_stays_small_and_keeps_the_newest(tmp_path: Path) -> None:
    line = {"test": "x" * 500, "place": "base", "at": 1.0}
    (tmp_path / "flaky.jsonl").write_text((json.dumps(line) + "\n") * (MAX_BYTES // 500))

    memory(tmp_path, now=lambda: 2.0).record("/w", {"base": ["newest"]})

    assert (tmp_path / "flaky.jsonl").stat().st_size <= MAX_BYTES // 2
    assert "newest" in memory(tmp_path, now=lambda: 2.0).known("/w")


def refuse(_: str) -> Path:
    raise InvalidInput("There is no state folder.")


@pytest.mark.parametrize("folder", [refuse, lambda _: Path("/dev/null/state")])
def test_without_a_state_folder_nothing_is_known_and_nothing_fails(folder: Callable[[str], Path]) -> None:
    FlakyMemory(folder).record("/w", {"base": ["a"]})

    assert FlakyMemory(folder).known("/w") == {}


def test_a_warning_names_how_often_and_when(tmp_path: Path) -> None:
    for day in (1, 2):
        memory(tmp_path, now=lambda day=day: day * 86400.0).record(
            "/w", {"base": ["a"], "order": ["ordered"], "patched": ["elsewhere"]}
        )
    known = memory(tmp_path, now=lambda: 3 * 86400.0).known("/w")

    day = time.strftime("%Y-%m-%d", time.localtime(2 * 86400.0))
    assert known_warnings(known, ["a", "b", "ordered"]) == (
        f"a is known to be flaky (2 times, last on {day}).",
    )
