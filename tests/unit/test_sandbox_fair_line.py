"""The line before the engines: nobody is served out of turn, nothing is lost, nothing comes twice."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from greenline.sandbox.fair_line import FairLine

Item = tuple[str, str, int]
ITEMS = st.lists(st.tuples(st.sampled_from("ABC"), st.sampled_from("xyz")), max_size=30).map(
    lambda pairs: [(workspace, caller, number) for number, (workspace, caller) in enumerate(pairs)]
)


def line_of(items: list[Item]) -> FairLine[Item]:
    line: FairLine[Item] = FairLine()
    for item in items:
        line.put(item[0], item[1], item)
    return line


def drained(line: FairLine[Item]) -> list[Item]:
    served = []
    while (item := line.take(lambda _: True)) is not None:
        served.append(item)
    return served


@given(ITEMS)
def test_everything_is_served_once_and_as_was_foretold(items: list[Item]) -> None:
    line = line_of(items)
    foretold = list(line.order())

    served = drained(line)

    assert sorted(served) == sorted(items)
    assert served == foretold
    assert len(line) == 0


@given(ITEMS)
def test_shares_of_those_who_wait_differ_by_one_at_most(items: list[Item]) -> None:
    for depth in (1, 2):
        # The workspaces, then the callers of one workspace among themselves.
        own = items if depth == 1 else [item for item in items if item[0] == "A"]
        left = Counter(item[:depth] for item in own)
        share: Counter[tuple[object, ...]] = Counter()
        for item in drained(line_of(own)):
            share[item[:depth]] += 1
            left[item[:depth]] -= 1
            waiting = [who for who in left if left[who] > 0]
            for who in waiting:
                assert share[item[:depth]] - share[who] <= 1


@given(ITEMS)
def test_what_one_caller_wants_comes_in_its_order(items: list[Item]) -> None:
    last: dict[tuple[str, str], int] = {}
    for workspace, caller, number in drained(line_of(items)):
        assert last.get((workspace, caller), -1) < number
        last[workspace, caller] = number


@given(ITEMS, st.lists(st.sets(st.sampled_from("xyz")), max_size=40))
def test_who_does_not_fit_keeps_the_turn(items: list[Item], fitting: list[set[str]]) -> None:
    line = line_of(items)
    served: list[Item] = []
    passed_over: Counter[tuple[str, str]] = Counter()
    for callers in fitting:
        item = line.take(lambda found, callers=callers: found[1] in callers)  # type: ignore[misc]
        if item is None:
            assert not {found[1] for found in line.order()} & callers
            continue
        served.append(item)
        # Nobody who fitted was passed over more often than there are others.
        for workspace, caller, _ in {(*found[:2], 0) for found in line.order()}:
            if caller in callers and (workspace, caller) != item[:2]:
                passed_over[workspace, caller] += 1
        passed_over[item[0], item[1]] = 0
        assert max(passed_over.values(), default=0) <= 9

    assert sorted([*served, *line.order()]) == sorted(items)


@given(ITEMS, st.data())
def test_who_leaves_is_not_served(items: list[Item], data: st.DataObject) -> None:
    line = line_of(items)
    gone = data.draw(st.sets(st.sampled_from(items))) if items else set()

    assert all(line.remove(item) for item in gone)
    assert not any(line.remove(item) for item in gone)

    assert sorted(drained(line)) == sorted(set(items) - gone)


@given(ITEMS)
def test_what_was_served_for_nothing_goes_first(items: list[Item]) -> None:
    line = line_of(items)

    line.put("C", "z", ("C", "z", -1), first=True)

    assert line.take(lambda _: True) == ("C", "z", -1)
