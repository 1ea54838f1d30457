"""Under what a base is kept: any change of what its outcome depends on is another key; damage is a miss."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenline.core.error import InvalidInput
from greenline.core.port import Limits, SandboxRequest, SandboxResult, StagedFile
from greenline.verify.base_cache import KEPT_S, BaseCache, base_key, request_hash, tree_hash

FILES = st.builds(
    StagedFile, st.binary(max_size=3), st.sampled_from([0o644, 0o755]), st.none() | st.just("b")
)
TREES = st.dictionaries(st.sampled_from(["a", "b", "ab", "a/b", "\udcff"]), FILES, max_size=3)
WORDS = st.lists(st.text(max_size=3), max_size=3).map(tuple)
NUMBERS = st.integers(1, 4)
LIMITS = st.builds(
    Limits,
    NUMBERS,
    NUMBERS.map(float),
    NUMBERS,
    NUMBERS.map(float),
    NUMBERS,
    NUMBERS,
    st.none() | st.just(2.0),
)
PARTS: dict[str, st.SearchStrategy[Any]] = {
    "root": st.sampled_from(["/w", "/w/x"]),
    "tree": TREES,
    "command": WORDS,
    "reporter": WORDS,
    "environment": st.dictionaries(st.text(max_size=2), st.text(max_size=2), max_size=2),
    "limits": LIMITS,
}
"""All that the outcome of a run can depend on, of a request."""
REQUESTS = st.builds(SandboxRequest, **PARTS)
RESULT = SandboxResult(0, False, b"out\n", b'{"kind":"final"}\n', 1.5)


def test_no_part_of_a_request_is_left_out_but_whose_it_is_and_what_follows() -> None:
    left_out = {field.name for field in attrs.fields(SandboxRequest)} - set(PARTS)

    assert left_out == {"label", "followup", "waiting"}


@given(REQUESTS, st.data())
def test_a_change_of_any_part_changes_the_key(request: SandboxRequest, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(PARTS)))
    value = data.draw(PARTS[name])
    other = attrs.evolve(request, **{name: value})

    is_same = value == getattr(request, name)

    assert (request_hash(request) == request_hash(other)) is is_same
    assert (base_key(request, "one") == base_key(other, "one")) is is_same
    assert base_key(request, "one") != base_key(request, "two")


@given(REQUESTS)
def test_label_and_followup_are_no_part_of_the_key(request: SandboxRequest) -> None:
    other = attrs.evolve(request, label="another", followup=lambda _: None)

    assert request_hash(other) == request_hash(request)


@given(LIMITS, st.sampled_from([field.name for field in attrs.fields(Limits)]))
def test_every_limit_is_part_of_the_key(limits: Limits, name: str) -> None:
    value = getattr(limits, name)
    request = SandboxRequest("/w", {}, ("x",), limits=limits)
    other = attrs.evolve(request, limits=attrs.evolve(limits, **{name: 9 if value is None else value + 1}))

    assert request_hash(other) != request_hash(request)


@given(TREES, TREES)
def test_two_trees_have_one_hash_only_where_they_are_equal(
    one: dict[str, StagedFile], two: dict[str, StagedFile]
) -> None:
    assert (tree_hash(one) == tree_hash(two)) is (one == two)


def test_the_order_of_a_trees_files_does_not_matter() -> None:
    one, two = StagedFile(b"1"), StagedFile(b"2")

    assert tree_hash({"a": one, "b": two}) == tree_hash({"b": two, "a": one})


def kept(folder: Path, **options: Any) -> BaseCache:
    return BaseCache(lambda _: folder, **options)


def files(folder: Path) -> list[Path]:
    return sorted((folder / "bases").iterdir())


def test_what_was_kept_is_found_with_its_time(tmp_path: Path) -> None:
    kept(tmp_path, now=lambda: 50.0).put("/w", "key", RESULT)

    found = kept(tmp_path, now=lambda: 60.0).get("/w", "key")

    assert found is not None
    assert (found.result, found.measured_at) == (RESULT, 50.0)
    assert kept(tmp_path, now=lambda: 60.0).get("/w", "other") is None


@given(st.floats(0.0, 1.0, exclude_max=True), st.integers(1, 255), st.booleans())
def test_one_that_is_damaged_is_dropped(
    tmp_path_factory: pytest.TempPathFactory, share: float, bits: int, is_cut: bool
) -> None:
    folder = tmp_path_factory.mktemp("state")
    cache = kept(folder, now=lambda: 50.0)
    cache.put("/w", "key", RESULT)
    (path,) = files(folder)
    whole = path.read_bytes()
    place = int(share * len(whole))
    rest = b"" if is_cut else bytes([whole[place] ^ bits]) + whole[place + 1 :]
    path.write_bytes(whole[:place] + rest)

    assert cache.get("/w", "key") is None
    assert files(folder) == []


@pytest.mark.parametrize("at", [KEPT_S + 1.0, -1.0])
def test_one_that_is_too_old_or_from_the_future_is_dropped(tmp_path: Path, at: float) -> None:
    kept(tmp_path, now=lambda: 0.0).put("/w", "key", RESULT)

    assert kept(tmp_path, now=lambda: at).get("/w", "key") is None
    assert files(tmp_path) == []


def test_one_can_be_forgotten(tmp_path: Path) -> None:
    cache = kept(tmp_path)
    cache.put("/w", "key", RESULT)

    cache.discard("/w", "key")
    cache.discard("/w", "key")

    assert cache.get("/w", "key") is None


def test_what_was_asked_for_longest_ago_makes_room(tmp_path: Path) -> None:
    cache = kept(tmp_path)
    for number in range(3):
        cache.put("/w", f"key{number}", RESULT)
    size = files(tmp_path)[0].stat().st_size
    for second, path in enumerate(files(tmp_path)):
        # The times of files that are written one right after another may be the same.
        os.utime(path, (second, second))
    assert cache.get("/w", "key0") is not None

    kept(tmp_path, quota_bytes=3 * size + size // 2).put("/w", "key3", RESULT)

    assert [path.stem for path in files(tmp_path)] == ["key0", "key2", "key3"]


def test_one_that_is_larger_than_the_quota_is_not_kept(tmp_path: Path) -> None:
    cache = kept(tmp_path, quota_bytes=10)

    cache.put("/w", "key", RESULT)

    assert cache.get("/w", "key") is None


def refuse(_: str) -> Path:
    raise InvalidInput("There is no state folder.")


@pytest.mark.parametrize("folder", [refuse, lambda _: Path("/dev/null/state")])
def test_without_a_state_folder_nothing_is_known_and_nothing_fails(folder: Callable[[str], Path]) -> None:
    cache = BaseCache(folder)

    cache.put("/w", "key", RESULT)
    cache.discard("/w", "key")

    assert cache.get("/w", "key") is None
