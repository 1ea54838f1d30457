"""The journal in one SQLite file: every change is one transaction that is on the disk when the call returns.

Invariant: the events of a run are numbered 1, 2, 3 … without gaps, whichever process dies at whatever moment.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from greenline.core.error import GreenlineError, NotFound
from greenline.core.event import Event, EventKind
from greenline.core.ids import new_id
from greenline.core.task import ACTIVE, ActiveRun, Plan, Proposal, Run, RunState, RunStory, Task
from greenline.core.wire import from_json, to_json
from greenline.journal.blob import BlobStore
from greenline.journal.migration import migrate, unusable
from greenline.journal.owner import is_alive, process_owner

_BUSY_TIMEOUT_MS = 10_000
_PAGE = 500


class SqliteJournal:
    """The durable record of runs; may be used from several threads and processes at once."""

    def __init__(self, path: Path | str, on_event: Callable[[Event], None] | None = None) -> None:
        """Open or create the file; raises `JournalUnusable`.

        `on_event` is called with each event that this object wrote, after it is on the disk and in the order
        of its `seq`, on the thread that wrote it; it must not block.
        """
        self.path = Path(path)
        self.on_event = on_event
        self._lock = threading.RLock()
        self._texts = BlobStore(self.path.parent / "blobs")
        self._writing = False
        self._owner = process_owner()
        self._connection = self._open()

    def close(self) -> None:
        """Close the file; idempotent."""
        with self._lock:
            self._connection.close()

    # --- writing ---------------------------------------------------------------------------------------

    def create_run(self, task: Task) -> Run:
        """Insert a run in state `planning` and its first `state` event."""
        run = Run(new_id("run"), task, RunState.PLANNING, time.time(), last_seq=1)
        with self._write():
            self._connection.execute(
                "INSERT INTO runs (id, task, state, created, owner) VALUES (?, ?, ?, ?, ?)",
                (run.id, _dump(task), run.state.value, run.created, self._owner),
            )
            self._insert(run.id, EventKind.STATE, {"state": run.state.value, "note": ""})
        return run

    def append(self, run_id: str, kind: EventKind, data: Mapping[str, Any]) -> Event:
        """Append an event with the next `seq`; raises `NotFound`."""
        with self._write():
            return self._insert(run_id, kind, data)

    def set_state(self, run_id: str, state: RunState, note: str = "") -> Event:
        """Change the run's state, and append the `state` event, in one transaction.

        A process that sets an active state becomes the run's owner.
        """
        with self._write():
            event = self._insert(run_id, EventKind.STATE, {"state": state.value, "note": note})
            self._set_state(run_id, state, note)
            return event

    def save_plan(self, run_id: str, plan: Plan) -> Event:
        """Store a plan's version; earlier versions stay readable."""
        with self._write():
            event = self._insert(run_id, EventKind.PLAN, {"plan": to_json(plan)})
            self._connection.execute(
                "INSERT OR REPLACE INTO plans VALUES (?, ?, ?)", (run_id, plan.version, _dump(plan))
            )
            return event

    def save_proposal(self, proposal: Proposal) -> None:
        """Insert or replace a proposal (hunks, review state, evidence); raises `NotFound` for its run."""
        with self._write():
            self._require(proposal.run_id)
            self._connection.execute(
                "INSERT INTO proposals VALUES (?, ?, ?, ?)"
                " ON CONFLICT (id) DO UPDATE SET proposal = excluded.proposal",
                (proposal.id, proposal.run_id, time.time(), _dump(proposal)),
            )

    def keep_text(self, text: str) -> None:
        """Store a text that hunks were made against; a sweep drops it once none of them waits.

        It lies in `blobs/` beside the file, under the hash that hunks carry.
        """
        self._texts.put(text.encode("utf-8", "surrogatepass"))

    def mark_interrupted(self, owner: str | None = None) -> tuple[str, ...]:
        """Give the state `interrupted` to active runs whose owner is gone; return their ids.

        With `owner` (see `process_owner`) only the runs of that process, which the caller knows to be dead.
        A run that waits for approval needs no process and keeps its state.
        """
        marked: list[str] = []
        with self._write():
            states = sorted(state.value for state in ACTIVE)
            places = ", ".join("?" * len(states))
            rows = self._all(f"SELECT id, owner FROM runs WHERE state IN ({places}) ORDER BY created", states)
            for run_id, run_owner in rows:
                dead = run_owner == owner if owner is not None else not is_alive(run_owner)
                if not dead:
                    continue
                note = "The process that worked on this run ended."
                state = RunState.INTERRUPTED
                self._insert(run_id, EventKind.STATE, {"state": state.value, "note": note})
                self._set_state(run_id, state, note)
                marked.append(run_id)
        return tuple(marked)

    @contextmanager
    def transaction(self) -> Iterator[apsw.Connection]:
        """Hold the file's write lock for several changes that are made together or not at all.

        Calls of this object inside the block join it; its connection is for the journal's own packages.
        """
        with self._write():
            yield self._connection

    # --- reading ---------------------------------------------------------------------------------------

    def query(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a statement that only reads."""
        with self._reading():
            return self._all(statement, values)

    def run(self, run_id: str) -> Run:
        """Return a run with its newest plan and proposal; raises `NotFound`."""
        with self._reading():
            # SQLite takes no half of a character, which an argument that is no UTF-8 has.
            row = self._one(f"{_SELECT_RUN} WHERE id = ?", (run_id,)) if run_id.isascii() else None
            if row is None:
                raise NotFound(f"There is no run {run_id}.", remedy="Ask for the list of runs.")
            return self._run_of(row)

    def story(self, run_id: str) -> RunStory | None:
        """Return what there is to say of a run, or None where there is none; reads no proposal."""
        rows = self.query(_SELECT_STORY, (run_id,))
        if not rows:
            return None
        request, created, plan, spent_usd = rows[0]
        return RunStory(
            request, created, None if plan is None else from_json(json.loads(plan), Plan), spent_usd
        )

    def runs(self, limit: int = 50, before: float | None = None) -> list[Run]:
        """Return runs, newest first."""
        with self._reading():
            rows = self._all(
                f"{_SELECT_RUN} WHERE created < ? ORDER BY created DESC, id DESC LIMIT ?",
                (float("inf") if before is None else before, limit),
            )
            return [self._run_of(row) for row in rows]

    def runs_of(self, session: str) -> list[Run]:
        """Return the runs of a conversation, oldest first."""
        with self._reading():
            rows = self._all(f"{_SELECT_RUN} WHERE {_SESSION} = ? ORDER BY created, id", (session,))
            return [self._run_of(row) for row in rows]

    def sessions(self) -> list[str]:
        """Return the ids of the conversations that have runs, the one that was begun last first."""
        rows = self.query(
            f"SELECT {_SESSION} FROM runs WHERE {_SESSION} <> '' GROUP BY 1 ORDER BY min(created) DESC"
        )
        return [session for (session,) in rows]

    def active_runs(self) -> tuple[ActiveRun, ...]:
        """Return the runs that are under way, newest first; reads no plan and no proposal."""
        states = sorted(state.value for state in ACTIVE)
        places = ", ".join("?" * len(states))
        rows = self.query(
            f"SELECT id, state, task FROM runs WHERE state IN ({places}) ORDER BY created DESC", states
        )
        return tuple(
            ActiveRun(run_id, RunState(state), from_json(json.loads(task), Task))
            for run_id, state, task in rows
        )

    def plans(self, run_id: str) -> tuple[Plan, ...]:
        """Return every version of a run's plan, oldest first."""
        with self._reading():
            rows = self._all("SELECT plan FROM plans WHERE run_id = ? ORDER BY version", (run_id,))
        return tuple(from_json(json.loads(text), Plan) for (text,) in rows)

    def proposal(self, proposal_id: str) -> Proposal:
        """Return a proposal; raises `NotFound`."""
        with self._reading():
            row = self._one("SELECT proposal FROM proposals WHERE id = ?", (proposal_id,))
        if row is None:
            raise NotFound(f"There is no proposal {proposal_id}.", remedy="Ask for its run.")
        return from_json(json.loads(row[0]), Proposal)

    def keep_content(self, data: bytes) -> str:
        """Store what a task refers to, for as long as the task is kept; return its name."""
        return self._texts.put(data)

    def content(self, name: str) -> bytes | None:
        """Return a stored content, or None where it is gone or damaged."""
        try:
            return self._texts.get(name)
        except GreenlineError:
            return None

    def text(self, text_hash: str) -> str | None:
        """Return a stored text by the hash that hunks carry, or None where it is gone or damaged."""
        try:
            return self._texts.get(text_hash).decode("utf-8", "surrogatepass")
        except (GreenlineError, UnicodeDecodeError):
            return None

    def open_proposals(self) -> list[Proposal]:
        """Return the newest proposal of each run that has hunks which wait for a review, oldest first."""
        rows = self.query(_SELECT_OPEN)
        return [from_json(json.loads(text), Proposal) for (text,) in rows]

    def events(self, run_id: str, after: int = 0) -> Iterator[Event]:
        """Yield events with `seq` greater than `after`, in order."""
        while True:
            with self._reading():
                rows = self._all(
                    "SELECT seq, time, kind, data FROM events WHERE run_id = ? AND seq > ?"
                    " ORDER BY seq LIMIT ?",
                    (run_id, after, _PAGE),
                )
            for seq, when, kind, data in rows:
                yield Event(run_id, seq, when, EventKind(kind), json.loads(data))
            if len(rows) < _PAGE:
                return
            after = rows[-1][0]

    # --- inside ----------------------------------------------------------------------------------------

    def _open(self) -> apsw.Connection:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            connection = apsw.Connection(str(self.path))
        except (OSError, apsw.Error) as error:
            raise unusable(self.path, error) from error
        try:
            connection.set_busy_timeout(_BUSY_TIMEOUT_MS)
            connection.pragma("journal_mode", "wal")
            connection.pragma("synchronous", "full")
            connection.pragma("foreign_keys", True)
            connection.execute("BEGIN IMMEDIATE")
            try:
                migrate(connection, str(self.path))
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")
        except apsw.Error as error:
            connection.close()
            raise unusable(self.path, error) from error
        except BaseException:
            connection.close()
            raise
        return connection

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Hold the connection; a file that cannot be read any more is `JournalUnusable`."""
        with self._lock:
            try:
                yield
            except apsw.Error as error:
                if self._writing:
                    # The transaction that this belongs to says so, once it is rolled back.
                    raise
                raise unusable(self.path, error) from error

    @contextmanager
    def _write(self) -> Iterator[None]:
        """Hold the write lock of the file; commit at the end, then report the events written."""
        with self._lock:
            if self._writing:
                yield
                return
            self._written: list[Event] = []
            try:
                self._connection.execute("BEGIN IMMEDIATE")
            except apsw.Error as error:
                raise unusable(self.path, error) from error
            self._writing = True
            try:
                yield
            except BaseException as error:
                # SQLite itself rolls back where the disk is full or the file is damaged.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                if isinstance(error, apsw.Error):
                    raise unusable(self.path, error) from error
                raise
            finally:
                self._writing = False
            try:
                self._connection.execute("COMMIT")
            except apsw.Error as error:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise unusable(self.path, error) from error
            if self.on_event is not None:
                for event in self._written:
                    self.on_event(event)

    def _insert(self, run_id: str, kind: EventKind, data: Mapping[str, Any]) -> Event:
        row = self._one("UPDATE runs SET last_seq = last_seq + 1 WHERE id = ? RETURNING last_seq", (run_id,))
        if row is None:
            raise NotFound(f"There is no run {run_id}.")
        text = json.dumps(dict(data))
        event = Event(run_id, row[0], time.time(), kind, json.loads(text))
        self._connection.execute(
            "INSERT INTO events VALUES (?, ?, ?, ?, ?)", (run_id, event.seq, event.time, kind.value, text)
        )
        self._written.append(event)
        return event

    def _set_state(self, run_id: str, state: RunState, note: str) -> None:
        # A lone surrogate out of an editor's text has no UTF-8; JSON escapes it, a bare column cannot.
        note = note.encode("utf-8", "backslashreplace").decode("utf-8")
        self._connection.execute(
            "UPDATE runs SET state = ?, note = ? WHERE id = ?", (state.value, note, run_id)
        )
        if state in ACTIVE:
            self._connection.execute("UPDATE runs SET owner = ? WHERE id = ?", (self._owner, run_id))

    def _require(self, run_id: str) -> None:
        if self._one("SELECT 1 FROM runs WHERE id = ?", (run_id,)) is None:
            raise NotFound(f"There is no run {run_id}.")

    def _all(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return list(self._connection.execute(statement, values))

    def _one(self, statement: str, values: Sequence[Any]) -> tuple[Any, ...] | None:
        rows = self._all(statement, values)
        return rows[0] if rows else None

    def _run_of(self, row: tuple[Any, ...]) -> Run:
        run_id, task, state, created, last_seq, note = row
        plan = self._one("SELECT plan FROM plans WHERE run_id = ? ORDER BY version DESC LIMIT 1", (run_id,))
        proposal = self._one(
            "SELECT proposal FROM proposals WHERE run_id = ? ORDER BY saved DESC, id DESC LIMIT 1", (run_id,)
        )
        return Run(
            id=run_id,
            task=from_json(json.loads(task), Task),
            state=RunState(state),
            created=created,
            plan=None if plan is None else from_json(json.loads(plan[0]), Plan),
            proposal=None if proposal is None else from_json(json.loads(proposal[0]), Proposal),
            last_seq=last_seq,
            note=note,
        )


_SELECT_OPEN = """
SELECT p.proposal FROM proposals p JOIN runs r ON r.id = p.run_id
WHERE r.state IN ('proposed', 'partlyAccepted', 'accepted', 'rejected')
AND p.id = (
    SELECT id FROM proposals WHERE run_id = r.id ORDER BY saved DESC, id DESC LIMIT 1
)
AND EXISTS (
    SELECT 1 FROM json_each(p.proposal, '$.hunks') h WHERE json_extract(h.value, '$.state') = 'pending'
)
ORDER BY r.created
"""
_SELECT_STORY = """
SELECT json_extract(r.task, '$.request'), r.created,
    (SELECT plan FROM plans WHERE run_id = r.id ORDER BY version DESC LIMIT 1),
    (SELECT json_extract(data, '$.runUsd') FROM events
        WHERE run_id = r.id AND kind = 'usage' ORDER BY seq DESC LIMIT 1)
FROM runs r WHERE r.id = ?
"""
_SESSION = "json_extract(task, '$.session')"
_SELECT_RUN = "SELECT id, task, state, created, last_seq, note FROM runs"


def _dump(value: object) -> str:
    return json.dumps(to_json(value))
