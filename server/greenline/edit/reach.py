"""Changes that a folder can reach: those of its own journal, and those that another root's journal records.

Invariant: after `settle`, no change that concerns one of the roots is half made because its process died.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import attrs

from greenline.core.error import GreenlineError, InvalidInput, NotFound
from greenline.edit.undo import named_checkpoints
from greenline.edit.write import recover
from greenline.journal.blob import BlobStore
from greenline.journal.checkpoint import Checkpoint, CheckpointState
from greenline.journal.checkpoint_store import CheckpointStore
from greenline.journal.pointer import forget, lies_in, pointers_of
from greenline.journal.store import SqliteJournal
from greenline.workspace.state import state_path


def settle(roots: Sequence[str], besides: Path | None = None) -> tuple[str, ...]:
    """Bring every change of these roots whose process died to an end, whichever journal records it.

    Returns one sentence for each that needs attention. `besides` is a journal that is settled already.
    """
    problems: list[str] = []
    known: dict[Path, None] = {}
    for root in roots:
        pointers = pointers_of(root)
        problems += pointers.problems
        forget(pointers)
        own = state_path(root) / "journal.db"
        known.update(dict.fromkeys([*([own] if own.is_file() else []), *pointers.journals]))
    for path in known:
        if besides is not None and path.resolve() == besides.resolve():
            continue
        try:
            with closing(SqliteJournal(path)) as journal:
                problems += recover(_store(journal))
        except GreenlineError as error:
            problems.append(str(error))
    return tuple(dict.fromkeys(problems))


def knows(root: str) -> bool:
    """Return whether there are checkpoints of the workspace at `root`, here or in another root's journal."""
    if pointers_of(root).journals:
        return True
    path = state_path(root) / "journal.db"
    if not path.is_file():
        return False
    with closing(SqliteJournal(path)) as journal:
        return bool(journal.query("SELECT 1 FROM checkpoints LIMIT 1"))


@attrs.frozen
class Reach:
    """The checkpoints that concern one root."""

    root: str
    own: CheckpointStore
    others: tuple[CheckpointStore, ...] = ()
    """Those of journals that hold changes over this root and others."""

    @classmethod
    def of(cls, root: str, own: CheckpointStore) -> Reach:
        """Return what a root can reach; call `settle` before, which also names what cannot be reached."""
        others = []
        for path in pointers_of(root).journals:
            try:
                others.append(_store(SqliteJournal(path)))
            except GreenlineError:
                continue
        return cls(root, own, tuple(others))

    def newest_first(self, limit: int | None = None) -> list[Checkpoint]:
        """Return the checkpoints, or the newest few."""
        found = [*self.own.newest_first(limit), *(item for _, item in self._elsewhere())]
        return sorted(found, key=lambda item: item.created, reverse=True)[:limit]

    def named(self, name: str | None) -> tuple[CheckpointStore, list[Checkpoint]]:
        """Return what a name means, with the store that holds it; raises as `named_checkpoints` does."""
        elsewhere = list(self._elsewhere())
        if name is None:
            return self._newest(elsewhere)
        holders: dict[str, CheckpointStore] = {}
        for store, item in elsewhere:
            holders.update((i, store) for i in (item.id, item.run_id) if i is not None and i.startswith(name))
        if name in holders:
            return holders[name], named_checkpoints(holders[name], name)
        try:
            found = named_checkpoints(self.own, name)
        except NotFound:
            if len(holders) > 1:
                raise InvalidInput(
                    f"{name!r} fits {len(holders)} ids.", remedy="Give more of the id."
                ) from None
            for full, store in holders.items() if name else ():
                return store, named_checkpoints(store, full)
            raise
        if holders and not any(name in (item.id, item.run_id) for item in found):
            raise InvalidInput(f"{name!r} fits several ids.", remedy="Give more of the id.")
        return self.own, found

    def _newest(
        self, elsewhere: Sequence[tuple[CheckpointStore, Checkpoint]]
    ) -> tuple[CheckpointStore, list[Checkpoint]]:
        found = [(store, item) for store, item in elsewhere if item.in_force and not _is_open_undo(item)]
        try:
            found.append((self.own, self.own.newest_in_force()))
        except NotFound:
            if not found:
                raise
        store, newest = max(found, key=lambda pair: pair[1].created)
        return store, [newest]

    def _elsewhere(self) -> Iterator[tuple[CheckpointStore, Checkpoint]]:
        """Yield what other journals hold that concerns this root."""
        for store in self.others:
            for item in store.newest_first():
                if any(lies_in(file.path, self.root) for file in item.files):
                    yield store, item


def _is_open_undo(item: Checkpoint) -> bool:
    """Return whether nobody knows if an undo was made; undoing it would make the undone change again."""
    return item.kind == "undo" and item.state is CheckpointState.UNCONFIRMED


def _store(journal: SqliteJournal) -> CheckpointStore:
    return CheckpointStore(journal, BlobStore(journal.path.parent / "blobs"))
