"""What a cluster says when it refuses or fails, as one sentence and what to do; pure.

Invariant: every way in which a pod cannot be had, or is lost, has a remedy here.
"""

from __future__ import annotations

import json
from typing import Any

from greenline.core.error import SandboxUnavailable

ROLE = "docs/sandbox.md shows the Role that Greenline needs"
_UNPULLABLE = ("ErrImageNeverPull", "ImageInspectError", "ImagePullBackOff", "InvalidImageName")
"""Reasons with which a node has given up, at least for a while; `ErrImagePull` alone may pass."""
_UNSTARTABLE = ("CreateContainerConfigError", "CreateContainerError", "RunContainerError", "CrashLoopBackOff")
_TAKEN_AWAY = ("DisruptionTarget",)
"""Conditions of a pod that the cluster is about to end: its node is lost, drained or full."""
_CLIPPED = 400

Json = dict[str, Any]
"""An object as the API server sends it."""


class ApiFailure(Exception):
    """The API server refused a request, or did not answer it."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status
        """The HTTP status; 0 where there was no answer."""
        self.words = clipped(words)


def clipped(words: str) -> str:
    """Return words on one line, without a stop at their end, of a length that can be read."""
    line = " ".join(words.split()).rstrip(".")
    return line if len(line) <= _CLIPPED else f"{line[:_CLIPPED]}…"


def status_words(body: str | bytes | None, reason: str) -> str:
    """Return the message of a `Status` object, or else the HTTP reason."""
    try:
        message = json.loads(body or "")["message"]
    except (ValueError, TypeError, KeyError):
        return reason
    return str(message) or reason


def unavailable(failure: ApiFailure, address: str) -> SandboxUnavailable:
    """Return what a refused request means for the user."""
    status, words = failure.status, failure.words
    if status == 401:
        message = f"The cluster at {address} does not know you: {words}."
        return SandboxUnavailable(message, remedy="Log in to it again, or name another context.")
    if status == 403:
        message = f"The cluster refuses what a verification needs: {words}."
        return SandboxUnavailable(message, remedy=f"Ask for these rights in the namespace: {ROLE}.")
    if status == 404:
        message = f"The cluster has not what a verification needs: {words}."
        return SandboxUnavailable(
            message, remedy="Name a namespace that exists as `kubernetes_namespace`, or make it."
        )
    if status in (400, 422):
        message = f"The cluster does not take the pod: {words}."
        return SandboxUnavailable(
            message,
            remedy="Check `image`, `runtime` and the limits in the settings against the cluster's rules.",
        )
    if status == 429 or status >= 500:
        message = f"The cluster at {address} is overloaded or ill: {words}."
        return SandboxUnavailable(message, remedy="Try again in a while.")
    return SandboxUnavailable(
        f"The cluster at {address} does not answer: {words}.",
        remedy="Check with `kubectl version` that it can be reached, and that the context is the right one.",
    )


def cut(what: str) -> SandboxUnavailable:
    """Return the failure of a connection that ended before its process did."""
    return SandboxUnavailable(
        f"The connection to the pod was cut {what}.",
        remedy="Verify again; where it happens often, look for a proxy that ends long connections.",
    )


def pod_trouble(pod: Json) -> SandboxUnavailable | None:
    """Return why a pod can never run, or no longer runs; None where it runs or may yet."""
    for state in _waiting(pod):
        reason, message = state.get("reason", ""), clipped(state.get("message", ""))
        if reason in _UNPULLABLE:
            return SandboxUnavailable(
                f"The cluster cannot fetch the image: {message or reason}.",
                remedy="Check the name in the setting `image`, and that the namespace may pull it.",
            )
        if reason in _UNSTARTABLE:
            return SandboxUnavailable(
                f"A container of the pod does not start: {message or reason}.",
                remedy="The image must run as any user with a read-only root, and have python3; "
                "docs/sandbox.md lists what else.",
            )
    return _lost(pod)


def _lost(pod: Json) -> SandboxUnavailable | None:
    status = pod.get("status", {})
    if status.get("reason") == "DeadlineExceeded":
        return SandboxUnavailable(
            "The cluster ended the pod after its whole time.",
            remedy="Raise `kubernetes_start_s` where pods start slowly, or `wall_s`.",
        )
    for condition in status.get("conditions", ()):
        if condition.get("type") in _TAKEN_AWAY and condition.get("status") == "True":
            return _gone(condition.get("message") or condition.get("reason", ""))
    ended = _ended(pod)
    # Where one container ends and another does not, a pod is running still.
    is_over = status.get("phase") in ("Failed", "Succeeded", "Unknown") or ended
    if is_over or "deletionTimestamp" in pod["metadata"]:
        return _gone(status.get("message") or status.get("reason") or ended or "it was deleted")
    return None


def _gone(words: str) -> SandboxUnavailable:
    return SandboxUnavailable(
        f"The pod was taken away: {clipped(words) or 'nobody says why'}.",
        remedy="Verify again; where it happens often, ask for nodes that are not drained or short of memory.",
    )


def _ended(pod: Json) -> str:
    for status in _containers(pod):
        ended = status.get("state", {}).get("terminated")
        if ended:
            why = ended.get("message") or ended.get("reason", "")
            return f"its container {status.get('name')} ended with {ended.get('exitCode')} ({why})"
    return ""


def missing_pod(job: str) -> SandboxUnavailable:
    """Return the failure of a pod that is not there any more."""
    return _gone(f"{job} was deleted")


def not_started(pod: Json | None, events: str, waited_s: float) -> SandboxUnavailable:
    """Return why there is no running pod after so many seconds; `events` are what the cluster said."""
    conditions = [] if pod is None else pod.get("status", {}).get("conditions", [])
    for condition in conditions:
        if condition.get("type") == "PodScheduled" and condition.get("status") == "False":
            return SandboxUnavailable(
                f"No node of the cluster took the pod within {waited_s:g} s: "
                f"{clipped(condition.get('message', '') or condition.get('reason', ''))}.",
                remedy="Lower `memory_mb`, `cpus` or `tmpfs_mb`, or give the cluster more nodes; raise "
                "`kubernetes_start_s` where nodes are made on demand.",
            )
    if pod is None and events:
        return SandboxUnavailable(
            f"The cluster makes no pod: {clipped(events)}.",
            remedy="The namespace's quota or admission rules forbid it: ask for more, or lower the limits.",
        )
    waits = next((clipped(s.get("message") or s.get("reason", "")) for s in _waiting(pod)), "")
    words = waits or clipped(events) or "nothing was said of it"
    return SandboxUnavailable(
        f"The pod did not start within {waited_s:g} s: {words}.",
        remedy="Raise `kubernetes_start_s` where images are large or nodes slow.",
    )


def is_running(pod: Json) -> bool:
    """Return whether every container of a pod runs."""
    found = _containers(pod)
    return bool(found) and all("running" in status.get("state", {}) for status in found)


def out_of_memory(pod: Json, container: str) -> bool:
    """Return whether a container was ended for want of memory."""
    for status in _containers(pod):
        ended = status.get("state", {}).get("terminated") or status.get("lastState", {}).get("terminated")
        if status.get("name") == container and ended and ended.get("reason") == "OOMKilled":
            return True
    return False


def _containers(pod: Json | None) -> list[Json]:
    found: list[Json] = [] if pod is None else pod.get("status", {}).get("containerStatuses", [])
    return found


def _waiting(pod: Json | None) -> list[Json]:
    return [status["state"]["waiting"] for status in _containers(pod) if "waiting" in status.get("state", {})]
