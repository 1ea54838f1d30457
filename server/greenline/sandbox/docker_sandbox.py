"""Docker: one fresh, limited container for each request. The only importer of docker-py.

The tree is streamed into a tmpfs at the project's own path, so that nothing of the user's is ever writable;
tests and reporter run under two different unprivileged users, and the container is removed whatever happens.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs
import docker
import docker.errors

from greenline.core.cancel import Cancellation
from greenline.core.error import Cancelled, SandboxUnavailable
from greenline.core.port import SandboxHealth, SandboxRequest, SandboxResult, Tree
from greenline.core.service import Service
from greenline.sandbox import base_image, podman
from greenline.sandbox.container_arguments import arguments, shipped_mounts
from greenline.sandbox.container_pool import Arguments, ContainerPool
from greenline.sandbox.docker_session import ENGINE_ERRORS, Session
from greenline.sandbox.engine import REMEDY, candidate_hosts, knock
from greenline.sandbox.fingerprint import folders_fingerprint
from greenline.sandbox.host_toolchain import HostToolchain, Image, Without, resolve, resolve_in_image
from greenline.sandbox.inside import REPORTER_UID, caller, check_root, memory_folders
from greenline.sandbox.lock_toolchain import Base, LockSettings, LockToolchain, Receive
from greenline.sandbox.project_image import is_project, wanted_image
from greenline.sandbox.reaper import reap_orphans
from greenline.sandbox.service_group import ServiceGroup, ServiceSettings

_CONNECT_S = 5
_CALL_S = 60


@attrs.frozen
class SandboxSettings:
    """What the user chose about the sandbox."""

    docker_host: str | None = None
    runtime: str | None = None
    """An OCI runtime such as `runsc`, or None for the engine's default."""
    toolchain: str = "host"
    """`host`, `image` or `lock`."""
    image: str = ""
    """The image of the toolchain `image`, which must be on the engine: nothing is fetched. With `lock` it is
    what packages are installed for; empty: this machine."""
    lock: LockSettings = attrs.field(factory=LockSettings)
    """What the toolchain `lock` needs."""
    services: tuple[Service, ...] = ()
    """What runs beside the tests, anew for each request."""
    variables: tuple[tuple[str, str], ...] = ()
    """What the user hands to the tests; what the sandbox itself sets goes before."""
    environment: Mapping[str, str] = attrs.field(factory=lambda: dict(os.environ))
    """The user's environment: read to find the engine and the interpreter, never passed on."""
    n_ready: int = 0
    """How many containers are started ahead for the next request; for a process that lives on."""

    @property
    def uses_image(self) -> bool:
        """Whether the programs are an image's, and not this machine's."""
        return self.toolchain == "image" or (self.toolchain == "lock" and bool(self.image))


class DockerSandbox:
    """Implements `Sandbox` on a Docker engine; safe to use from several threads."""

    def __init__(self, settings: SandboxSettings | None = None) -> None:
        self._settings = settings or SandboxSettings()
        self._lock = threading.Lock()
        self._client: Any = None
        self._engine = ""
        self._adaptation: podman.Adaptation | None = None
        """Where the engine is Podman: what it wants instead."""
        self._images: dict[str, Image] = {}
        self._base: tuple[str, bytes] | None = None
        # A container belongs to its services from its start.
        n_ready = 0 if self._settings.services else self._settings.n_ready
        self._pool = ContainerPool(lambda a: self._connect().containers.create(**a), n_ready)
        self._lock_files = LockToolchain(self._settings.lock, self._settings.environment, self.install)

    def health(self) -> SandboxHealth:
        """Return whether an engine answers and the image can be had; never raises."""
        try:
            shipped_mounts()
            client = self._connect()
            image = self._health_image(client)
            self._services(client).facts()
            client.ping()
        except SandboxUnavailable as error:
            return SandboxHealth(False, "docker", problem=error.message, remedy=error.remedy)
        except ENGINE_ERRORS as error:
            problem = f"The container engine does not answer any more: {_words(error)}."
            return SandboxHealth(False, "docker", problem=problem, remedy=REMEDY)
        return SandboxHealth(
            True,
            self._engine.partition(" ")[0],
            self._engine,
            image,
            self._settings.toolchain,
            warning=self._adaptation.warning if self._adaptation else "",
        )

    def run(self, request: SandboxRequest, cancellation: Cancellation) -> SandboxResult:
        """Run a request in a fresh container; raises `SandboxUnavailable`, or `Cancelled` within 2 s."""
        cancellation.raise_if_cancelled()
        check_root(request.root)
        client = self._connect()
        container = wanted = None
        with (
            self._toolchain(request, cancellation) as toolchain,
            _told(cancellation),
            self._services(client, request.label) as services,
        ):
            try:
                wanted = {**self._for_tests(client, request, toolchain), "network_mode": services.network}
                try:
                    container = self._pool.take(wanted)
                except ENGINE_ERRORS:
                    services.check()
                    raise
                if self._adaptation:
                    podman.bound(container, memory_folders(request.root, request.limits))
                session = Session(client, container, request, toolchain, caller())
                if self._settings.runtime is not None:
                    session.watch_end()
                with cancellation.hook(session.kill):
                    services.wait(session.answers, cancellation)
                    return session.run(cancellation)
            finally:
                if container is not None and wanted is not None:
                    self._pool.give_back(container, wanted)

    def fingerprint(self, request: SandboxRequest) -> str:
        """Return a hash of container, engine, machine and of all that is mounted; see `Fingerprinted`."""
        client = self._connect()
        packages = ""
        if self._settings.toolchain == "lock":
            toolchain, packages = self._lock_files.planned(request, self._base_of(client, request))
        else:
            toolchain = self._base_of(client, request).resolve(())
        with _told(None):
            wanted = self._for_tests(client, request, toolchain)
            services = self._services(client).facts()
        container = {name: value for name, value in wanted.items() if name != "labels"}
        machine = [platform.release(), platform.machine(), os.cpu_count()]
        tools = [toolchain.python, toolchain.environment]
        beside = [packages, services]
        facts = json.dumps([self._engine, machine, tools, beside, container], sort_keys=True, default=str)
        modules = os.path.realpath(dict(toolchain.variables).get("GOMODCACHE", "/nowhere"))
        folders = folders_fingerprint((mount["Source"] for mount in wanted["mounts"]), modules)
        return hashlib.blake2b(f"{facts}\n{folders}".encode(), digest_size=20).hexdigest()

    def install(
        self,
        request: SandboxRequest,
        toolchain: HostToolchain,
        cancellation: Cancellation,
        folders: Sequence[str],
        receive: Receive,
    ) -> SandboxResult:
        """Run an install, and hand on what it made where it went well; see `Launch`."""
        client = self._connect()
        container = None
        try:
            with _told(cancellation):
                container = client.containers.create(**self._arguments(client, request, toolchain))
                container.start()
                session = Session(client, container, request, toolchain, caller())
                with cancellation.hook(session.kill):
                    result = session.run(cancellation)
                    if result.exit_code == 0 and not result.timed_out:
                        # What an install leaves running could hold up the program that reads.
                        timer = threading.Timer(request.limits.wall_s, session.kill)
                        timer.start()
                        try:
                            receive(session.collect(folders))
                        finally:
                            timer.cancel()
                    cancellation.raise_if_cancelled()
                return result
        finally:
            if container is not None:
                with contextlib.suppress(*ENGINE_ERRORS):
                    container.remove(force=True, v=True)

    def wait(self, timeout_s: float = 10.0) -> bool:
        """Wait until used containers are gone and those started ahead are ready; return whether they are."""
        return self._pool.wait(timeout_s)

    def close(self) -> None:
        """Remove every container that is left; may be called twice."""
        self._pool.close()
        if self._client is not None:
            # The engine may have been making one while its owner died, and had it after we looked.
            reap_orphans(self._client)

    def _services(self, client: Any, label: str = "") -> ServiceGroup:
        if self._adaptation and self._settings.services:
            raise SandboxUnavailable(
                "Services beside the tests are not tried with Podman.",
                remedy="Use Docker's engine for them (DOCKER_HOST), or drop the setting `services`.",
            )
        settings = ServiceSettings(self._settings.services, self._settings.runtime)
        return ServiceGroup(client, settings, lambda: self._own_image(client).identity, label)

    def _connect(self) -> Any:
        with self._lock:
            if self._client is not None:
                return self._client
            hosts = candidate_hosts(self._settings.docker_host, self._settings.environment)
            problem = "No container engine was found."
            for host in hosts:
                try:
                    knock(host, _CONNECT_S)
                    client = docker.DockerClient(base_url=host, timeout=_CONNECT_S)
                    version = client.version()
                    client.api.timeout = _CALL_S
                    information = client.info()
                except ENGINE_ERRORS as error:
                    problem = f"No container engine answers at {host}: {_words(error)}."
                    continue
                reap_orphans(client)
                try:
                    self._check_runtime(information, version)
                    self._engine = podman.words(version, self._settings.runtime)
                    if podman.is_podman(version):
                        self._adaptation = podman.adaptation(host, self._settings.environment)
                except SandboxUnavailable:
                    client.close()
                    raise
                self._client = client
                return client
            raise SandboxUnavailable(problem, remedy=REMEDY)

    def _check_runtime(self, information: dict[str, Any], version: dict[str, Any]) -> None:
        wanted = self._settings.runtime
        runtimes = list(information.get("Runtimes") or {})
        if wanted is not None and podman.is_podman(version):
            podman.check_runtime(wanted, information)
        elif wanted is not None and wanted not in runtimes:
            known = ", ".join(sorted(runtimes)) or "none"
            raise SandboxUnavailable(
                f"The container engine has no runtime {wanted}; it has {known}.",
                remedy="Install it and name it in the engine's configuration, or drop the setting `runtime`.",
            )

    @contextlib.contextmanager
    def _toolchain(self, request: SandboxRequest, cancellation: Cancellation) -> Iterator[HostToolchain]:
        """Yield what a request runs with; what was installed for it stays meanwhile."""
        base = self._base_of(self._connect(), request)
        if self._settings.toolchain == "lock":
            with self._lock_files.hold(request, base, cancellation) as toolchain:
                yield toolchain
        else:
            yield base.resolve(())

    def _base_of(self, client: Any, request: SandboxRequest) -> Base:
        """Return what a request runs with before anything is installed for it."""
        root, environment = request.root, self._settings.environment
        if not self._settings.uses_image:
            return Base("", lambda without: resolve(root, environment, without))
        with _told(None):
            image = self._named_image(client, request.tree)

        def in_image(without: Sequence[Without]) -> HostToolchain:
            return resolve_in_image(root, environment, image, without)

        return Base(image.identity, in_image)

    def _health_image(self, client: Any) -> str:
        """Return the identity of the image that every project has; empty where each says its own."""
        if not self._settings.uses_image:
            return self._own_image(client).identity
        if is_project(self._settings.image):
            return ""
        return self._named_image(client, {}).identity

    def _named_image(self, client: Any, tree: Tree) -> Image:
        """Return the image that was chosen, as it is now: it may have been built anew since."""
        if not self._settings.image:
            raise SandboxUnavailable(
                "The toolchain is `image`, and no image is named.",
                remedy="Name one as `image` in config.toml (GREENLINE_IMAGE), or set `toolchain` to `host`.",
            )
        wanted = wanted_image(self._settings.image, tree)
        try:
            found = client.images.get(wanted.name)
        except docker.errors.ImageNotFound as error:
            raise SandboxUnavailable(
                f"The image {wanted.name} is not on the container engine.", remedy=wanted.remedy
            ) from error
        variables = (found.attrs.get("Config") or {}).get("Env") or []
        own = dict(variable.partition("=")[::2] for variable in variables)
        return Image(str(found.id), own.get("PATH", ""))

    def _own_image(self, client: Any) -> Image:
        """Return the empty image for this machine's programs; it is imported where the engine has it not."""
        uid, gid = caller()
        with self._lock:
            if self._base is None:
                self._base = base_image.build(uid, gid, REPORTER_UID)
            tag, data = self._base
            if tag in self._images:
                return self._images[tag]
            try:
                try:
                    image = client.images.get(tag)
                except docker.errors.ImageNotFound:
                    name, version = tag.split(":")
                    said = client.api.import_image_from_data(data, repository=name, tag=version)
                    # Podman does not give it its tag.
                    client.images.get(json.loads(said)["status"]).tag(name, version)
                    image = client.images.get(tag)
            except ENGINE_ERRORS as error:
                raise SandboxUnavailable(
                    f"The image {tag} is missing: {_words(error)}.", remedy=REMEDY
                ) from error
            self._images[tag] = Image(str(image.id))
            return self._images[tag]

    def _arguments(self, client: Any, request: SandboxRequest, toolchain: HostToolchain) -> Arguments:
        image = toolchain.image or self._own_image(client)
        made = arguments(request, toolchain, image, self._settings.runtime)
        if self._adaptation:
            return self._adaptation.adapt(made, memory_folders(request.root, request.limits))
        return made

    def _for_tests(self, client: Any, request: SandboxRequest, toolchain: HostToolchain) -> Arguments:
        """Return the arguments of a container of tests: it alone has the variables that the user names."""
        made = self._arguments(client, request, toolchain)
        return {**made, "environment": {**dict(self._settings.variables), **made["environment"]}}


@contextlib.contextmanager
def _told(cancellation: Cancellation | None) -> Iterator[None]:
    """Turn what the engine says into `SandboxUnavailable`, or into `Cancelled` where that is why."""
    try:
        yield
    except SandboxUnavailable:
        # A container killed while it is being filled looks like a sick one.
        if cancellation is not None:
            cancellation.raise_if_cancelled()
        raise
    except ENGINE_ERRORS as error:
        if cancellation is not None and cancellation.cancelled:
            raise Cancelled("The run was cancelled.") from error
        raise SandboxUnavailable(f"The container engine failed: {_words(error)}.", remedy=REMEDY) from error


def _words(error: BaseException) -> str:
    text = str(getattr(error, "explanation", None) or error).strip().splitlines()
    return (text[0] if text else type(error).__name__).rstrip(".")
