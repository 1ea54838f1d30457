"""Which definition each use of a Python name leads to, told by jedi in a process of its own.

Invariants: nothing of the workspace is run or imported, only read; and nobody waits longer than told: what is
not answered by then is known by its name alone.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

_log = logging.getLogger(__name__)

TIMEOUT_S = 5.0
"""How long a model waits for one question where nothing else is told."""


@attrs.frozen
class Place:
    """One place where a name is written."""

    path: str
    """Absolute."""
    line: int
    """1-based."""
    column: int
    """0-based, in characters."""


Lines = frozenset[tuple[str, int]]
"""Absolute paths with lines (1-based)."""


def leads_to(
    places: Sequence[Place],
    texts: Mapping[str, str],
    roots: Sequence[str],
    cache: Path,
    timeout_s: float | None = None,
) -> dict[Place, Lines]:
    """Return the definitions that names lead to, for those of which that can be told in time.

    `texts` are the texts in which the places lie, by path; modules that they import are read from the disk.
    `cache` is a folder that jedi keeps parsed files in; it may be lost at any time.
    """
    request = {
        "places": [attrs.astuple(place) for place in places],
        "texts": dict(texts),
        "roots": list(roots),
        "cache": str(cache),
    }
    command = [sys.executable, "-P", "-m", "greenline.index.python_names"]
    try:
        done = subprocess.run(
            command,
            input=json.dumps(request).encode(),
            capture_output=True,
            timeout=TIMEOUT_S if timeout_s is None else timeout_s,
            check=False,
        )
        said = done.stdout
        if done.returncode:
            _log.warning("jedi ended with %d: %s", done.returncode, _last_line(done.stderr))
    except subprocess.TimeoutExpired as late:
        said = late.stdout or b""
    except OSError as error:
        _log.warning("jedi cannot be started: %s", error)
        return {}
    # The last line may be cut off by the end of its time.
    answers = (json.loads(line) for line in said.split(b"\n")[:-1])
    return {places[number]: frozenset((path, line) for path, line in lines) for number, lines in answers}


def _last_line(data: bytes) -> str:
    lines = data.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else "it said nothing"


def main() -> None:
    """Answer one request: a line of JSON for each place that leads somewhere, as soon as it is known."""
    # Only our lines reach the pipe, whatever jedi prints.
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    for answer in _answers(json.load(sys.stdin)):
        sink.write(json.dumps(answer).encode() + b"\n")
        sink.flush()


def _answers(request: Mapping[str, Any]) -> Iterator[tuple[int, list[tuple[str, int]]]]:
    import jedi  # type: ignore[import-untyped,unused-ignore]

    # These it would import instead of reading them.
    jedi.settings.auto_import_modules = []
    # A parameter's type is not looked for in the callers, which are all over the workspace.
    jedi.settings.dynamic_params = False
    jedi.settings.cache_directory = request["cache"]

    class ReadOnly(jedi.Project):  # type: ignore[misc,unused-ignore]
        """A project of which nothing is imported: not even an extension that lies on this process's path."""

        def _get_base_sys_path(self, _: Any) -> list[str]:
            return []

    environment = jedi.InterpreterEnvironment()
    roots = request["roots"]
    projects = {
        root: ReadOnly(root, sys_path=[], added_sys_path=[root, *(r for r in roots if r != root)])
        for root in roots
    }
    scripts: dict[str, Any] = {}
    for number, (path, line, column) in enumerate(request["places"]):
        root = max((r for r in roots if path.startswith(r.rstrip(os.sep) + os.sep)), key=len, default=None)
        if root is None:
            continue
        try:
            if path not in scripts:
                text = request["texts"][path]
                project = projects[root]
                scripts[path] = jedi.Script(text, path=path, project=project, environment=environment)
            names = scripts[path].goto(line, column, follow_imports=True)
            found = [(str(n.module_path), n.line) for n in names if n.module_path is not None and n.line]
        except Exception:  # noqa: BLE001
            # The boundary of one question: what jedi trips over is known by its name alone.
            continue
        if found:
            yield number, found


if __name__ == "__main__":
    main()
