"""Kubernetes: one fresh Job for each request, with the limits and the reporter of the Docker sandbox.

Tested against a stub of the API server that runs a pod's commands for real; never tried on a cluster.
The pod is removed whatever happens: by us, else by whoever starts next, else by the cluster's own clock.
"""

from __future__ import annotations

import contextlib
import secrets
import stat
import threading
import time
from concurrent import futures
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from greenline.core.cancel import Cancellation
from greenline.core.error import Cancelled, SandboxUnavailable
from greenline.core.port import SandboxHealth, SandboxRequest, SandboxResult, StagedFile
from greenline.sandbox.host_toolchain import resolve_in_image
from greenline.sandbox.kubernetes_failure import ApiFailure, unavailable
from greenline.sandbox.kubernetes_manifest import (
    Order,
    denies_everything,
    job,
    network_policy,
    own_selector,
    owner_of,
)
from greenline.sandbox.kubernetes_session import KubernetesSession
from greenline.sandbox.kubernetes_settings import KubernetesSettings
from greenline.sandbox.owner import is_orphan, labels
from greenline.sandbox.package_data import sandbox_folder
from greenline.sandbox.project_image import is_project
from greenline.sandbox.staging import tar_blocks

if TYPE_CHECKING:
    from greenline.sandbox.kubernetes_api import Cluster

NOTE = (
    "That pods have no network rests on the cluster's network plug-in, which cannot be checked from here; "
    "each pod tries to reach the cluster's API first, and nothing is run where it can."
)
_ALLOWED_S = 300.0
"""How long what a cluster allowed counts."""
_CANCEL_S = 1.0
"""How long a cancelled run may take to end by itself."""
_NAME_TRIES = 3
_UNKNOWN_USER, _CONFLICT = 401, 409


class KubernetesSandbox:
    """Implements `Sandbox` on a Kubernetes cluster; safe to use from several threads."""

    def __init__(self, settings: KubernetesSettings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._cluster: Cluster | None = None
        self._version = ""
        self._allowed_until = 0.0
        self._shipped = b""
        self._removals: set[threading.Thread] = set()

    def health(self) -> SandboxHealth:
        """Return whether the cluster answers and allows what is needed; never raises."""
        try:
            self._check_image()
            self._ask_version(self._ready())
        except SandboxUnavailable as error:
            return SandboxHealth(False, "kubernetes", problem=error.message, remedy=error.remedy)
        engine = f"kubernetes {self._version}"
        return SandboxHealth(True, "kubernetes", engine, self._settings.image, "image", notes=(NOTE,))

    def run(self, request: SandboxRequest, cancellation: Cancellation) -> SandboxResult:
        """Run a request in a fresh pod; raises `SandboxUnavailable`, or `Cancelled` within 2 s."""
        cancellation.raise_if_cancelled()
        ended = threading.Event()
        pool = ThreadPoolExecutor(1, thread_name_prefix="sandbox-job")
        result = pool.submit(self._run, request, cancellation)
        result.add_done_callback(lambda _: ended.set())
        # It cleans up behind itself, and a cluster that does not answer may keep it for long.
        pool.shutdown(wait=False)
        with cancellation.hook(ended.set):
            ended.wait()
        if cancellation.cancelled and not result.done():
            futures.wait([result], _CANCEL_S)
            if not result.done():
                raise Cancelled("The run was cancelled.")
        return result.result()

    def _run(self, request: SandboxRequest, cancellation: Cancellation) -> SandboxResult:
        self._check_image()
        _check_root(request.root)
        cluster = self._ready()
        cancellation.raise_if_cancelled()
        skipped = resolve_in_image(request.root, self._settings.environment, None).environment
        name = ""
        try:
            name = self._create(cluster, request)
            session = KubernetesSession(cluster, name, request, skipped, self._settings.start_s)
            with contextlib.closing(session), cancellation.hook(session.close):
                return session.run(self._parcel(), cancellation)
        except (SandboxUnavailable, ApiFailure) as error:
            if cancellation.cancelled:
                raise Cancelled("The run was cancelled.") from error
            if isinstance(error, ApiFailure):
                raise unavailable(error, cluster.address) from error
            raise
        finally:
            if name:
                self._remove(cluster, name)

    def wait(self, timeout_s: float = 10.0) -> bool:
        """Wait until used Jobs are removed; return whether they are."""
        deadline = time.monotonic() + timeout_s
        with self._lock:
            left = list(self._removals)
        for thread in left:
            thread.join(max(0.0, deadline - time.monotonic()))
        return not any(thread.is_alive() for thread in left)

    def close(self) -> None:
        """Remove every Job that is left; may be called twice."""
        self.wait()
        with self._lock:
            cluster, self._cluster = self._cluster, None
        if cluster is not None:
            with contextlib.suppress(ApiFailure):
                _reap(cluster)
            cluster.close()

    def _ready(self) -> Cluster:
        """Return the cluster, once it has allowed what is needed; raises `SandboxUnavailable`."""
        with self._lock:
            if self._cluster is None:
                self._cluster = _cluster(self._settings)
            cluster = self._cluster
            if time.monotonic() < self._allowed_until:
                return cluster
            try:
                self._version = cluster.version()
                missing = cluster.missing_rights()
                if missing:
                    raise ApiFailure(403, f"you may not {', '.join(missing)} in {cluster.namespace}")
                policy = network_policy(cluster.namespace)
                cluster.deny_network(policy, denies_everything)
                _reap(cluster)
            except ApiFailure as failure:
                if failure.status == _UNKNOWN_USER:
                    # A new login is in the file, which is read anew.
                    self._cluster = None
                    cluster.close()
                raise unavailable(failure, cluster.address) from failure
            self._allowed_until = time.monotonic() + _ALLOWED_S
            return cluster

    def _ask_version(self, cluster: Cluster) -> None:
        """See that the cluster answers now, whatever it allowed before; raises `SandboxUnavailable`."""
        try:
            self._version = cluster.version()
        except ApiFailure as failure:
            with self._lock:
                self._allowed_until = 0.0
            raise unavailable(failure, cluster.address) from failure

    def _check_image(self) -> None:
        if self._settings.unserved:
            names = " and ".join(f"`{name}`" for name in self._settings.unserved)
            raise SandboxUnavailable(
                f"The sandbox `kubernetes` cannot serve the settings {names}.",
                remedy='Drop them, or set `sandbox` to "docker".',
            )
        if not self._settings.image or is_project(self._settings.image):
            raise SandboxUnavailable(
                "The sandbox is `kubernetes`, and no image of a registry is named.",
                remedy="Name one as `image` in config.toml (GREENLINE_IMAGE) that the cluster can pull.",
            )

    def _create(self, cluster: Cluster, request: SandboxRequest) -> str:
        """Make a Job of a name that nobody has; return the name. Raises `ApiFailure`."""
        tries = _NAME_TRIES
        while True:
            tries -= 1
            name = f"greenline-{secrets.token_hex(6)}"
            order = Order(
                name,
                cluster.namespace,
                self._settings.image,
                request.root,
                request.limits,
                request.label,
                labels(),
                self._settings.start_s,
                self._settings.runtime,
            )
            try:
                cluster.create_job(job(order))
            except ApiFailure as failure:
                if failure.status != _CONFLICT or not tries:
                    # Where only the answer was lost, there is a Job.
                    self._remove(cluster, name)
                    raise
            else:
                return name

    def _parcel(self) -> bytes:
        """Return runner and toolbox as a tar."""
        with self._lock:
            if not self._shipped:
                self._shipped = b"".join(tar_blocks(_shipped_files(), ()))
            return self._shipped

    def _remove(self, cluster: Cluster, name: str) -> None:
        """Remove a Job; nobody waits for it."""

        def remove() -> None:
            with contextlib.suppress(ApiFailure):
                cluster.delete_job(name)
            with self._lock:
                self._removals.discard(thread)

        # Not a daemon: a process that ends waits until its Jobs are gone.
        thread = threading.Thread(target=remove, name="sandbox-remove")
        with self._lock:
            self._removals.add(thread)
        thread.start()


def _cluster(settings: KubernetesSettings) -> Cluster:
    try:
        from greenline.sandbox.kubernetes_api import Cluster
    except ImportError as error:
        raise SandboxUnavailable(
            f"The sandbox is `kubernetes`, and its client is not installed ({error.name} is missing).",
            remedy="Install it with `pip install 'greenline[kubernetes]'`, or set `sandbox` to `docker`.",
        ) from error
    return Cluster(settings.cluster, settings.environment)


def _reap(cluster: Cluster) -> None:
    """Remove Jobs of processes of this machine that are gone."""
    for found in cluster.jobs(own_selector(labels())):
        if is_orphan(owner_of(found)):
            cluster.delete_job(str(found["metadata"]["name"]))


def _check_root(root: str) -> None:
    if ":" in root or any(character < " " for character in root):
        raise SandboxUnavailable(
            f"The folder {root!r} has a character in its path at which no pod can mount anything.",
            remedy="Give it another name.",
        )


def _shipped_files() -> dict[str, StagedFile]:
    """Return the runner's and the toolbox's files; raises `SandboxUnavailable` where one is missing."""
    files: dict[str, StagedFile] = {}
    for name in ("runner", "toolbox"):
        folder = sandbox_folder() / name
        if not folder.is_dir():
            raise SandboxUnavailable(
                f"A part of Greenline is missing: {folder}.",
                remedy="Run `make install` in a checkout, or install the wheel again.",
            )
        for path in folder.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                mode = stat.S_IMODE(path.stat().st_mode) | 0o444
                files[f"{name}/{path.relative_to(folder)}"] = StagedFile(path.read_bytes(), mode)
    return files
