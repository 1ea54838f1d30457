"""Who may write the index: one at a time, and never nobody for long."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import attrs
import hypothesis.strategies as st
from hypothesis import given

from greenline.index.live.batch import LONGEST_S, QUIET_S, STORM, STORM_LONGEST_S, Batch
from greenline.index.live.lease import STALE_S, Lease
from greenline.journal.owner import process_owner


@attrs.define
class Clock:
    now: float = 100.0

    def __call__(self) -> float:
        return self.now


def test_nobody_else_can_read_what_its_holder_says(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    lease = Lease(tmp_path / "lease")

    assert lease.beat("a key")
    modes = {path.name: path.stat().st_mode & 0o077 for path in tmp_path.iterdir()}
    lease.release()

    assert modes["lease"] == 0
    assert not any(modes.values())


def test_one_of_two_has_it_and_keeps_it(tmp_path: Path) -> None:
    clock = Clock()
    one, two = (Lease(tmp_path / "lease", clock, process_owner() + name) for name in ("a", "b"))

    # Both name a process that cannot be found, so that only time decides.
    assert one.beat("first")
    alive = Lease(tmp_path / "other", clock)
    assert alive.beat()
    assert not Lease(tmp_path / "other", clock, "1:").beat()
    one.release()
    assert two.beat("second")
    two.release()
    alive.release()


def test_a_lease_that_was_given_back_is_free_at_once(tmp_path: Path) -> None:
    one, two = Lease(tmp_path / "lease"), Lease(tmp_path / "lease", owner="1:")
    assert one.beat("I am one")
    assert not two.beat()
    assert two.holder is not None
    assert two.holder.said == "I am one"

    one.release()

    assert two.beat()
    assert not one.beat()
    two.release()


def test_a_dead_holder_is_replaced_at_once(tmp_path: Path) -> None:
    program = (
        "import sys, os; from pathlib import Path\n"
        "from greenline.index.live.lease import Lease\n"
        "assert Lease(Path(sys.argv[1])).beat('mine')\n"
        "os._exit(0)\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "lease")]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    lease = Lease(tmp_path / "lease")

    assert lease.beat()

    lease.release()


def test_a_holder_that_says_nothing_any_more_is_replaced_after_a_while(tmp_path: Path) -> None:
    clock = Clock()
    holder, other = Lease(tmp_path / "lease", clock), Lease(tmp_path / "lease", clock, "1:")
    assert holder.beat()
    assert not other.beat()
    clock.now += STALE_S - 0.1
    assert not other.beat()
    assert holder.beat()
    clock.now += STALE_S - 0.1
    assert not other.beat()
    clock.now += STALE_S

    assert other.beat()
    assert not holder.beat()

    other.release()
    holder.release()


def test_a_damaged_lease_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / "lease").write_bytes(b"no database at all\n" * 400)
    lease = Lease(tmp_path / "lease")

    assert not lease.beat()
    assert lease.beat()

    lease.release()


def test_a_save_is_due_soon_and_a_storm_when_it_is_over() -> None:
    clock = Clock()
    batch = Batch(clock=clock)
    assert batch.due_in() is None
    batch.add(["a"])
    clock.now += QUIET_S / 2
    assert batch.due_in() != 0
    clock.now += QUIET_S / 2
    assert batch.due_in() == 0
    assert batch.take() == ["a"]

    batch.add([f"f{n}" for n in range(STORM + 1)])
    clock.now += LONGEST_S
    assert batch.due_in() != 0
    clock.now += STORM_LONGEST_S
    assert batch.due_in() == 0
    assert len(batch.take()) == STORM + 1
    assert batch.due_in() is None


@given(st.lists(st.tuples(st.floats(0, 0.2), st.sampled_from("abcdef")), min_size=1))
def test_no_change_waits_longer_than_it_may_and_none_is_lost(events: list[tuple[float, str]]) -> None:
    clock = Clock()
    batch = Batch(clock=clock)
    seen: set[str] = set()
    waiting_since: float | None = None
    for pause, path in events:
        due = batch.due_in()
        if due is not None and due <= pause:
            clock.now += due
            assert waiting_since is not None
            assert clock.now - waiting_since <= LONGEST_S + 1e-9
            seen.update(batch.take())
            waiting_since = None
            pause -= due
        clock.now += pause
        batch.add([path])
        waiting_since = clock.now if waiting_since is None else waiting_since
    assert seen | set(batch.take()) == {path for _, path in events}
