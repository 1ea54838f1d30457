"""Which sandbox the settings ask for: one engine's, a cluster's, or a queue before several of them.

Imports stay inside the functions that need them: docker's and the cluster's clients are heavy.
"""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from greenline.config.settings import Settings
    from greenline.core.port import Sandbox
    from greenline.sandbox.queued_sandbox import SharedQueue


def make_sandbox(settings: Settings, *, n_ready: int = 0) -> Sandbox:
    """Return the sandbox of the settings; whether it can be used is for `health` to say.

    `n_ready` containers are started ahead for the next request, for a process that lives on.
    Where there are several engines, all sandboxes of a process share one queue.
    """
    if len(settings.engines) > 1:
        from greenline.sandbox.queued_sandbox import QueuedSandbox

        return QueuedSandbox(_shared_queue(settings, n_ready))
    for name in settings.engines:
        settings = _of_engine(settings, name)
    if settings.sandbox == "kubernetes":
        return _kubernetes_sandbox(settings)
    if settings.sandbox == "bubblewrap":
        from greenline.sandbox.bubblewrap_sandbox import BubblewrapSandbox, BubblewrapSettings

        given = {"services": settings.services, "runtime": settings.runtime}
        unserved = tuple(name for name, value in given.items() if value)
        variables = passed_variables(settings)[0]
        return BubblewrapSandbox(BubblewrapSettings(settings.toolchain, variables, unserved))
    from greenline.sandbox.docker_sandbox import DockerSandbox, SandboxSettings
    from greenline.sandbox.lock_toolchain import LockSettings

    return DockerSandbox(
        SandboxSettings(
            docker_host=settings.docker_host,
            runtime=settings.runtime,
            toolchain=settings.toolchain,
            image=settings.image,
            lock=LockSettings(
                settings.registries, settings.lock_files, settings.packages_quota_mb, settings.limits
            ),
            services=settings.services,
            variables=passed_variables(settings)[0],
            n_ready=n_ready,
        )
    )


def passed_variables(settings: Settings) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """Return the variables that tests get, and the names of those that hold a secret, which they do not."""
    from greenline.guard.secrets import known_secrets

    secret = set(known_secrets(os.environ, settings.api_key))
    found: dict[str, str] = {}
    refused: list[str] = []
    for text in settings.variables:
        name, has_value, value = text.partition("=")
        value = value if has_value else os.environ.get(name, "")
        if any(one in value for one in secret):
            refused.append(name)
        elif has_value or name in os.environ:
            found[name] = value
    return tuple(found.items()), tuple(refused)


@cache
def _shared_queue(settings: Settings, n_ready: int) -> SharedQueue:
    """Return the queue of this process before the engines of the settings."""
    from greenline.sandbox.engine_queue import Engine, EngineQueue
    from greenline.sandbox.queued_sandbox import SharedQueue

    def make() -> EngineQueue:
        engines = [
            Engine(name, make_sandbox(_of_engine(settings, name), n_ready=n_ready), settings.engine_slots)
            for name in settings.engines
        ]
        return EngineQueue(engines, settings.queue_length)

    return SharedQueue(make)


def _of_engine(settings: Settings, name: str) -> Settings:
    """Return the settings of one of several engines, as if it were the only one."""
    import attrs

    kind, _, context = name.partition(":")
    if kind == "kubernetes":
        context = context or settings.kubernetes_context
        return attrs.evolve(settings, engines=(), sandbox="kubernetes", kubernetes_context=context)
    host = settings.docker_host if name == "docker" else name
    return attrs.evolve(settings, engines=(), sandbox="docker", docker_host=host)


def _kubernetes_sandbox(settings: Settings) -> Sandbox:
    from greenline.sandbox.kubernetes_sandbox import KubernetesSandbox
    from greenline.sandbox.kubernetes_settings import ClusterSettings, KubernetesSettings

    cluster = ClusterSettings(
        settings.kubernetes_config, settings.kubernetes_context, settings.kubernetes_namespace
    )
    given = {
        "services": settings.services,
        "variables": settings.variables,
        "toolchain": settings.toolchain == "lock",
    }
    unserved = tuple(name for name, value in given.items() if value)
    chosen = KubernetesSettings(
        cluster, settings.image, settings.runtime, settings.kubernetes_start_s, unserved=unserved
    )
    return KubernetesSandbox(chosen)
