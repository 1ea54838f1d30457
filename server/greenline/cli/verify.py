"""`greenline verify`: evidence for any patch, whoever wrote it; the JSON is one line."""

from __future__ import annotations

import argparse
import json
import math
import shlex
from pathlib import Path

import attrs

import greenline
from greenline.cli.console import (
    console,
    evidence_table,
    exit_code,
    progress,
    root_of,
    say,
    verdict_text,
    warn,
)
from greenline.cli.stop import stoppable
from greenline.cli.stream import piped_bytes
from greenline.config.settings import Settings, load_settings
from greenline.core.edit import Hunk
from greenline.core.error import InvalidInput
from greenline.core.evidence import Evidence, Verdict
from greenline.core.port import Tree, VerifyRequest
from greenline.verify.patch import GatedPatch, patch_bytes, read_patch
from greenline.verify.summary import bite_lines, bite_of, evidence_json, lines_words
from greenline.verify.summary_junit import evidence_junit
from greenline.verify.summary_markdown import evidence_markdown
from greenline.verify.summary_sarif import evidence_sarif

_BITE_S = 60.0
"""How long the bite may take where neither the option nor the setting says so."""
_BELOW = 4
_STDOUT = Path("-")


def run(arguments: argparse.Namespace) -> int:
    """Verify a patch and print its evidence; exit 0 only for `verified` by the whole suite."""
    from greenline.app import make_sandbox, make_verifier, open_memory
    from greenline.verify.hunk_coverage import hunks_of

    root = root_of(arguments.root)
    files = _Files.of(arguments)
    settings, least = _asked(arguments, load_settings())
    base, patch = _patch(arguments, root)
    patch.check()
    warn(settings.warnings)
    hunks = hunks_of(patch.edit_set)
    request = VerifyRequest(
        root, base, patch.edit_set, hunks, limits=settings.limits, label="verify", fresh=arguments.fresh
    )
    verifier = make_verifier(make_sandbox(settings), settings, memory=open_memory())
    with stoppable() as cancellation:
        evidence = _placed(patch.told(verifier.verify(request, cancellation, progress)), root)
    if arguments.json:
        print(json.dumps(evidence_json(evidence, hunks, root)))
    elif not files.is_printed:
        _print(evidence, hunks, root)
    files.write(evidence, hunks, root)
    lines = evidence.changed_lines
    is_bare = lines is not None and lines.is_below(least)
    code = 0 if arguments.affected and _is_verified_in_part(evidence) else exit_code(evidence)
    return code or (_BELOW if is_bare else 0)


def _placed(evidence: Evidence, root: str) -> Evidence:
    """Return evidence that names the whole repository where a part of it holds no tests."""
    from greenline.workspace.git import work_tree_above

    top = work_tree_above(root) if evidence.reason == "noTests" else None
    if top is None:
        return evidence
    hint = (
        f"They may lie beside this folder, in its git repository: name that with --root {shlex.quote(top)}."
    )
    return attrs.evolve(evidence, detail=f"{evidence.detail} {hint}")


def _is_verified_in_part(evidence: Evidence) -> bool:
    """Return whether all tests that a change is known to affect verify it."""
    selection = evidence.selection
    return evidence.verdict is Verdict.VERIFIED and selection is not None and not selection.n_left


def _asked(arguments: argparse.Namespace, settings: Settings) -> tuple[Settings, float]:
    """Return the settings with what the command line asks for, and how many of a hundred lines are the least.

    Raises `InvalidInput`.
    """
    least = 0.0
    if arguments.bite:
        settings = attrs.evolve(settings, bite_s=_number("--bite", arguments.bite, 1, 3600))
    elif arguments.bite is not None:
        settings = attrs.evolve(settings, bite_s=settings.bite_s or _BITE_S)
    if arguments.min_coverage is not None:
        least = _number("--min-coverage", arguments.min_coverage, 0, 100)
        settings = attrs.evolve(settings, coverage_threshold=least)
    return settings, least


def _number(option: str, given: str, low: float, high: float) -> float:
    """Read an option's number; raises `InvalidInput`."""
    try:
        value = float(given)
    except ValueError:
        value = math.nan
    if low <= value <= high:
        return value
    raise InvalidInput(f"{option} {given} cannot be used.", remedy=f"Give a number from {low:g} to {high:g}.")


@attrs.frozen
class _Files:
    """Where the evidence is written as well: form → path, or `-` for standard output."""

    paths: dict[str, Path]

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> _Files:
        """Check the paths before anything runs; raises `InvalidInput`."""
        given = {name: getattr(arguments, name) for name in ("sarif", "junit", "markdown")}
        paths = {name: Path(path) for name, path in given.items() if path is not None}
        for name, path in paths.items():
            if path == _STDOUT and arguments.json:
                raise InvalidInput(
                    f"--json and --{name} - would both be printed.", remedy=f"Name a file for --{name}."
                )
            if path.is_dir() or not path.absolute().parent.is_dir():
                problem = "is a folder" if path.is_dir() else "lies in no folder that exists"
                raise InvalidInput(
                    f"--{name} {path} {problem}.", remedy="Name a file in a folder that exists."
                )
        if len({path.absolute() for path in paths.values()}) < len(paths):
            raise InvalidInput("Two outputs have the same name.", remedy="Give each a file of its own.")
        return cls(paths)

    @property
    def is_printed(self) -> bool:
        """Whether one of the forms goes to standard output, and stands for the table."""
        return _STDOUT in self.paths.values()

    def write(self, evidence: Evidence, hunks: tuple[Hunk, ...], root: str) -> None:
        """Write each form; raises `InvalidInput` where the system refuses."""
        for name, path in self.paths.items():
            if name == "sarif":
                text = (
                    json.dumps(evidence_sarif(evidence, hunks, root, greenline.__version__), indent=1) + "\n"
                )
            elif name == "junit":
                text = evidence_junit(evidence)
            else:
                text = evidence_markdown(evidence, hunks, root)
            if path == _STDOUT:
                print(text, end="")
                continue
            try:
                path.write_bytes(text.encode("utf-8", "replace"))
            except OSError as error:
                raise InvalidInput(
                    f"{path} cannot be written: {error.strerror}.", remedy=f"Name another file for --{name}."
                ) from error


def _patch(arguments: argparse.Namespace, root: str) -> tuple[Tree, GatedPatch]:
    """Return the base tree and the edits over it."""
    from greenline.guard.gate import Gate
    from greenline.workspace.snapshot import Snapshot

    snapshot = Snapshot((root,))
    gate = Gate((root,))
    if arguments.patch:
        is_piped = arguments.patch == "-"
        data = piped_bytes() if is_piped else patch_bytes(arguments.patch)
        text = read_patch(data, "The standard input" if is_piped else arguments.patch)
        return snapshot.tree(root, gate), GatedPatch.of_diff(text, snapshot.read_bytes, root, gate.may_stage)
    from greenline.workspace.revision import changes_since, range_changes, staged_changes

    current, listed = snapshot.tree(root, gate), snapshot.list_files(root)
    if arguments.range:
        base, edit_set = range_changes(root, arguments.range, current, listed)
    elif arguments.staged:
        base, edit_set = staged_changes(root, current, listed)
    else:
        base, edit_set = changes_since(
            root, "HEAD" if arguments.base is None else arguments.base, current, listed
        )
    # Git may track what the gate withholds.
    shown = {path: file for path, file in base.items() if gate.may_stage(path)}
    return shown, GatedPatch.of_edits(edit_set, root, gate.may_stage)


def _print(evidence: Evidence, hunks: tuple[Hunk, ...], root: str) -> None:
    out = console()
    out.print(verdict_text(evidence))
    if evidence.detail:
        say(evidence.detail)
    out.print(evidence_table(evidence))
    measured = {item.hunk_id: item for item in evidence.hunks}
    for hunk in hunks:
        place = f"{Path(hunk.path).relative_to(root)}:{hunk.start_line + 1}"
        item = measured.get(hunk.id)
        say(f"  {place}  {item.coverage if item else 'not measured'}{bite_of(item)}")
    for line in (lines_words(evidence), *bite_lines(evidence)):
        if line:
            say(f"  {line}")
    for warning in evidence.warnings:
        say(f"  warning: {warning}")
