"""The queue before several engines: fair shares, bounded waiting, and engines that come and go.

All that one verification runs stays on one engine: tests without and with a change must meet the same
conditions. An engine that fails is left out and looked at again after a while, longer each time.
Invariant: nothing holds a place on an engine while it waits for something else in the queue, and what such a
container waits for goes before everything else, so that few of them wait at a time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from enum import Enum

import attrs

from greenline.core.cancel import Cancellation
from greenline.core.error import SandboxUnavailable
from greenline.core.port import Progress, Sandbox, SandboxHealth
from greenline.sandbox.fair_line import FairLine

_FIRST_OUT_S, _LONGEST_OUT_S = 5.0, 300.0
"""How long an engine is left out at first, and at most; each time it fails again doubles it."""
_FRESH_S = 3.0
"""How long what was seen of an engine counts where no other is left."""
_STAYS_S = 60.0
"""How long a verification that runs nothing keeps its engine."""
_LOOK_S = 0.5


class _State(Enum):
    UNKNOWN = "unknown"
    LOOKING = "looking"
    IN = "in"
    OUT = "out"


@attrs.define(eq=False)
class Engine:
    """One engine, and what is known of it."""

    name: str
    sandbox: Sandbox
    slots: int
    """How many containers it may run at once."""
    n_running: int = 0
    state: _State = _State.UNKNOWN
    health: SandboxHealth = attrs.field(factory=lambda: SandboxHealth(False, ""))
    seen_at: float = float("-inf")
    n_failures: int = 0
    """How often it has failed in a row."""

    @property
    def has_room(self) -> bool:
        """Whether it can take one more container now."""
        return self.state is _State.IN and self.n_running < self.slots

    @property
    def is_due(self) -> bool:
        """Whether it is time to look at it."""
        out_s = min(_LONGEST_OUT_S, _FIRST_OUT_S * 2 ** max(0, self.n_failures - 1))
        return self.state is _State.UNKNOWN or (
            self.state is _State.OUT and time.monotonic() >= self.seen_at + out_s
        )


@attrs.define
class _Stay:
    """A verification that is somewhere."""

    engine: Engine | None = None
    n_waiting: int = 0
    n_running: int = 0
    n_paused: int = 0
    """How many of those that run hold a container that waits for the rest of it."""
    n_done: int = 0
    """How many of its runs its engine has ended."""
    ended_at: float = 0.0
    told: str = ""

    @property
    def is_new(self) -> bool:
        """Whether nothing of it was ever begun."""
        return not (self.n_running or self.n_done)


@attrs.define(eq=False)
class Ticket:
    """One run that waits or works."""

    workspace: str
    caller: str
    tell: Progress
    engine: Engine | None = None


class EngineQueue:
    """Spreads runs over engines; safe to use from several threads."""

    def __init__(self, engines: Sequence[Engine], length: int) -> None:
        """Use engines; at most `length` verifications wait at a time."""
        self.engines = tuple(engines)
        self._length = length
        self._changed = threading.Condition()
        self._line: FairLine[Ticket] = FairLine()
        self._stays: dict[str, _Stay] = {}

    def enter(self, ticket: Ticket, *, again: bool = False) -> None:
        """Let a run wait for its turn; raises `SandboxUnavailable` where too many do.

        With `again` it goes first: its engine failed under it.
        """
        with self._changed:
            self._forget_the_idle()
            stay = self._stays.setdefault(ticket.caller, _Stay())
            stay.n_waiting += 1
            self._line.put(ticket.workspace, ticket.caller, ticket, first=again)
            self._look()
            self._serve()
            n_before = len(self._waiting()) - 1
            if ticket.engine is None and stay.is_new and not again and n_before >= self._length:
                self._withdraw(ticket)
                raise SandboxUnavailable(
                    f"The queue is full: {n_before} verifications wait for {len(self.engines)} engines.",
                    remedy="Verify again later, name more `engines`, or raise `queue_length`.",
                )

    def wait(self, ticket: Ticket, cancellation: Cancellation) -> Engine:
        """Return the engine once it is the run's turn; raises `SandboxUnavailable`, or `Cancelled`."""
        with cancellation.hook(self._wake):
            while True:
                with self._changed:
                    self._look()
                    self._serve()
                    if ticket.engine is not None:
                        return ticket.engine
                    try:
                        cancellation.raise_if_cancelled()
                        self._check(ticket)
                    except BaseException:
                        self._withdraw(ticket)
                        raise
                    words = self._place(ticket)
                    if not words:
                        self._changed.wait(_LOOK_S)
                if words:
                    try:
                        ticket.tell(words)
                    except BaseException:
                        self._give_up(ticket)
                        raise

    def leave(self, ticket: Ticket, *, is_done: bool) -> bool:
        """Give a run's place back; `is_done` says whether the engine ended it.

        Returns whether the verification is still there: else what came out is of other conditions.
        """
        with self._changed:
            stay, engine = self._stays[ticket.caller], ticket.engine
            assert engine is not None
            is_there = stay.engine is engine
            engine.n_running -= 1
            stay.n_running -= 1
            stay.n_done += int(is_done and is_there)
            stay.ended_at = time.monotonic()
            ticket.engine = None
            self._serve()
            return is_there

    def pause(self, ticket: Ticket) -> None:
        """Let others have a run's place, as long as its container waits for its caller."""
        with self._changed:
            assert ticket.engine is not None
            ticket.engine.n_running -= 1
            self._stays[ticket.caller].n_paused += 1
            self._serve()

    def resume(self, ticket: Ticket) -> None:
        """Go on at once, also where the place was given away: others wait for what goes on."""
        with self._changed:
            assert ticket.engine is not None
            ticket.engine.n_running += 1
            self._stays[ticket.caller].n_paused -= 1

    def place_of(self, caller: str) -> Engine:
        """Return the engine on which a verification is, or will be; raises `SandboxUnavailable`."""
        while True:
            with self._changed:
                self._forget_the_idle()
                self._look()
                stay = self._stays.setdefault(caller, _Stay(ended_at=time.monotonic()))
                if stay.engine is None:
                    stay.engine = self._least_busy([e for e in self.engines if e.state is _State.IN])
                if stay.engine is not None:
                    return stay.engine
                self._check_any()
                self._changed.wait(_LOOK_S)

    def failed(self, ticket: Ticket, *, may_move: bool) -> bool:
        """Look at the engine of a run that failed; return whether the run may be tried on another one."""
        engine = ticket.engine
        assert engine is not None
        health = engine.sandbox.health()
        with self._changed:
            self._saw(engine, health)
            if health.available:
                return False
            stay = self._stays[ticket.caller]
            others = any(other.state is not _State.OUT for other in self.engines)
            if not (may_move and others):
                return False
            if stay.engine is engine:
                if stay.n_done:
                    return False
                # What else of it runs there fails as well, and follows.
                stay.engine = None
            return True

    def healths(self) -> tuple[SandboxHealth, ...]:
        """Return the health of each engine, looked at all at once; those left out keep theirs until due."""
        with self._changed:
            found = {e.name: e.health for e in self.engines if e.state is _State.OUT and not e.is_due}
        wanted = [engine for engine in self.engines if engine.name not in found]

        def look(engine: Engine) -> None:
            found[engine.name] = engine.sandbox.health()

        threads = [
            threading.Thread(target=look, args=(engine,), name="sandbox-look", daemon=True)
            for engine in wanted
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with self._changed:
            for engine in wanted:
                self._saw(engine, found[engine.name])
            self._serve()
        return tuple(found[engine.name] for engine in self.engines)

    def close(self) -> None:
        """Remove everything that the engines hold; may be called twice."""
        for engine in self.engines:
            engine.sandbox.close()

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _serve(self) -> None:
        """Give every free place away."""
        served = False
        while (ticket := self._next()) is not None:
            engine = self._engine_for(ticket)
            assert engine is not None
            stay = self._stays[ticket.caller]
            stay.engine = ticket.engine = engine
            stay.n_waiting -= 1
            stay.n_running += 1
            engine.n_running += 1
            served = True
        if served:
            self._changed.notify_all()

    def _next(self) -> Ticket | None:
        def fits(ticket: Ticket) -> bool:
            return self._engine_for(ticket) is not None

        def is_awaited(ticket: Ticket) -> bool:
            return self._stays[ticket.caller].n_paused > 0 and fits(ticket)

        return self._line.take(is_awaited) or self._line.take(fits)

    def _engine_for(self, ticket: Ticket) -> Engine | None:
        stay = self._stays[ticket.caller]
        if stay.engine is not None and not (stay.is_new and stay.engine.state is _State.OUT):
            return stay.engine if stay.engine.has_room else None
        return self._least_busy([engine for engine in self.engines if engine.has_room])

    def _least_busy(self, engines: list[Engine]) -> Engine | None:
        n_staying = {id(engine): 0 for engine in engines}
        for stay in self._stays.values():
            if stay.engine is not None and id(stay.engine) in n_staying:
                n_staying[id(stay.engine)] += 1
        return min(engines, key=lambda e: (e.n_running / e.slots, n_staying[id(e)] / e.slots), default=None)

    def _check(self, ticket: Ticket) -> None:
        """Raise `SandboxUnavailable` where a run waits for what will not come."""
        stay = self._stays[ticket.caller]
        engine = stay.engine
        # What has ended nothing there, and waits for nobody, can go elsewhere once its runs have failed.
        is_bound = bool(stay.n_done or stay.n_paused)
        if engine is not None and engine.state is _State.OUT and is_bound:
            raise SandboxUnavailable(
                f"The engine {engine.name}, on which this verification began, can be used no more: "
                f"{engine.health.problem}",
                remedy="Verify again: another engine takes it.",
            )
        self._check_any()

    def _check_any(self) -> None:
        if any(engine.state is not _State.OUT for engine in self.engines):
            return
        old = [e for e in self.engines if time.monotonic() - e.seen_at > _FRESH_S]
        if old:
            for engine in old:
                self._look_at(engine)
            return
        problems = " ".join(f"{engine.name}: {engine.health.problem}" for engine in self.engines)
        raise SandboxUnavailable(
            f"None of {len(self.engines)} engines can be used. {problems}",
            remedy=next((e.health.remedy for e in self.engines if e.health.remedy), ""),
        )

    def _give_up(self, ticket: Ticket) -> None:
        """Withdraw a run that may have got its place meanwhile."""
        with self._changed:
            self._withdraw(ticket)
        if ticket.engine is not None:
            self.leave(ticket, is_done=False)

    def _withdraw(self, ticket: Ticket) -> None:
        if self._line.remove(ticket):
            self._stays[ticket.caller].n_waiting -= 1
        self._changed.notify_all()

    def _waiting(self) -> list[str]:
        """Return the verifications of which nothing was begun yet, in their order."""
        callers = (ticket.caller for ticket in self._line.order())
        return [caller for caller in dict.fromkeys(callers) if self._stays[caller].is_new]

    def _place(self, ticket: Ticket) -> str:
        """Return a sentence on a verification's place in the queue where that is news; else empty."""
        stay, waiting = self._stays[ticket.caller], self._waiting()
        if not stay.is_new or all(e.state in (_State.UNKNOWN, _State.LOOKING) for e in self.engines):
            return ""
        place = waiting.index(ticket.caller) + 1
        words = f"Waiting for an engine: place {place} of {len(waiting)} in the queue."
        if words == stay.told:
            return ""
        stay.told = words
        return words

    def _look(self) -> None:
        for engine in self.engines:
            if engine.is_due:
                self._look_at(engine)

    def _look_at(self, engine: Engine) -> None:
        """Look at an engine in a thread of its own: one that hangs must not hold up the others."""
        engine.state = _State.LOOKING

        def look() -> None:
            health = engine.sandbox.health()
            with self._changed:
                self._saw(engine, health)
                self._serve()

        threading.Thread(target=look, name="sandbox-look", daemon=True).start()

    def _saw(self, engine: Engine, health: SandboxHealth) -> None:
        engine.health, engine.seen_at = health, time.monotonic()
        engine.state = _State.IN if health.available else _State.OUT
        engine.n_failures = 0 if health.available else engine.n_failures + 1
        self._changed.notify_all()

    def _forget_the_idle(self) -> None:
        now = time.monotonic()
        for caller, stay in list(self._stays.items()):
            if not (stay.n_waiting or stay.n_running) and now - stay.ended_at > _STAYS_S:
                del self._stays[caller]
