"""Services beside one request: fresh containers that share one loopback with the tests, and nothing else.

The first of them has no network, and all others, the tests' too, join it in that: they reach one another at
127.0.0.1 and nobody outside. All are removed at the end, and by the next start where their owner died.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

import attrs
import docker.errors
import docker.types

from greenline.core.cancel import Cancellation
from greenline.core.error import SandboxUnavailable
from greenline.core.port import Limits
from greenline.core.service import HOST, Service
from greenline.core.visible import visible
from greenline.sandbox.container_arguments import bind, guards
from greenline.sandbox.docker_session import ENGINE_ERRORS
from greenline.sandbox.host_toolchain import resolve
from greenline.sandbox.inside import caller

_CAPABILITIES = ["CHOWN", "DAC_OVERRIDE", "FOWNER", "SETGID", "SETUID"]
"""What entry points need that begin as root, make folders and become a user of their own."""
_ROUND_S = 2.0
_LOG_LINES = 20
_MAX_WORDS = 300
_PIDS = 256

Answers = Callable[[Sequence[int], float], bool]
"""Whether somebody listens at ports, seen from the tests; waits so many seconds for it."""


@attrs.frozen
class ServiceSettings:
    """Which services, and how their containers are made."""

    services: tuple[Service, ...] = ()
    runtime: str | None = None


class ServiceGroup:
    """The services of one request, as a context that removes them."""

    def __init__(
        self, client: Any, settings: ServiceSettings, own_image: Callable[[], str], label: str = ""
    ) -> None:
        """`own_image` returns the image for this machine's programs, which is made where it is missing."""
        self._client = client
        self._settings = settings
        self._own_image = own_image
        self._label = label
        self._containers: list[Any] = []

    @property
    def network(self) -> str:
        """What the tests' container takes for its network."""
        return f"container:{self._containers[0].id}" if self._containers else "none"

    def facts(self) -> list[str]:
        """Return what the outcome of tests can depend on; raises `SandboxUnavailable`, `ENGINE_ERRORS`."""
        return [f"{service} {self._image(service).id}" for service in self._settings.services]

    def __enter__(self) -> ServiceGroup:
        """Start all; raises `SandboxUnavailable` and `ENGINE_ERRORS`."""
        try:
            for service in self._settings.services:
                made = self._arguments(service, self._image(service))
                container = self._client.containers.create(**made)
                self._containers.append(container)
                try:
                    container.start()
                except docker.errors.APIError as error:
                    # Nobody can join one that has ended already.
                    self.check()
                    raise _failed(service, f"did not start: {error.explanation}") from error
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._remove()

    def check(self) -> None:
        """Raise `SandboxUnavailable` with the last words of one that has ended."""
        for service, container in zip(self._settings.services, self._containers, strict=False):
            container.reload()
            if container.status == "exited":
                raise _failed(service, f"ended: {_last_words(container)}")

    def wait(self, answers: Answers, cancellation: Cancellation) -> None:
        """Wait until all listen; raises `SandboxUnavailable` with the last words of one that does not."""
        began = time.monotonic()
        for service, container in zip(self._settings.services, self._containers, strict=True):
            while not answers([service.port], _ROUND_S):
                cancellation.raise_if_cancelled()
                self.check()
                if time.monotonic() - began > service.ready_s:
                    words = _last_words(container)
                    raise _failed(service, f"did not listen at port {service.port} in time: {words}")

    def _image(self, service: Service) -> Any:
        name = self._own_image() if service.image == HOST else service.image
        try:
            return self._client.images.get(name)
        except docker.errors.ImageNotFound as error:
            raise SandboxUnavailable(
                f"The image {name} of the service {service.name} is not on the container engine.",
                remedy=f"Build it there, or fetch it: `docker pull {name}`. Greenline fetches nothing.",
            ) from error

    def _arguments(self, service: Service, image: Any) -> dict[str, Any]:
        limits = Limits(memory_mb=service.memory_mb, pids=_PIDS)
        logs = docker.types.LogConfig(type="json-file", config={"max-size": "1m", "max-file": "1"})
        made: dict[str, Any] = {
            "image": image.id,
            "init": True,
            "healthcheck": {"test": ["NONE"]},
            "read_only": True,
            "cap_add": _CAPABILITIES,
            "shm_size": "128m",
            "environment": dict(service.environment),
            "tmpfs": dict.fromkeys(("/tmp", "/run"), f"rw,nosuid,nodev,size={service.memory_mb}m,mode=1777"),
            "mounts": [_in_memory(path, service) for path in _volumes(image)],
            "log_config": logs,
            **guards(limits, self._settings.runtime, self._label),
            "network_mode": self.network,
        }
        if service.command:
            made["command"] = list(service.command)
        return {**made, **_on_this_machine(service)} if service.image == HOST else made

    def _remove(self) -> None:
        for container in reversed(self._containers):
            with contextlib.suppress(*ENGINE_ERRORS):
                container.remove(force=True, v=True)


def _volumes(image: Any) -> list[str]:
    return list((image.attrs.get("Config") or {}).get("Volumes") or {})


def _in_memory(path: str, service: Service) -> Any:
    """Return a folder in the place of an image's volume, which would lie on the disk without a bound."""
    size = service.memory_mb * 1024 * 1024
    return docker.types.Mount(path, None, type="tmpfs", tmpfs_size=size, tmpfs_mode=0o1777)


def _on_this_machine(service: Service) -> dict[str, Any]:
    """Return what a service has that is this machine's own program."""
    uid, gid = caller()
    system = resolve("/nowhere", {}, ("python", "node")).mounts
    return {
        "user": f"{uid}:{gid}",
        "cap_add": [],
        "working_dir": "/tmp",
        "mounts": [bind(mount.source, mount.target) for mount in system],
        "environment": {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/tmp", **dict(service.environment)},
    }


def _last_words(container: Any) -> str:
    with contextlib.suppress(*ENGINE_ERRORS):
        said = container.logs(tail=_LOG_LINES).decode("utf-8", "replace").split("\n")
        lines = [line.strip() for line in said if line.strip()]
        if lines:
            return visible(lines[-1])[:_MAX_WORDS]
    return "it said nothing"


def _failed(service: Service, words: str) -> SandboxUnavailable:
    return SandboxUnavailable(
        f"The service {service.name} ({service.image}) {words.rstrip('.')}.",
        remedy=f"Look at [services.{service.name}] in config.toml.",
    )
