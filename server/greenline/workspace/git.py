"""Hardened git: nothing that the workspace's configuration names is ever started."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence

from greenline.core.error import InvalidInput
from greenline.workspace.program import find_program

_FLAGS = (
    "--no-pager",
    "--no-optional-locks",
    "--literal-pathspecs",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.untrackedCache=false",
    "-c",
    "core.quotePath=false",
    "-c",
    "protocol.allow=never",
    "-c",
    "submodule.recurse=false",
)
_TIMEOUT_S = 60
_OF_ANOTHER = "dubious ownership"


def git_environment(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return an environment without any `GIT_*` of the caller, and with everything that asks or pages off."""
    source = os.environ if environment is None else environment
    clean = {k: v for k, v in source.items() if not k.startswith("GIT_") and k not in {"PAGER", "EDITOR"}}
    clean.update(
        GIT_OPTIONAL_LOCKS="0",
        GIT_TERMINAL_PROMPT="0",
        GIT_NO_LAZY_FETCH="1",
        GIT_ATTR_NOSYSTEM="1",
        GIT_ASKPASS="/bin/false",
        SSH_ASKPASS="/bin/false",
        LC_ALL="C",
    )
    return clean


def git(
    root: str,
    arguments: Sequence[str],
    stdin: bytes | None = None,
    roots: Sequence[str] = (),
    timeout_s: float = _TIMEOUT_S,
) -> bytes | None:
    """Run a read-only git command in `root` and return its output; None where that fails.

    Only plumbing that runs no filter, hook, text conversion or external diff may be asked for. A program in
    `root`, or in one of `roots`, is never taken for git.
    """
    done = _run(root, arguments, stdin, roots, timeout_s)
    return done.stdout if done is not None and done.returncode == 0 else None


def _run(
    root: str, arguments: Sequence[str], stdin: bytes | None, roots: Sequence[str], timeout_s: float
) -> subprocess.CompletedProcess[bytes] | None:
    program = find_program("git", (root, *roots))
    if program is None:
        return None
    try:
        return subprocess.run(
            [program, *_FLAGS, *arguments],
            cwd=root,
            env=git_environment(),
            # An empty input is a closed pipe of its own: a child must never share the LSP channel.
            input=stdin or b"",
            capture_output=True,
            check=False,
            timeout=timeout_s,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None


def git_or_raise(root: str, arguments: Sequence[str], problem: str, stdin: bytes | None = None) -> bytes:
    """Run `git`, or raise `InvalidInput` with `problem` as the sentence, or with git's own of an owner."""
    done = _run(root, arguments, stdin, (), _TIMEOUT_S)
    if done is not None and done.returncode == 0:
        return done.stdout
    said = "" if done is None else done.stderr.decode("utf-8", "replace")
    if _OF_ANOTHER in said:
        raise _foreign(said)
    raise InvalidInput(problem, remedy="Check that the folder is a git repository and the revision exists.")


def _foreign(said: str) -> InvalidInput:
    """Return what git says of a repository that belongs to another user."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    first = next(line for line in lines if _OF_ANOTHER in line).removeprefix("fatal: ")
    command = next((line for line in lines if line.startswith("git config ")), "")
    remedy = f"Where you trust it, run: {command}" if command else "Work as its owner."
    return InvalidInput(f"git says: {first}.", remedy=remedy, code="owner")


def work_tree_above(root: str) -> str | None:
    """Return the top of the git work tree that `root` is a part of; None where it is the top, or in none."""
    output = git(root, ["rev-parse", "--show-toplevel"])
    top = os.fsdecode((output or b"").removesuffix(b"\n"))
    return top if top and top != os.path.realpath(root) else None


def git_paths(root: str, arguments: Sequence[str], roots: Sequence[str] = ()) -> list[str] | None:
    """Run a git command that prints NUL-separated paths; paths that lead outside `root` are dropped."""
    output = git(root, arguments, roots=roots)
    if output is None:
        return None
    paths = [os.fsdecode(piece) for piece in output.split(b"\0") if piece]
    return [p for p in paths if not p.startswith(("/", "../")) and "/../" not in p]
