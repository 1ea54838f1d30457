"""`greenline doctor`: what Greenline needs, whether it is there, and the remedy where it is not."""

from __future__ import annotations

import argparse
import json
import platform
import shutil
import sys
from importlib import metadata
from typing import TYPE_CHECKING

import attrs

import greenline
from greenline.cli.console import console, root_of, say

if TYPE_CHECKING:
    from greenline.config.settings import Settings
    from greenline.core.port import SandboxHealth

_MAX_FLAKY = 5
_IMAGE_REMEDY = {
    "docker": "It is made once an engine answers.",
    "kubernetes": "It is used once the cluster answers.",
}


@attrs.frozen
class Finding:
    """One thing that was looked at."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""
    optional: bool = False


def run(arguments: argparse.Namespace) -> int:
    """Print the findings; exit 1 where something that is needed is missing."""
    findings = examine(root_of(arguments.root))
    if arguments.json:
        print(json.dumps([attrs.asdict(item) for item in findings]))
    else:
        out = console()
        for item in findings:
            mark = "[green]ok[/]  " if item.ok else ("[yellow]--[/]  " if item.optional else "[red]no[/]  ")
            out.print(mark, end="")
            say(f"{item.name}: {item.detail}")
            if item.remedy and not item.ok:
                say(f"      {item.remedy}")
    return 0 if all(item.ok or item.optional for item in findings) else 1


def examine(root: str) -> list[Finding]:
    """Return all findings for a workspace."""
    from greenline.app import make_sandbox
    from greenline.config.settings import load_settings

    settings = load_settings()
    health = make_sandbox(settings).health()
    findings = [
        Finding("greenline", True, f"{greenline.__version__} on Python {platform.python_version()}"),
        Finding(
            "engine",
            health.available,
            health.engine if health.available else health.problem,
            health.remedy,
        ),
        *([] if settings.sandbox == "bubblewrap" else [_image(root, settings, health.image)]),
        *(Finding("sandbox", False, note, optional=True) for note in _notes(health)),
        _interpreter(root, settings),
        *_packages(root, settings),
        *_variables(settings),
        *_projects(root, settings.test_command),
        _state(root),
        *_flaky(root),
        _model(settings.model, settings.api_base),
        _program("git", "Without git, ignore files are read by Greenline itself."),
        _program("rg", "Install ripgrep (`apt-get install ripgrep`): the search tool of the agent uses it."),
        Finding("libraries", True, _versions()),
    ]
    findings += [Finding("settings", False, warning, optional=True) for warning in settings.warnings]
    return findings


def _notes(health: SandboxHealth) -> list[str]:
    return [*health.notes, *filter(None, [health.warning])]


def _image(root: str, settings: Settings, known: str) -> Finding:
    """Return the image that tests run in, or that the project's files ask for."""
    from greenline.core.error import GreenlineError
    from greenline.guard.gate import Gate
    from greenline.sandbox.project_image import is_project, wanted_image
    from greenline.workspace.snapshot import Snapshot

    if settings.toolchain == "host" or not is_project(settings.image):
        return Finding("image", bool(known), known or "none", _IMAGE_REMEDY[settings.sandbox])
    try:
        wanted = wanted_image(settings.image, Snapshot((root,)).tree(root, Gate((root,))))
    except GreenlineError as error:
        return Finding("image", False, error.message, error.remedy)
    return Finding("image", True, f"{wanted.name}. {wanted.remedy}")


def _interpreter(root: str, settings: Settings) -> Finding:
    import os

    from greenline.core.error import SandboxUnavailable
    from greenline.sandbox.host_toolchain import resolve

    is_of_image = settings.toolchain == "image" or (settings.toolchain == "lock" and settings.image)
    if is_of_image or settings.sandbox == "kubernetes":
        return Finding("interpreter", True, f"python3 of the image {settings.image or '(none is named)'}")
    try:
        toolchain = resolve(root, os.environ)
    except SandboxUnavailable as error:
        return Finding("interpreter", False, error.message, error.remedy)
    inside = ", ".join(toolchain.environment) or "no environment in the project"
    return Finding("interpreter", True, f"{toolchain.python} ({inside})")


def _packages(root: str, settings: Settings) -> list[Finding]:
    """Return what the toolchain `lock` installs, and from where, and how much of it is kept."""
    import os

    from greenline.app import open_packages
    from greenline.core.error import GreenlineError
    from greenline.guard.gate import Gate
    from greenline.sandbox.lock_file import lock_plans
    from greenline.sandbox.package_source import find_source
    from greenline.workspace.snapshot import Snapshot

    if settings.toolchain != "lock":
        return []
    kept = open_packages(settings).all()
    total_mb = sum(one.size_bytes for one in kept) // (1024 * 1024)
    quota = f"{len(kept)} kept, {total_mb} MB of {settings.packages_quota_mb} MB"
    source = find_source(settings.registries, os.environ)
    try:
        plans = lock_plans(Snapshot((root,)).tree(root, Gate((root,))), settings.lock_files)
    except GreenlineError as error:
        return [Finding("packages", False, error.message, error.remedy)]
    free = [name for plan in plans if not plan.has_hashes for name in plan.locks]
    names = ", ".join(name for plan in plans for name in plan.locks) or "no lock file"
    detail = f"{names}; registries {source.places}; {quota}"
    findings = [Finding("packages", True, detail)]
    if plans and not source.registries:
        remedy = "Name them in config.toml as `registries`, or in the configuration of pip and npm."
        findings = [Finding("packages", False, f"{detail}: nothing can be fetched", remedy, optional=True)]
    if free:
        remedy = "Lock them with hashes, such as by `pip-compile --generate-hashes`."
        words = f"{', '.join(free)} has no hashes: what is installed from it can change"
        findings.append(Finding("packages", False, words, remedy, optional=True))
    return findings


def _variables(settings: Settings) -> list[Finding]:
    """Return the variables that tests do not get though they are named, as one finding."""
    from greenline.sandboxes import passed_variables

    refused = passed_variables(settings)[1]
    if not refused:
        return []
    remedy = "Give tests a value of their own in config.toml, as `NAME=VALUE`."
    return [Finding("variables", False, f"{', '.join(refused)} holds a secret", remedy, optional=True)]


def _projects(root: str, test_command: str) -> list[Finding]:
    """Return each project that was detected, why, and what keeps it from being verified."""
    from greenline.core.error import GreenlineError
    from greenline.guard.gate import Gate
    from greenline.verify.detection import projects
    from greenline.workspace.snapshot import Snapshot

    try:
        tree = Snapshot((root,)).tree(root, Gate((root,)))
    except GreenlineError as error:
        return [Finding("projects", False, error.message, error.remedy, optional=True)]
    found = projects(tree, test_command)
    if not found:
        remedy = "Name the command that runs the tests as `test_command` in the settings."
        return [Finding("projects", False, "none was detected", remedy, optional=True)]
    return [
        Finding(
            f"project {project.place}",
            not project.problem and not project.no_runner,
            f"{project.kind}, {project.runner or 'no runner'}: {'; '.join(project.why)}",
            project.problem or project.no_runner or _missing(project.kind),
            optional=True,
        )
        for project in found
    ]


def _state(root: str) -> Finding:
    """Return whether runs, checkpoints and the index can be kept."""
    from greenline.core.error import GreenlineError
    from greenline.workspace.state import STATE_REMEDY, check_writable, state_folder, state_path

    try:
        check_writable(state_folder(root))
    except OSError as error:
        detail = f"{error.filename}: {(error.strerror or str(error)).removesuffix(f' {STATE_REMEDY}')}"
        return Finding("state folder", False, detail, f"{STATE_REMEDY}.")
    except GreenlineError as error:
        return Finding("state folder", False, error.message, error.remedy)
    return Finding("state folder", True, str(state_path(root)))


def _flaky(root: str) -> list[Finding]:
    """Return the tests that are remembered as flaky, as one finding; none where there are none."""
    from greenline.app import open_memory

    known = [found for found in open_memory().flaky.known(root).values() if found.is_flaky]
    if not known:
        return []
    shown = "; ".join(f"{found.test} ({found.words})" for found in known[:_MAX_FLAKY])
    more = f"; and {len(known) - _MAX_FLAKY} more" if len(known) > _MAX_FLAKY else ""
    remedy = "They are repeated more often. `greenline flaky --forget TEST` forgets one that was mended."
    return [Finding("flaky tests", False, shown + more, remedy, optional=True)]


def _missing(kind: str) -> str:
    return {"node": "Install Node.", "go": "Install Go.", "java": "Install a JDK and JUnit 5."}.get(kind, "")


def _model(name: str | None, address: str | None) -> Finding:
    if name is None:
        remedy = "Set GREENLINE_MODEL (and GREENLINE_API_BASE for a local server); see docs/models.md."
        return Finding("model", False, "none; the repair engine serves failing tests", remedy, optional=True)
    return Finding("model", True, f"{name} at {address}" if address else name)


def _program(name: str, remedy: str) -> Finding:
    found = shutil.which(name)
    return Finding(name, found is not None, found or "not on PATH", remedy, optional=True)


def _versions() -> str:
    names = ("pygls", "lsprotocol", "docker", "litellm", "apsw", "unidiff")
    return ", ".join(f"{name} {metadata.version(name)}" for name in names) + f" ({sys.executable})"
