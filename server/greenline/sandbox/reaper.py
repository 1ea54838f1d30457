"""Containers whose owner process is gone, removed by whoever comes next."""

from __future__ import annotations

import contextlib
import time
from typing import Any

import docker.errors

from greenline.sandbox.docker_session import ENGINE_ERRORS
from greenline.sandbox.owner import LABEL_OWNER, is_orphan

_REAP_TRIES = 5
_REAP_PAUSE_S = 0.2


def reap_orphans(client: Any) -> None:
    """Remove containers whose owner process is gone: a killed worker cannot do it itself.

    One that cannot be removed yet, since it is being started or removed, is tried again for a moment.
    """
    for _ in range(_REAP_TRIES):
        if not _has_orphans_left(client):
            return
        time.sleep(_REAP_PAUSE_S)


def _has_orphans_left(client: Any) -> bool:
    """Remove the orphans; return whether one of them resisted."""
    has_left = False
    with contextlib.suppress(*ENGINE_ERRORS):
        # Others remove containers at the same time: one that is gone must not end the search.
        known = client.containers.list(all=True, filters={"label": LABEL_OWNER}, ignore_removed=True)
        for container in known:
            if is_orphan(container.labels):
                try:
                    container.remove(force=True, v=True)
                except docker.errors.NotFound:
                    continue
                except ENGINE_ERRORS:
                    has_left = True
    return has_left
