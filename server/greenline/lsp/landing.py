"""Puts edits into the user's editor: a checkpoint first, the text compared afterwards.

Invariant: nothing reaches the editor before what it replaces is stored.
"""

from __future__ import annotations

import asyncio
import os
import stat
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import attrs

from greenline.core.anchor import Anchor
from greenline.core.edit import FileChange
from greenline.core.error import GreenlineError
from greenline.core.event import Event
from greenline.edit.hunk import changed_spans, split, stands
from greenline.edit.restore import Content
from greenline.edit.text import split_lines
from greenline.journal.checkpoint import Checkpoint, CheckpointState, Draft, FileVersions, Kind, Mark
from greenline.lsp.decision import Editor, one_line_end, reads_alike
from greenline.lsp.review import CurrentText, FileEdit
from greenline.lsp.supervisor import Supervisor
from greenline.workspace.encoding import TextFile, decode
from greenline.workspace.regular import read_regular

if TYPE_CHECKING:
    from greenline.journal.checkpoint_store import CheckpointStore

_CHECK_S = 3.0
"""How long the buffers may take to show an edit that the client says it applied."""
_ANSWER_S = 60.0
"""How long an editor may take to apply an edit: far longer than any takes, and no reason to wait for ever."""
_SILENT = "The editor did not answer in time."
_TYPED = "The text changed before the edit could be applied."
_ENDED = "The request ended before the editor had answered."
_MAX_TRIES = 5
"""How often an edit is made anew because the user typed while its checkpoint was written."""


class Buffers(Protocol):
    """What the files of the workspace hold, for one event loop."""

    changed: asyncio.Event
    """Set whenever a buffer is opened, changed or closed."""

    def current(self, path: str) -> CurrentText | None:
        """Return a file's text now, or None where it does not exist; raises `InvalidInput` for no text."""

    def is_open(self, path: str) -> bool:
        """Return whether the editor has the file open."""

    def open_path(self, path: str) -> str:
        """Return the path under which the editor has a file open, or `path` where it has not."""


@attrs.frozen
class Change:
    """Edits that belong together, and what the journal says about them."""

    label: str
    edits: tuple[FileEdit, ...]
    kind: Kind
    reason: str
    roots: tuple[str, ...]
    run_id: str | None = None
    marks: tuple[Mark, ...] = ()
    undoes: tuple[str, ...] = ()

    def draft(self) -> Draft:
        """Return the checkpoint to take; reads the files for their encodings."""
        return Draft(
            self.kind,
            "editor",
            self.reason,
            tuple(file_versions(edit) for edit in self.edits),
            self.roots,
            self.run_id,
            self.marks,
            undoes=self.undoes,
        )


@attrs.frozen
class Landed:
    """Outcome of a change."""

    change: Change
    checkpoint: Checkpoint
    failures: Mapping[str, str] = attrs.field(factory=dict)
    """Path → why it does not hold the edit; empty: everything landed."""
    events: tuple[Event, ...] = ()
    """New events of the run."""
    modes: Mapping[str, str] = attrs.field(factory=dict)
    """Path → why it does not have the mode bits that it was to have."""
    anchors: tuple[Anchor, ...] = ()
    """Of the hunks, where every file came to hold exactly what was planned."""


@attrs.frozen
class Late:
    """A change that nobody waited for any more when its editor answered."""

    change: Change
    checkpoint: Checkpoint
    failure: str
    """What failed, as the editor says; empty: nothing."""


class Landing:
    """The way into one editor; one change at a time."""

    def __init__(
        self,
        buffers: Buffers,
        store: CheckpointStore,
        on_late: Callable[[Late], Awaitable[None]] | None = None,
    ) -> None:
        """Put edits into buffers; `on_late` is told of answers that come late, to be given to `settle`."""
        self._buffers = buffers
        self._store = store
        self._on_late = on_late
        self._waiting = Supervisor()

    async def stop(self) -> None:
        """Wait for no late answer any longer."""
        await self._waiting.stop()

    async def land(self, plan: Callable[[], Awaitable[Change]], editor: Editor) -> Landed:
        """Apply what `plan` returns; it is asked again where the user typed before that could be applied.

        A cancellation is obeyed until the editor has answered; afterwards the change is brought to its end.
        """
        cancelled = asyncio.Event()
        work = asyncio.create_task(self._land(plan, editor, cancelled), name="landing")
        while True:
            try:
                return await asyncio.shield(work)
            except asyncio.CancelledError:
                if work.done():
                    return work.result()
                cancelled.set()

    async def _land(
        self, plan: Callable[[], Awaitable[Change]], editor: Editor, cancelled: asyncio.Event
    ) -> Landed:
        change, draft, checkpoint = await self._prepare(plan)
        for _ in range(_MAX_TRIES):
            if cancelled.is_set():
                await asyncio.to_thread(self._store.roll_back, checkpoint, _ENDED)
                raise asyncio.CancelledError
            if self._is_untouched(change):
                break
            await asyncio.to_thread(self._store.roll_back, checkpoint, _TYPED)
            change, draft, checkpoint = await self._prepare(plan)
        else:
            await asyncio.to_thread(self._store.roll_back, checkpoint, _TYPED)
            return Landed(change, checkpoint, {edit.path: _TYPED for edit in change.edits})
        # The editor's own time is enough for them, and nobody has to wait.
        anchoring = asyncio.create_task(asyncio.to_thread(self._store.planned_anchors, checkpoint, draft))
        try:
            failures = await self._send(change, editor, cancelled)
        except BaseException:
            anchoring.cancel()
            self._store.unconfirmed(checkpoint, _ENDED)
            self._wait_on(change, checkpoint, editor)
            raise
        if failures:
            anchoring.cancel()
            # An editor that has not answered may still make the edit, which is then to be undone.
            is_certain = _SILENT not in failures.values() and all(map(self._lacks, change.edits))
            settle = self._store.roll_back if is_certain else self._store.unconfirmed
            await asyncio.to_thread(settle, checkpoint, " ".join(sorted(set(failures.values()))))
            if _SILENT in failures.values():
                self._wait_on(change, checkpoint, editor)
            return Landed(change, checkpoint, failures)
        return await self._finish(change, checkpoint, anchoring)

    def _wait_on(self, change: Change, checkpoint: Checkpoint, editor: Editor) -> None:
        """Hear the answer whenever it comes, though the request has ended."""
        answer = editor.late_answer()
        if self._on_late is None or answer is None:
            return
        tell = self._on_late

        async def hear() -> None:
            await tell(Late(change, checkpoint, await answer))

        self._waiting.start(hear(), f"late answer: {checkpoint.id}")

    async def settle(self, late: Late) -> Landed | None:
        """Bring a change whose answer came late to its end, as the text has it.

        Returns None where it was not made, or was undone by now, or the text leaves that open.
        """
        change, checkpoint = late.change, late.checkpoint
        if not late.failure:
            await self._differing(change.edits)
        held = await asyncio.to_thread(self._store.get, checkpoint.id)
        if held.state is not CheckpointState.UNCONFIRMED or not held.in_force:
            return None
        if all(map(self._lacks, change.edits)):
            if late.failure:
                await asyncio.to_thread(self._store.roll_back, checkpoint, late.failure)
            return None
        if not all(map(self._shows, change.edits)):
            return None
        return await self._finish(change, checkpoint)

    async def _finish(
        self,
        change: Change,
        checkpoint: Checkpoint,
        anchoring: asyncio.Task[tuple[Anchor, ...]] | None = None,
    ) -> Landed:
        modes = await asyncio.to_thread(_put_modes, change.edits)
        actual = {edit.path: self._buffers.current(edit.path) for edit in change.edits}
        as_planned, anchors = checkpoint, await anchoring if anchoring is not None else None
        checkpoint = await asyncio.to_thread(self._with_actual_texts, change, checkpoint, actual)
        known = anchors if checkpoint == as_planned else None
        events = await asyncio.to_thread(self._store.finish, checkpoint, anchors=known)
        return Landed(change, checkpoint, {}, events, modes, known or ())

    async def _prepare(self, plan: Callable[[], Awaitable[Change]]) -> tuple[Change, Draft, Checkpoint]:
        change = await plan()
        return change, *await asyncio.to_thread(self._begin, change)

    def _begin(self, change: Change) -> tuple[Draft, Checkpoint]:
        draft = change.draft()
        return draft, self._store.begin(draft)

    async def _send(self, change: Change, editor: Editor, cancelled: asyncio.Event) -> dict[str, str]:
        edits = (attrs.evolve(edit, path=self._buffers.open_path(edit.path)) for edit in change.edits)
        failure = await _unless(cancelled, editor.apply(change.label, tuple(edits)))
        if failure and not self._is_untouched(change) and all(map(self._shows, change.edits)):
            # The text counts, and not what the editor says of it.
            return {}
        if failure:
            return {edit.path: failure for edit in change.edits}
        reason = "The editor says it applied the edit, but its text is not as expected."
        return dict.fromkeys(await self._differing(change.edits), reason)

    def _with_actual_texts(
        self, change: Change, checkpoint: Checkpoint, actual: Mapping[str, CurrentText | None]
    ) -> Checkpoint:
        """Store what the buffers hold now: an editor gives new lines its own ends."""
        for edit in change.edits:
            now = actual[edit.path]
            if now is None or edit.op == "delete" or now.text == edit.new_text:
                continue
            # What the user typed into it by now is no part of the change, and must survive its undo.
            if reads_alike(now.text, edit.new_text):
                after = file_versions(attrs.evolve(edit, new_text=now.text)).after or b""
                checkpoint = self._store.replace_after(checkpoint, edit.path, after)
        return checkpoint

    async def _differing(self, edits: Sequence[FileEdit]) -> list[str]:
        """Return the files whose text is not as it should be, after waiting for the editor to report it."""
        deadline = time.monotonic() + _CHECK_S
        while True:
            self._buffers.changed.clear()
            differing = [edit.path for edit in edits if not self._shows(edit)]
            remaining = deadline - time.monotonic()
            if not differing or remaining <= 0:
                return differing
            try:
                async with asyncio.timeout(min(0.05, remaining)):
                    await self._buffers.changed.wait()
            except TimeoutError:
                continue

    def _shows(self, edit: FileEdit) -> bool:
        try:
            now = self._buffers.current(edit.path)
        except GreenlineError:
            return False
        if edit.op == "delete":
            return now is None or self._buffers.is_open(edit.path)
        if now is None:
            return False
        if self._buffers.is_open(edit.path):
            return reads_alike(now.text, edit.new_text) or _is_typed_over(edit, now.text)
        return now.text == edit.new_text

    def _is_untouched(self, change: Change) -> bool:
        """Return whether every file still holds what the change was made against."""
        return all(self._holds_old_text(edit) for edit in change.edits)

    def _lacks(self, edit: FileEdit) -> bool:
        """Return whether a file holds nothing of an edit, whatever else was typed into it."""
        try:
            now = self._buffers.current(edit.path)
        except GreenlineError:
            return False
        if edit.op != "edit" or now is None:
            return self._holds_old_text(edit)
        return _is_before(edit, now.text)

    def _holds_old_text(self, edit: FileEdit) -> bool:
        try:
            now = self._buffers.current(edit.path)
        except GreenlineError:
            return False
        if edit.op == "create":
            return now is None
        return now is not None and now.text == edit.old_text


async def _unless(cancelled: asyncio.Event, answer: Awaitable[str]) -> str:
    """Await an answer; raises `CancelledError` where the request is cancelled before there is one.

    An editor that never answers has failed, so that the next review need not wait for it.
    """
    asking = asyncio.ensure_future(answer)
    waiting = asyncio.create_task(cancelled.wait(), name="landing: cancelled")
    try:
        await asyncio.wait({asking, waiting}, timeout=_ANSWER_S, return_when=asyncio.FIRST_COMPLETED)
        if asking.done():
            return asking.result()
        if cancelled.is_set():
            raise asyncio.CancelledError
        # What was written beside the editor is taken back before anybody looks at the texts.
        asking.cancel()
        await asyncio.wait({asking})
        return _SILENT
    finally:
        waiting.cancel()
        asking.cancel()


def _is_typed_over(edit: FileEdit, now: str) -> bool:
    """Return whether a text is the edit's result with more typed elsewhere in it."""
    old, new, text = (one_line_end(each) for each in (edit.old_text, edit.new_text, now))
    return edit.op == "edit" and text != old and _is_more_of(new, old, text)


def _is_before(edit: FileEdit, now: str) -> bool:
    """Return whether a text is the one before the edit, with more typed elsewhere in it."""
    old, new, text = (one_line_end(each) for each in (edit.old_text, edit.new_text, now))
    return text == old or _is_more_of(old, new, text)


def _is_more_of(one: str, other: str, text: str) -> bool:
    """Return whether lines in which two texts differ all stand in a third as in one, none as in the other."""
    ways, ways_back = (split(FileChange("", b"", b""), *pair) for pair in ((one, other), (other, one)))
    lines = split_lines(text)
    spans, spans_back = (changed_spans(split_lines(each), lines) for each in (one, other))
    return all(stands(hunk, spans, lines) for hunk in ways) and not any(
        stands(hunk, spans_back, lines) for hunk in ways_back
    )


def file_versions(edit: FileEdit) -> FileVersions:
    """Return a file's texts as the bytes that the file would hold; UTF-8 where its encoding lacks one."""
    form = _form(edit.path) or TextFile.in_form(edit.form)
    texts = [None if edit.op == "create" else edit.old_text, None if edit.op == "delete" else edit.new_text]
    contents = [None if text is None else Content.of_text(text, form) for text in texts]
    if len({content.form for content in contents if content is not None}) > 1:
        contents = [None if text is None else Content.of_text(text) for text in texts]
    before, after = (None if content is None else content.data for content in contents)
    encoding = next(content.form for content in contents if content is not None)
    now = None if edit.op == "create" else _mode(edit.path)
    wanted = None if edit.op == "delete" else (now if edit.mode is None else edit.mode)
    return FileVersions(edit.path, before, after, now, wanted, encoding)


def _put_modes(edits: Sequence[FileEdit]) -> dict[str, str]:
    """Give files the mode bits that they are to have, which no editor's edit carries; return what failed."""
    failed: dict[str, str] = {}
    for edit in edits:
        if edit.mode is not None and edit.op != "delete" and _mode(edit.path) != edit.mode:
            try:
                Path(edit.path).chmod(edit.mode)
            except FileNotFoundError:
                failed[edit.path] = f"Its mode bits could not be set to {edit.mode:o}: it is not saved yet."
            except OSError as error:
                failed[edit.path] = f"Its mode bits could not be set to {edit.mode:o}: {error.strerror}."
    return failed


def _mode(path: str) -> int | None:
    try:
        return stat.S_IMODE(Path(path).stat().st_mode)
    except OSError:
        return None


def _form(path: str) -> TextFile | None:
    try:
        return attrs.evolve(decode(read_regular(os.path.realpath(path))), text="")
    except (OSError, GreenlineError):
        return None
