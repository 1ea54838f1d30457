"""Where a program of the machine lies; one that the workspace brings along is never taken for it."""

# Paths are strings here, as in the roots that they are compared with.
# ruff: noqa: PTH113, PTH117, PTH118, PTH120

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from greenline.workspace.root import relative_to


def find_program(name: str, roots: Sequence[str], environment: Mapping[str, str] | None = None) -> str | None:
    """Return the absolute path of a program on `PATH`, or None.

    Passed over are relative entries, which mean the current folder, whatever lies in one of the roots, and
    the folders of virtual environments and of `node_modules`: an activated one is the project's.
    """
    path = (os.environ if environment is None else environment).get("PATH", os.defpath)
    real_roots = [os.path.realpath(root) for root in roots]
    for folder in path.split(os.pathsep):
        candidate = os.path.join(folder, name)
        if not os.path.isabs(folder) or _is_of_a_project(folder):
            continue
        if not os.path.isfile(candidate) or not os.access(candidate, os.X_OK):
            continue
        places = (os.path.realpath(folder), os.path.realpath(candidate))
        if all(relative_to(place, root) is None for place in places for root in real_roots):
            return candidate
    return None


def _is_of_a_project(folder: str) -> bool:
    if os.path.isfile(os.path.join(os.path.dirname(os.path.normpath(folder)), "pyvenv.cfg")):
        return True
    return "node_modules" in folder.replace(os.sep, "/").split("/")
