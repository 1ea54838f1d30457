"""Containers of one engine: started, kept ready for the next request, and removed without anyone waiting.

Each container serves one request. Starting one costs a third of a second, so a process that lives on can have
some started in quiet moments; they hold nothing of a project but its read-only mounts until they are used.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from greenline.sandbox.docker_session import ENGINE_ERRORS
from greenline.sandbox.owner import LABEL_HOST, LABEL_OWNER

QUIET_S = 0.5
"""How long nothing must run before containers are started ahead: they would slow what runs."""
KEPT_S = 600.0
"""How long a container waits for a request before it is removed."""

Arguments = dict[str, Any]
"""What docker-py's `containers.create` takes."""


class ContainerPool:
    """Hands out started containers; safe to use from several threads."""

    def __init__(self, create: Callable[[Arguments], Any], n_ready: int) -> None:
        self._create = create
        self._n_ready = n_ready
        self._changed = threading.Condition()
        self._key = ""
        self._ready: list[Any] = []
        self._n_used = 0
        self._closed = False
        self._timer: threading.Timer | None = None
        self._removals: set[threading.Thread] = set()

    def take(self, arguments: Arguments) -> Any:
        """Return a started container of these arguments; `give_back` must follow. Raises `ENGINE_ERRORS`."""
        key = _key(arguments)
        with self._changed:
            self._n_used += 1
            self._stop_timer()
            stale = [] if key == self._key else self._ready
            if key != self._key:
                self._key, self._ready = key, []
            container = self._ready.pop() if self._ready else None
        for other in stale:
            self._remove(other)
        if container is not None and _is_running(container):
            return container
        try:
            return self._start(arguments)
        except BaseException:
            self._released(arguments)
            raise

    def give_back(self, container: Any, arguments: Arguments) -> None:
        """Remove a container that was used; does not wait for it."""
        self._remove(container)
        self._released(arguments)

    def wait(self, timeout_s: float) -> bool:
        """Wait until removed containers are gone and as many as wanted are ready; return whether they are."""
        with self._changed:
            wanted = 0 if self._closed or not self._key else self._n_ready
            return self._changed.wait_for(
                lambda: not self._removals and len(self._ready) >= wanted, timeout_s
            )

    def close(self) -> None:
        """Remove what is ready and wait for removals under way; may be called twice."""
        with self._changed:
            self._closed = True
            self._stop_timer()
            left, self._ready = self._ready, []
        for container in left:
            self._remove(container)
        self.wait(10.0)

    def _start(self, arguments: Arguments) -> Any:
        container = self._create(arguments)
        try:
            container.start()
        except BaseException:
            self._remove(container)
            raise
        return container

    def _released(self, arguments: Arguments) -> None:
        with self._changed:
            self._n_used -= 1
            if self._n_ready and not self._n_used and not self._closed:
                self._set_timer(QUIET_S, lambda: self._fill(arguments))

    def _fill(self, arguments: Arguments) -> None:
        """Start containers ahead while nothing runs; what the engine refuses, the next request will tell."""
        key = _key(arguments)
        # They belong to no run yet.
        owner = {name: arguments["labels"][name] for name in (LABEL_OWNER, LABEL_HOST)}
        with contextlib.suppress(*ENGINE_ERRORS):
            while self._may_fill(key):
                container = self._start({**arguments, "labels": owner})
                with self._changed:
                    # Another thread may have filled it meanwhile.
                    is_wanted = self._key == key and len(self._ready) < self._n_ready
                    keep = is_wanted and not self._closed
                    if keep:
                        self._ready.append(container)
                        self._changed.notify_all()
                if not keep:
                    self._remove(container)
        with self._changed:
            if self._ready and not self._n_used and not self._closed:
                self._set_timer(KEPT_S, self._expire)

    def _may_fill(self, key: str) -> bool:
        with self._changed:
            return (
                not self._closed
                and not self._n_used
                and self._key == key
                and len(self._ready) < self._n_ready
            )

    def _expire(self) -> None:
        with self._changed:
            left, self._ready, self._key = self._ready, [], ""
        for container in left:
            self._remove(container)

    def _remove(self, container: Any) -> None:
        def remove() -> None:
            with contextlib.suppress(*ENGINE_ERRORS):
                # An image may declare volumes, which are made for each container.
                container.remove(force=True, v=True)
            with self._changed:
                self._removals.discard(thread)
                self._changed.notify_all()

        # Not a daemon: a process that ends waits until its containers are gone.
        thread = threading.Thread(target=remove, name="sandbox-remove")
        with self._changed:
            self._removals.add(thread)
        thread.start()

    def _set_timer(self, seconds: float, act: Callable[[], None]) -> None:
        self._stop_timer()
        self._timer = threading.Timer(seconds, act)
        self._timer.name, self._timer.daemon = "sandbox-ready", True
        self._timer.start()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _is_running(container: Any) -> bool:
    """Return whether a container that waited is still there: the engine may have been restarted."""
    with contextlib.suppress(*ENGINE_ERRORS):
        container.reload()
        return bool(container.status == "running")
    return False


def _key(arguments: Arguments) -> str:
    """Return what makes two containers the same, and their mounts' sources the same folders as then."""
    sources = [mount["Source"] for mount in arguments["mounts"]]
    folders = [(path, _identity(path)) for path in sources]
    plain = {name: value for name, value in arguments.items() if name != "labels"}
    return json.dumps([folders, plain], sort_keys=True, default=str)


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
