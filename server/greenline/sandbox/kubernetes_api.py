"""The parts of the Kubernetes API that the sandbox uses; the only importer of the official client.

Objects are plain JSON, as the server sends them. Every call raises `ApiFailure`, and is over in seconds.
"""

from __future__ import annotations

import contextlib
import json
import re
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import urllib3
import websocket
from kubernetes import client, config
from kubernetes.client.exceptions import ApiException
from kubernetes.config.config_exception import ConfigException
from kubernetes.stream import stream

from greenline.core.error import SandboxUnavailable
from greenline.sandbox.kubernetes_exec import KubernetesExec
from greenline.sandbox.kubernetes_failure import ApiFailure, Json, status_words
from greenline.sandbox.kubernetes_manifest import LABEL_JOB, POLICY
from greenline.sandbox.kubernetes_settings import IN_CLUSTER, ClusterSettings

_CONNECT_S, _ANSWER_S = 5.0, 20.0
_NAMESPACE_FILE = Path("/var/run/secrets/kubernetes.io/serviceaccount/namespace")
_NEEDED = (
    ("create", "batch", "jobs", ""),
    ("list", "batch", "jobs", ""),
    ("delete", "batch", "jobs", ""),
    ("list", "", "pods", ""),
    ("watch", "", "pods", ""),
    ("create", "", "pods", "exec"),
    ("get", "", "pods", "exec"),
    ("get", "networking.k8s.io", "networkpolicies", ""),
)
"""Verb, group, resource and subresource of all that a verification cannot do without."""


class Cluster:
    """One namespace of one cluster; safe to use from several threads."""

    def __init__(self, settings: ClusterSettings, environment: Mapping[str, str]) -> None:
        """Read who and where; nothing is asked yet. Raises `SandboxUnavailable`."""
        configuration = client.Configuration()
        # A lost answer to a question may be asked for again; what changes something is not.
        configuration.retries = urllib3.Retry(total=1, connect=0, redirect=0, other=0)
        usual = _load(configuration, settings, environment)
        self.namespace = settings.namespace or usual or "default"
        self.address: str = configuration.host
        self._configuration = configuration
        websocket.setdefaulttimeout(_ANSWER_S)
        self._client = client.ApiClient(configuration)
        self._core = client.CoreV1Api(self._client)
        self._batch = client.BatchV1Api(self._client)
        self._networking = client.NetworkingV1Api(self._client)
        self._authorization = client.AuthorizationV1Api(self._client)

    def version(self) -> str:
        """Return the server's version, `v1.33.1`."""
        return str(self._ask(client.VersionApi(self._client).get_code).get("gitVersion", "of no version"))

    def missing_rights(self) -> tuple[str, ...]:
        """Return what a verification needs and the user may not, such as `create jobs.batch`."""
        return tuple(words for needed in _NEEDED if (words := self._refused(*needed)))

    def create_job(self, body: Json) -> None:
        """Make a Job."""
        self._ask(self._batch.create_namespaced_job, self.namespace, body)

    def delete_job(self, name: str) -> None:
        """Remove a Job and its pod, which comes first; one that is gone is no failure."""
        options = {"propagationPolicy": "Foreground"}
        with contextlib.suppress(NotThere):
            self._ask(self._batch.delete_namespaced_job, name, self.namespace, body=options)

    def jobs(self, selector: str) -> list[Json]:
        """Return the Jobs that a selector selects."""
        found = self._ask(self._batch.list_namespaced_job, self.namespace, label_selector=selector)
        return list(found.get("items", ()))

    def pods(self, job: str) -> tuple[list[Json], str]:
        """Return the pods of a Job, and the version of the list, from which a watch goes on."""
        found = self._ask(self._core.list_namespaced_pod, self.namespace, label_selector=f"{LABEL_JOB}={job}")
        return list(found.get("items", ())), str(found.get("metadata", {}).get("resourceVersion", ""))

    def watch(self, job: str, version: str, seconds: int) -> Watching:
        """Return the changes of a Job's pods since a version; a failure of status 410 wants a new list."""
        response = self._raw(
            self._core.list_namespaced_pod,
            self.namespace,
            label_selector=f"{LABEL_JOB}={job}",
            watch=True,
            resource_version=version,
            timeout_seconds=seconds,
            allow_watch_bookmarks=True,
            _request_timeout=(_CONNECT_S, seconds + _ANSWER_S),
        )
        return Watching(response)

    def events(self, name: str) -> str:
        """Return what the cluster last said of an object; empty where nothing, or where it is not told us."""
        try:
            found = self._ask(
                self._core.list_namespaced_event,
                self.namespace,
                field_selector=f"involvedObject.name={name},type=Warning",
            )
        except ApiFailure:
            return ""
        said = [str(event.get("message", "")) for event in found.get("items", ())]
        return said[-1] if said else ""

    def log(self, pod: str, container: str) -> str:
        """Return the end of what a container printed; empty where it is not told us."""
        try:
            response = self._raw(
                self._core.read_namespaced_pod_log,
                pod,
                self.namespace,
                container=container,
                tail_lines=20,
                limit_bytes=4096,
            )
        except ApiFailure:
            return ""
        with contextlib.closing(response):
            return str(response.data.decode("utf-8", "replace"))

    def deny_network(self, body: Json, is_enough: Callable[[Json], bool]) -> None:
        """Have the policy in force, made or mended where it must be."""
        try:
            if not is_enough(
                self._ask(self._networking.read_namespaced_network_policy, POLICY, self.namespace)
            ):
                self._ask(self._networking.replace_namespaced_network_policy, POLICY, self.namespace, body)
        except NotThere:
            try:
                self._ask(self._networking.create_namespaced_network_policy, self.namespace, body)
            except ApiFailure as failure:
                # Another process was first.
                if failure.status != 409:
                    raise

    def execute(
        self, pod: str, container: str, argv: Sequence[str], *, has_input: bool = False
    ) -> KubernetesExec:
        """Start a process in a container of a pod."""
        # While it connects, `stream` replaces its client's `call_api`: it gets a client of its own.
        own = client.ApiClient(self._configuration)
        try:
            connected = stream(
                client.CoreV1Api(own).connect_get_namespaced_pod_exec,
                pod,
                self.namespace,
                container=container,
                command=list(argv),
                stdin=has_input,
                stdout=True,
                stderr=True,
                tty=False,
                _preload_content=False,
                binary=True,
            )
        except ApiException as error:
            raise _failure(error) from error
        finally:
            own.close()
        return KubernetesExec(connected.sock, connected.subprotocol or "")

    def close(self) -> None:
        """Give the connections back; may be called twice."""
        self._client.close()

    def _refused(self, verb: str, group: str, resource: str, subresource: str) -> str:
        attributes = {"namespace": self.namespace, "verb": verb, "group": group, "resource": resource}
        if subresource:
            attributes["subresource"] = subresource
        body = {"spec": {"resourceAttributes": attributes}}
        found = self._ask(self._authorization.create_self_subject_access_review, body)
        if found.get("status", {}).get("allowed"):
            return ""
        what = f"{resource}/{subresource}" if subresource else resource
        return f"{verb} {what}.{group}" if group else f"{verb} {what}"

    def _ask(self, call: Callable[..., Any], *arguments: Any, **named: Any) -> Json:
        response = self._raw(call, *arguments, **named)
        try:
            with contextlib.closing(response):
                found = json.loads(response.data or b"{}")
        except (ValueError, OSError, urllib3.exceptions.HTTPError) as error:
            raise _failure(error) from error
        return found if isinstance(found, dict) else {}

    def _raw(self, call: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        named.setdefault("_request_timeout", (_CONNECT_S, _ANSWER_S))
        try:
            return call(*arguments, _preload_content=False, **named)
        except (ApiException, urllib3.exceptions.HTTPError, OSError) as error:
            raise _failure(error) from error
        except ValueError as error:
            # The client looks at what it sends; what it refuses, the server would refuse as well.
            raise ApiFailure(422, str(error)) from error


class NotThere(ApiFailure):
    """The object is not there."""


class Watching:
    """The changes that a server tells of; read by one thread, ended by any."""

    def __init__(self, response: Any) -> None:
        self._response = response
        self._lock = threading.Lock()
        self._stopped = False

    def __iter__(self) -> Iterator[tuple[str, Json]]:
        rest = b""
        try:
            for piece in self._response.stream(amt=None, decode_content=False):
                *lines, rest = (rest + piece).split(b"\n")
                for line in lines:
                    if line.strip():
                        yield _change(line)
        except (urllib3.exceptions.HTTPError, OSError, ValueError, AttributeError) as error:
            if not self._stopped:
                raise _failure(error) from error
        finally:
            with self._lock:
                self._response.close()

    def stop(self) -> None:
        """End it; whoever reads finds no more."""
        self._stopped = True
        with self._lock, contextlib.suppress(Exception):
            # Closing a response that another thread reads waits for that thread.
            self._response.connection.sock.shutdown(socket.SHUT_RDWR)


def _change(line: bytes) -> tuple[str, Json]:
    event = json.loads(line)
    kind, found = str(event["type"]), dict(event["object"])
    if kind == "ERROR":
        raise ApiFailure(int(found.get("code", 500)), str(found.get("message", "the watch failed")))
    return kind, found


def _load(configuration: Any, settings: ClusterSettings, environment: Mapping[str, str]) -> str:
    """Fill in the client's configuration; return the context's namespace, or empty."""
    home = Path(environment.get("HOME") or "~").expanduser()
    path = settings.config or environment.get("KUBECONFIG") or str(home / ".kube" / "config")
    is_inside = settings.config == IN_CLUSTER or (
        not settings.config and not Path(path).exists() and "KUBERNETES_SERVICE_HOST" in environment
    )
    try:
        if is_inside:
            config.load_incluster_config(client_configuration=configuration)
            return _NAMESPACE_FILE.read_text("utf-8").strip() if _NAMESPACE_FILE.is_file() else ""
        config.load_kube_config(
            path, settings.context or None, client_configuration=configuration, persist_config=False
        )
        contexts, active = config.list_kube_config_contexts(path)
    except (ConfigException, OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        place = "this pod" if is_inside else path
        raise SandboxUnavailable(
            f"{place} says of no cluster how to reach it: {error}.",
            remedy="Name a kubeconfig as `kubernetes_config` and a context of it as `kubernetes_context`.",
        ) from error
    wanted = settings.context or active["name"]
    chosen: Json = next((found for found in contexts if found["name"] == wanted), {})
    return str((chosen.get("context") or {}).get("namespace") or "")


def _failure(error: Exception) -> ApiFailure:
    """Return what an exception of the client's, or below it, comes to."""
    if isinstance(error, ApiException):
        reason = str(error.reason or "")
        shaken = re.match(r"Handshake status (\d{3}) ?(.*?)(?: -\+-\+-|$)", reason, re.DOTALL)
        if shaken is not None:
            body = re.search(r"-\+-\+- (?:b')?(\{\".*\})'?$", reason, re.DOTALL)
            return _kind(int(shaken[1]), status_words(body[1] if body else None, shaken[2]))
        return _kind(int(error.status or 0), status_words(error.body, reason))
    text = str(error)
    # The innermost of the library's wrappings says what it is.
    inner = re.search(r"\[Errno -?\d+\] [^'\")]+", text)
    return ApiFailure(0, inner[0] if inner else text or type(error).__name__)


def _kind(status: int, words: str) -> ApiFailure:
    return NotThere(status, words) if status == 404 else ApiFailure(status, words)
