"""Tells whether the lines that accepted hunks wrote are still as they were measured; for one event loop.

What the user changes elsewhere says nothing about a proposal's evidence; a change in its own lines does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from greenline.core.edit import Hunk, HunkState
from greenline.core.error import GreenlineError
from greenline.core.evidence import Verdict
from greenline.core.task import Proposal
from greenline.edit.hunk import Span, changed_spans, stands
from greenline.edit.restore import Content
from greenline.lsp.decision import one_line_end
from greenline.lsp.lines import lines_of
from greenline.lsp.placing import Glance, followed

if TYPE_CHECKING:
    from greenline.journal.checkpoint import Checkpoint, CheckpointFile
    from greenline.journal.checkpoint_store import CheckpointStore

_MAX_KNOWN = 64
"""Proposals whose texts are kept."""
_MAX_COMPARED = 8
"""Files whose comparison is kept for other proposals."""


@attrs.frozen
class Written:
    """A text of one file, and what hunks wrote in it."""

    path: str
    text: str | None
    """None: there was to be no such file."""
    hunks: tuple[Hunk, ...] = ()
    """Turned round: `before` is what stands in the text; nothing for a file that came or went as a whole."""


@attrs.define(eq=False)
class _Known:
    accepted: frozenset[str]
    files: tuple[Written, ...]
    seen: dict[str, str | None] = attrs.field(factory=dict)
    """Path → its text when it was last compared."""
    changed: set[str] = attrs.field(factory=set)
    """Files in whose accepted lines something else stands."""


@attrs.frozen
class _Compared:
    """A file's text of now, and how it differs from texts that hunks wrote."""

    now: str
    lines: Sequence[str]
    spans: dict[str, Sequence[Span]] = attrs.field(factory=dict)


class Standing:
    """What proposals wrote, as it was accepted or last measured."""

    def __init__(self, store: CheckpointStore, glance: Glance) -> None:
        self._store = store
        self._glance = glance
        self._known: dict[str, _Known] = {}
        self._compared: dict[str, _Compared] = {}

    def as_it_is(self, proposal: Proposal) -> Proposal:
        """Return a proposal whose evidence is `partial` where its accepted lines were changed since."""
        evidence = proposal.evidence
        is_measured = evidence.verdict is not Verdict.NOT_RUN and evidence.currency == "current"
        if not is_measured or not self._is_changed(proposal):
            return proposal
        return attrs.evolve(proposal, evidence=attrs.evolve(proposal.evidence, currency="partial"))

    def measuring(self, proposal: Proposal) -> tuple[Written, ...]:
        """Return what the accepted lines are now, which is about to be measured; see `measured`."""
        known = self._of(proposal)
        return tuple(self._now(written) for written in known.files)

    def measured(self, proposal: Proposal, files: tuple[Written, ...]) -> None:
        """Take what `measuring` returned for what the evidence is about from now on."""
        self._keep(proposal, _Known(_accepted(proposal), files))

    def _is_changed(self, proposal: Proposal) -> bool:
        known = self._of(proposal)
        for written in known.files:
            now = self._text(written.path)
            if written.path in known.seen and known.seen[written.path] == now:
                continue
            known.seen[written.path] = now
            known.changed.discard(written.path)
            if self._differs(written, now):
                known.changed.add(written.path)
        return bool(known.changed)

    def _differs(self, written: Written, now: str | None) -> bool:
        if now is None or written.text is None or not written.hunks:
            return now != written.text
        if now == written.text:
            return False
        lines, spans = self._compare(written.path, written.text, now)
        return not all(stands(hunk, spans, lines) for hunk in written.hunks)

    def _compare(self, path: str, text: str, now: str) -> tuple[Sequence[str], Sequence[Span]]:
        """Return the lines of now and the spans in which they differ, compared once for all proposals."""
        held = self._compared.get(path)
        if held is None or held.now != now:
            held = self._compared[path] = _Compared(now, lines_of(now))
            while len(self._compared) > _MAX_COMPARED:
                del self._compared[next(iter(self._compared))]
        if text not in held.spans:
            held.spans[text] = changed_spans(lines_of(text), held.lines)
        return held.lines, held.spans[text]

    def _of(self, proposal: Proposal) -> _Known:
        accepted = _accepted(proposal)
        known = self._known.get(proposal.id)
        if known is None or known.accepted != accepted:
            files = tuple(self._files(proposal, accepted)) if accepted else ()
            known = _Known(accepted, files)
        return self._keep(proposal, known)

    def _keep(self, proposal: Proposal, known: _Known) -> _Known:
        # What was asked for last goes last.
        self._known.pop(proposal.id, None)
        self._known[proposal.id] = known
        while len(self._known) > _MAX_KNOWN:
            del self._known[next(iter(self._known))]
        return known

    def _files(self, proposal: Proposal, accepted: frozenset[str]) -> list[Written]:
        """Return what the changes in force wrote of a proposal; what cannot be read tells nothing."""
        hunks = {hunk.id: hunk for hunk in proposal.hunks if hunk.id in accepted}
        found = []
        try:
            checkpoints = self._store.applied_by(proposal.run_id)
        except GreenlineError:
            return []
        for checkpoint in checkpoints:
            for file in checkpoint.files:
                try:
                    written = self._written(checkpoint, file, hunks)
                except GreenlineError:
                    continue
                if written is not None:
                    found.append(written)
        return found

    def _written(
        self, checkpoint: Checkpoint, file: CheckpointFile, hunks: Mapping[str, Hunk]
    ) -> Written | None:
        marks = [m for m in checkpoint.marks if m.path == file.path and m.hunk_id in hunks]
        if not marks:
            return None
        if file.after is None:
            return Written(file.path, None)
        text = one_line_end(Content(self._store.blobs.get(file.after), file.encoding).file().text)
        turned = tuple(
            attrs.evolve(
                hunks[mark.hunk_id],
                start_line=mark.start_line,
                end_line=mark.end_line,
                before="".join(lines_of(text)[mark.start_line : mark.end_line]),
                after=one_line_end(hunks[mark.hunk_id].before),
            )
            for mark in marks
            if mark.end_line is not None
        )
        return Written(file.path, text, turned)

    def _now(self, written: Written) -> Written:
        """Return the same lines in the text of now, whatever became of them."""
        now = self._text(written.path)
        if now is None or written.text is None:
            return Written(written.path, now)
        lines, spans = self._compare(written.path, written.text, now)
        hunks = []
        for hunk in written.hunks:
            there = followed(hunk, spans)
            before = "".join(lines[there.start_line : there.end_line])
            hunks.append(attrs.evolve(there, before=before))
        return Written(written.path, now, tuple(hunks))

    def _text(self, path: str) -> str | None:
        try:
            now = self._glance(path)
        except GreenlineError:
            return None
        return None if now is None else one_line_end(now.text)


def _accepted(proposal: Proposal) -> frozenset[str]:
    return frozenset(hunk.id for hunk in proposal.hunks if hunk.state is HunkState.ACCEPTED)
