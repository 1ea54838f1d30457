"""The objects of a stub of the Kubernetes API server, their versions, and the changes that a watch tells."""

from __future__ import annotations

import copy
import threading
import time
import uuid
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]
Key = tuple[str, str, str]
"""Plural of the kind, namespace, name."""


class Store:
    """Holds objects; safe to use from several threads. Objects are copied on their way in and out."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._objects: dict[Key, Json] = {}
        self._history: list[tuple[int, str, str, Json]] = []
        """Version, plural, kind of the change, and the object after it."""
        self._version = 100

    def add(self, plural: str, body: Json) -> Json | None:
        """Keep a new object and return it as stored, or None where the name is taken."""
        stored = copy.deepcopy(body)
        meta = stored.setdefault("metadata", {})
        with self._changed:
            key = (plural, meta["namespace"], meta["name"])
            if key in self._objects:
                return None
            meta |= {"uid": str(uuid.uuid4()), "creationTimestamp": now()}
            self._keep(key, "ADDED", stored)
            return copy.deepcopy(stored)

    def change(self, plural: str, namespace: str, name: str, **parts: Any) -> Json | None:
        """Replace outer parts of an object; a dictionary for `metadata` or `status` is merged."""
        with self._changed:
            key = (plural, namespace, name)
            if key not in self._objects:
                return None
            stored = copy.deepcopy(self._objects[key])
            for part, value in parts.items():
                if part in ("metadata", "status"):
                    value = {**stored.get(part, {}), **value}
                stored[part] = copy.deepcopy(value)
            self._keep(key, "MODIFIED", stored)
            return copy.deepcopy(stored)

    def remove(self, plural: str, namespace: str, name: str) -> Json | None:
        """Drop an object and return it."""
        with self._changed:
            stored = self._objects.pop((plural, namespace, name), None)
            if stored is not None:
                self._tell(plural, "DELETED", stored)
            return stored

    def get(self, plural: str, namespace: str, name: str) -> Json | None:
        """Return an object, or None."""
        with self._changed:
            return copy.deepcopy(self._objects.get((plural, namespace, name)))

    def list(self, plural: str, namespace: str, selector: str = "") -> tuple[list[Json], str]:
        """Return the objects that a selector selects, and the version of the list."""
        with self._changed:
            found = [
                copy.deepcopy(stored)
                for (kind, place, _), stored in self._objects.items()
                if (kind, place) == (plural, namespace) and selects(selector, stored)
            ]
            return found, str(self._version)

    def changes(
        self, plural: str, namespace: str, selector: str, since: int, until: float
    ) -> Iterator[tuple[str, Json]]:
        """Yield changes after a version as they come, until a moment of the monotonic clock."""
        while True:
            with self._changed:
                fresh = [entry for entry in self._history if entry[0] > since]
                if not fresh:
                    left = until - time.monotonic()
                    if left <= 0 or not self._changed.wait(min(left, 0.5)):
                        if time.monotonic() >= until:
                            return
                        continue
                    continue
            for version, kind, change, stored in fresh:
                since = version
                inside = stored["metadata"]["namespace"] == namespace
                if kind == plural and inside and selects(selector, stored):
                    yield change, copy.deepcopy(stored)

    def _keep(self, key: Key, change: str, stored: Json) -> None:
        self._objects[key] = stored
        self._tell(key[0], change, stored)

    def _tell(self, plural: str, change: str, stored: Json) -> None:
        self._version += 1
        stored["metadata"]["resourceVersion"] = str(self._version)
        self._history.append((self._version, plural, change, copy.deepcopy(stored)))
        self._changed.notify_all()


def selects(selector: str, stored: Json) -> bool:
    """Return whether a selector of equalities selects an object."""
    labels = stored["metadata"].get("labels") or {}
    wanted = (part.partition("=") for part in selector.split(",") if part)
    return all(labels.get(name) == value for name, _, value in wanted)


def now() -> str:
    """Return the time as objects have it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
