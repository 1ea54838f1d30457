"""The pod of one Job, followed from its birth to its end by a thread of its own.

Invariant: a watch that expires or breaks is begun anew from a list, so that no state is missed for good.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from greenline.core.error import SandboxUnavailable
from greenline.sandbox.kubernetes_failure import (
    ApiFailure,
    Json,
    is_running,
    missing_pod,
    not_started,
    out_of_memory,
    pod_trouble,
    unavailable,
)

if TYPE_CHECKING:
    from greenline.sandbox.kubernetes_api import Cluster, Watching

_WATCH_S = 30
"""How long one watch lasts."""
_GONE = 410
_FINAL = (401, 403)
"""Statuses that no new try changes."""
_MAX_FAILURES = 5
_PAUSE_S = 0.5
_LOOK_S = 0.2


class PodFollower:
    """Follows the pod of a Job; `on_trouble` is called once, from the thread, when it can run no more."""

    def __init__(self, cluster: Cluster, job: str, on_trouble: Callable[[], None]) -> None:
        self._cluster = cluster
        self._job = job
        self._on_trouble = on_trouble
        self._changed = threading.Condition()
        self._pod: Json | None = None
        self._watching: Watching | None = None
        self._closed = False
        self._trouble: SandboxUnavailable | None = None
        threading.Thread(target=self._follow, name="sandbox-pod", daemon=True).start()

    @property
    def trouble(self) -> SandboxUnavailable | None:
        """Why the pod can run no more; None while it may."""
        return self._trouble

    def wait_until_running(self, limit_s: float, is_cancelled: Callable[[], bool]) -> str:
        """Return the pod's name once its containers run; raises `SandboxUnavailable`.

        Returns an empty name where it was cancelled.
        """
        begun = time.monotonic()
        with self._changed:
            while time.monotonic() - begun < limit_s:
                if is_cancelled():
                    return ""
                if self._trouble is not None:
                    raise self._trouble
                if self._pod is not None and is_running(self._pod):
                    return str(self._pod["metadata"]["name"])
                self._changed.wait(_LOOK_S)
            pod = self._pod
        raise not_started(pod, self._cluster.events(self._job), limit_s)

    def ran_out_of_memory(self, container: str) -> bool:
        """Return whether a container was ended for want of memory, as far as the cluster has said."""
        with self._changed:
            return self._pod is not None and out_of_memory(self._pod, container)

    def wait_for_trouble(self, within_s: float) -> SandboxUnavailable | None:
        """Return why the pod can run no more, which the cluster may take a while to say; None: it may."""
        with self._changed:
            self._changed.wait_for(lambda: self._trouble is not None, within_s)
            return self._trouble

    def close(self) -> None:
        """Follow no longer; may be called twice."""
        with self._changed:
            self._closed = True
            watching = self._watching
        if watching is not None:
            watching.stop()

    def _follow(self) -> None:
        version, n_failures = "", 0
        while not self._closed:
            try:
                if not version:
                    pods, version = self._cluster.pods(self._job)
                    self._see(pods[-1] if pods else None)
                version = self._watch(version)
                n_failures = 0
            except ApiFailure as failure:
                version = ""
                if failure.status == _GONE:
                    continue
                n_failures += 1
                if failure.status in _FINAL or n_failures >= _MAX_FAILURES:
                    self._found(unavailable(failure, self._cluster.address))
                    return
                time.sleep(_PAUSE_S)

    def _watch(self, version: str) -> str:
        """Follow changes from a version on; return the version to go on from."""
        watching = self._cluster.watch(self._job, version, _WATCH_S)
        with self._changed:
            self._watching = watching
        for kind, pod in watching:
            version = str(pod["metadata"].get("resourceVersion", version))
            if kind == "BOOKMARK":
                continue
            self._see(None if kind == "DELETED" else pod)
            if self._closed:
                break
        return version

    def _see(self, pod: Json | None) -> None:
        with self._changed:
            had_one, self._pod = self._pod is not None, pod
            self._changed.notify_all()
        if pod is not None:
            self._found(pod_trouble(pod))
        elif had_one:
            self._found(missing_pod(self._job))

    def _found(self, trouble: SandboxUnavailable | None) -> None:
        with self._changed:
            if trouble is None or self._trouble is not None or self._closed:
                return
            self._trouble = trouble
            self._changed.notify_all()
        self._on_trouble()
