"""Has a staged change tested: cut into hunks, verified once for each root, the worst verdict for all."""

from __future__ import annotations

import re
import stat
from collections.abc import Callable
from pathlib import Path

import attrs

from greenline.agent.record import Recorder
from greenline.agent.root_evidence import named, worst
from greenline.agent.services import Services
from greenline.core.cancel import Cancellation
from greenline.core.edit import EditSet, FileChange, Hunk
from greenline.core.error import InvalidInput
from greenline.core.evidence import Evidence
from greenline.core.port import Tree, VerifyRequest
from greenline.core.task import Plan
from greenline.edit.review_cut import ReviewedChange, cut_for_review
from greenline.tool.place import root_names, shown
from greenline.verify.tree import apply, relative
from greenline.workspace.encoding import decode
from greenline.workspace.snapshot import Snapshot

_TEST_ID = re.compile(r"[^\s\[]+::[^\s\[]+(\[.*\])?|[A-Za-z_][\w]*(\.[A-Za-z_]\w*)*\.test\w*")


def cut(snapshot: Snapshot, edit_set: EditSet, plan: Plan, why: str) -> tuple[Hunk, ...]:
    """Return the hunks of a change; raises `InvalidInput` (`binary`) for a file that is no text."""
    return cut_for_review(
        ReviewedChange(
            _with_mode(change),
            _text(change, change.before),
            _text(change, change.after),
            snapshot.version(change.path),
            why,
            _entry_for(snapshot, change.path, plan),
        )
        for change in edit_set.changes
    )


def checks_of(plan: Plan) -> tuple[str, ...]:
    """Return the acceptance checks that are test ids; sentences are for people."""
    checks = (check.strip() for entry in plan.entries for check in entry.checks)
    return tuple(dict.fromkeys(check for check in checks if _TEST_ID.fullmatch(check)))


def prove(
    services: Services,
    snapshot: Snapshot,
    edit_set: EditSet,
    hunks: tuple[Hunk, ...],
    plan: Plan,
    recorder: Recorder,
    cancellation: Cancellation,
) -> Evidence:
    """Verify a change in every root that it touches; a sick sandbox is evidence, `Cancelled` is raised."""

    def case(root: str, tree: Tree, edits: EditSet) -> tuple[Tree, tuple[Hunk, ...]]:
        there = tuple(h for h in hunks if snapshot.locate(h.path).root == root)
        return _as_changed(root, tree, edits), there

    return _prove_each(services, snapshot, edit_set, case, plan, recorder, cancellation)


def prove_again(
    services: Services,
    snapshot: Snapshot,
    edit_set: EditSet,
    hunks: tuple[Hunk, ...],
    plan: Plan,
    recorder: Recorder,
    cancellation: Cancellation,
) -> Evidence:
    """Verify a change whose result is the snapshot; hunks that stand there as proposed keep their ids."""
    known = {(hunk.path, hunk.before, hunk.after): hunk.id for hunk in hunks}

    def case(root: str, tree: Tree, edits: EditSet) -> tuple[Tree, tuple[Hunk, ...]]:
        there = tuple(
            attrs.evolve(hunk, id=known.get((hunk.path, hunk.before, hunk.after), hunk.id))
            for hunk in cut(snapshot, edits, plan, "")
        )
        return apply(root, tree, EditSet(tuple(map(_inverted, edits.changes)))), there

    return _prove_each(services, snapshot, edit_set, case, plan, recorder, cancellation)


def _prove_each(
    services: Services,
    snapshot: Snapshot,
    edit_set: EditSet,
    case: Callable[[str, Tree, EditSet], tuple[Tree, tuple[Hunk, ...]]],
    plan: Plan,
    recorder: Recorder,
    cancellation: Cancellation,
) -> Evidence:
    """Verify root by root; `case` returns a root's base and hunks for its tree now and its edits."""
    found: list[Evidence] = []
    gate = services.gate(snapshot.roots)
    names = root_names(snapshot.roots)
    for root in snapshot.roots:
        edits = EditSet(tuple(c for c in edit_set.changes if snapshot.locate(c.path).root == root))
        if not edits.changes:
            continue
        base, hunks = case(root, snapshot.tree(root, gate), edits)
        request = VerifyRequest(
            root=root,
            base=base,
            edit_set=edits,
            hunks=hunks,
            checks=_checks_in(root, checks_of(plan), snapshot),
            label=recorder.run_id,
            limits=services.test_limits,
        )
        evidence = services.verifier.verify(request, cancellation, recorder.command)
        found.append(evidence if len(names) == 1 else named(evidence, names[root]))
    return worst(found)


def _as_changed(root: str, tree: Tree, edits: EditSet) -> Tree:
    """Return the tree with the very texts that the change was made against: the disk does not stand still."""
    base = dict(tree)
    for change in edits.changes:
        path = relative(root, change.path)
        old = tree.get(path)
        if old is not None and old.link is None and change.before is not None:
            base[path] = attrs.evolve(old, content=change.before)
    return base


def _inverted(change: FileChange) -> FileChange:
    return attrs.evolve(change, before=change.after, after=change.before)


def _checks_in(root: str, checks: tuple[str, ...], snapshot: Snapshot) -> tuple[str, ...]:
    """Return the checks of one root as its runner knows them: without the name of the root in front."""
    if len(snapshot.roots) == 1:
        return checks
    prefix = root_names(snapshot.roots)[root] + "/"
    return tuple(check.removeprefix(prefix) for check in checks if check.startswith(prefix))


def _text(change: FileChange, content: bytes | None) -> str | None:
    if content is None:
        return None
    try:
        return decode(content).text
    except InvalidInput as error:
        raise InvalidInput(f"{change.path} is not text and cannot be proposed.", code="binary") from error


def _with_mode(change: FileChange) -> FileChange:
    """Return a change that says which mode bits a moved file has: those that it had."""
    if change.mode is not None or change.after is None or change.moved_from in (None, change.path):
        return change
    try:
        return attrs.evolve(change, mode=stat.S_IMODE(Path(change.moved_from or "").stat().st_mode))
    except OSError:
        return change


def _entry_for(snapshot: Snapshot, path: str, plan: Plan) -> int | None:
    located = snapshot.locate(path)
    known = {path, located.relative, shown(located.root, located.relative, snapshot.roots)}
    return next((e.number for e in plan.entries if known.intersection(e.files)), None)
