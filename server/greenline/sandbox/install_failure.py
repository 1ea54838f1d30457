"""Why packages could not be installed, in a sentence that names them, and what to do about it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from greenline.core.error import SandboxUnavailable
from greenline.core.port import SandboxResult
from greenline.core.visible import visible
from greenline.sandbox.lock_file import LockPlan
from greenline.sandbox.package_source import PackageSource
from greenline.sandbox.proxy import Refusal

_NO_TOOL = 3
_MAX_WORDS = 300
_MAX_OUTPUT = 16_384
_MAX_LINE = 500
_PATTERNS = (
    (
        re.compile(r"DO NOT MATCH THE HASHES.*?\n[ \t]+(?P<name>[^\s\\]+)", re.DOTALL),
        "{name} is not what the lock file's hash says",
        "Look at who changed the package or the lock file, and lock it anew.",
    ),
    (
        re.compile(r"code EINTEGRITY.*?(?:integrity checksum failed|sha\d+-)[^\n]*", re.DOTALL),
        "a package is not what the lock file's hash says: {line}",
        "Look at who changed the package or the lock file, and lock it anew.",
    ),
    (
        re.compile(r"No matching distribution found for (?P<name>[^\s(]+)"),
        "no registry has {name} for this Python",
        "Lock a version that there is for it, or name another registry.",
    ),
    (
        re.compile(r"code E404.*?'(?P<name>[^']+)' is not in this registry", re.DOTALL),
        "no registry has {name}",
        "Lock a version that there is, or name another registry.",
    ),
    (
        re.compile(r"code E404.*?404 Not Found - GET (?P<name>\S+)", re.DOTALL),
        "no registry has {name}",
        "Lock a version that there is, or name another registry.",
    ),
    (
        re.compile(r"code (?:EUSAGE|ENOLOCK)"),
        "package.json and package-lock.json do not fit each other",
        "Write the lock file anew: `npm install --package-lock-only`.",
    ),
    (
        re.compile(
            r"all requirements must have their versions pinned with ==.*?\n[ \t]+(?P<name>\S+)", re.DOTALL
        ),
        "{name} has neither version nor hash, and others have",
        "Lock all of them: `pip-compile --generate-hashes`, or leave the hashes out.",
    ),
    (
        re.compile(r"Hashes are required in --require-hashes mode.*?\n[ \t]+(?P<name>[^\s\\]+)", re.DOTALL),
        "{name} has no hash, and others have",
        "Lock all of them: `pip-compile --generate-hashes`, or leave the hashes out.",
    ),
    (
        re.compile(r"(?<!\S)(?P<name>[^\s:@]{1,200}@[^\s:/@]{1,100})[^\n]*checksum mismatch"),
        "{name} is not what the lock file's hash says",
        "Look at who changed the package or the lock file, and lock it anew.",
    ),
    (
        re.compile(r"(?<!\S)(?P<name>[^\s@]{1,200}@[^\s@]{1,100}): reading \S{1,500}: 4(?:04|10) "),
        "no registry has {name}",
        "Lock a version that there is, or name another registry.",
    ),
    (
        re.compile(r"No space left on device"),
        "they are larger than the container's memory for files",
        "Raise `tmpfs_mb` and `memory_mb` in the settings.",
    ),
)


def failure(
    plan: LockPlan, result: SandboxResult, refused: Sequence[Refusal], source: PackageSource
) -> SandboxUnavailable:
    """Return what to say of an install that went wrong."""
    names = ", ".join(plan.locks)
    output = _clipped(result.output.decode("utf-8", "replace"))
    problem, remedy = _reason(plan, result, output, refused, source)
    return SandboxUnavailable(
        f"The packages of {names} could not be installed: {visible(problem)}.", remedy=remedy
    )


def _clipped(output: str) -> str:
    """Return the last lines of what was said, each cut: a package chooses the words, and may choose many."""
    lines = [line[:_MAX_LINE] for line in output[-_MAX_OUTPUT:].splitlines() if line.strip()]
    return "\n".join([*lines, ""])


def _reason(
    plan: LockPlan, result: SandboxResult, output: str, refused: Sequence[Refusal], source: PackageSource
) -> tuple[str, str]:
    if result.timed_out:
        return "it took too long", "Raise `wall_s` in the settings, or look whether a registry answers."
    if result.out_of_memory:
        return "they need more memory", "Raise `memory_mb` in the settings."
    if result.exit_code == _NO_TOOL:
        tool = {"node": "npm", "go": "Go"}.get(plan.kind, "pip, of version 22.3 or newer")
        return f"there is no {tool}", "Install it, or name another `image` that has it."
    for pattern, words, remedy in _PATTERNS:
        match = pattern.search(output)
        if match is not None and not (refused and "registry has" in words):
            line = " ".join(match[0].split())[-_MAX_WORDS:]
            return words.format(name=match.groupdict().get("name", ""), line=line), remedy
    if refused:
        return _refusal(refused, source)
    return _last_words(output), "Look whether the registry answers, and whether its name is right."


def _refusal(refused: Sequence[Refusal], source: PackageSource) -> tuple[str, str]:
    """Return what kept the package manager from where it looked."""
    first = refused[0]
    what = "; ".join(f"{one.target or 'something'}: {one.reason}" for one in refused[:3])
    if "no public address" in first.reason:
        address = first.reason.split(",")[0].rpartition(" ")[2]
        return what, f'If it is meant to lie there, say so: `registries = ["{first.target}={address}"]`.'
    if "is not a registry" in first.reason or "is not the address" in first.reason:
        return (
            f"{what} (registries: {source.places})",
            f'If packages are to come from there, say so in config.toml: `registries = ["{first.target}"]`.',
        )
    return what, "Look whether the registry answers, and whether its name is right."


def _last_words(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    complaints = [line for line in lines if re.match(r"(?:ERROR|npm (?:error|ERR!))", line)]
    text = (complaints or lines or ["nothing was said"])[-1]
    return text.removeprefix("ERROR: ").rstrip(".")[:_MAX_WORDS]
