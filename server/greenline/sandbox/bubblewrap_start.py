"""The script that each sandbox of bubblewrap begins with: it stages the tree and steps down, then becomes
the command.

Invariant: until it has stepped down it runs the system's own programs alone, with none of the project's
variables; a project's interpreter, or a `tar` of its own, never has a right that the tests have not.
"""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Mapping, Sequence

import attrs

from greenline.core.error import SandboxUnavailable
from greenline.core.port import Limits

TREE, STATUS, GO = 3, 4, 5
"""Descriptors: the tree as a tar, where the script says how far it is, and what lets it go on."""
UP, STAGED = "up", "staged"
_SYSTEM = "/usr/bin:/bin"


@attrs.frozen
class Steps:
    """Who a program becomes, with which bounds of its own, and for how long it may live."""

    user: tuple[int, int] | None
    """Uid and gid; None: it is that user already, and root is not there."""
    limits: Limits
    life_s: float
    held: frozenset[str]
    """What a control group holds already."""


def program(name: str) -> str:
    """Return where one of the system's programs lies; raises `SandboxUnavailable`."""
    path = shutil.which(name, path=_SYSTEM)
    if path is None:
        raise SandboxUnavailable(f"The program {name} is missing.", remedy=f"Install {name}.")
    return path


def staging(
    root: str, handed: Sequence[str], opened: Sequence[str], steps: Steps, variables: Mapping[str, str]
) -> list[str]:
    """Return a shell's words that stage a tree at `root`, wait to be let go, and become what follows.

    `handed` folders become the user's, and everybody may write to `opened` ones.
    """
    lines = [f"echo {UP} >&{STATUS}", f"read -r _ <&{GO} || exit 1"]
    if steps.user is not None:
        owner = f"{steps.user[0]}:{steps.user[1]}"
        lines.append(_line(program("chown"), owner, *handed))
        if opened:
            lines.append(_line(program("chmod"), "0777", *opened))
    unpack = [*_stepping_down(steps.user), program("tar"), "-x", "-f", "-", "-C", root, "--no-same-owner"]
    lines += [
        f"{_line(*unpack)} <&{TREE} >&{STATUS} 2>&{STATUS}",
        f'echo "{STAGED} $?" >&{STATUS}',
        f"read -r _ <&{GO} || exit 1",
        f"exec {TREE}<&- {STATUS}>&- {GO}<&-",
    ]
    return _shell([*lines, _becoming(steps, variables)])


def becoming(steps: Steps, variables: Mapping[str, str]) -> list[str]:
    """Return a shell's words that step down and become what follows."""
    return _shell([_becoming(steps, variables)])


def _shell(lines: list[str]) -> list[str]:
    return [program("sh"), "-c", "\n".join(lines), "greenline"]


def _becoming(steps: Steps, variables: Mapping[str, str]) -> str:
    own = [f"{name}={value}" for name, value in variables.items()]
    argv = [
        *_stepping_down(steps.user),
        *(program("prlimit"), *_bounds(steps), "--"),
        *(program("timeout"), "-s", "KILL", f"{steps.life_s:.3f}"),
        *(program("env"), "-i", *own),
    ]
    return f'exec {_line(*argv)} "$@"'


def _stepping_down(user: tuple[int, int] | None) -> list[str]:
    if user is None:
        return []
    none = [f"--{kind}=-all" for kind in ("inh-caps", "ambient-caps", "bounding-set")]
    return [program("setpriv"), f"--reuid={user[0]}", f"--regid={user[1]}", "--clear-groups", *none]


def _bounds(steps: Steps) -> list[str]:
    """Return what a process may take: what no control group holds, and what none can."""
    found = ["--core=0", "--rtprio=0", "--nice=0"]
    if "memory" not in steps.held:
        # Address space would not do: Node and Go reserve much more than they use.
        found.append(f"--data={steps.limits.memory_mb << 20}")
    if "pids" not in steps.held:
        found.append(f"--nproc={steps.limits.pids}")
    return found


def _line(*words: str) -> str:
    return shlex.join(words)
