"""Options: what a user may say, all optional, each with its reader; the table that settings are made from."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import attrs

from greenline.core.registry import Registry
from greenline.core.service import HOST, Service

PERMISSIONS = ("ask", "auto", "deny")
TOOLCHAINS = ("host", "image", "lock")
SANDBOXES = ("docker", "kubernetes", "bubblewrap")


class BadOption(ValueError):
    """A value does not fit its option; the text says what would."""


@attrs.frozen
class Option:
    """One option: where it may come from and how it is read."""

    name: str
    """Field of `Settings`; also the key in the file, where the client's key is its camelCase."""
    read: Callable[[Any], Any]
    """Turns a raw value (text from the environment too) into the field's; raises `BadOption`."""
    variable: str = ""
    """Environment variable, or empty."""
    from_client: bool = False
    """Whether an editor may set it: only where no value can weaken safety or name an address."""


def text(raw: Any) -> str:
    """Read a text that is not empty."""
    if not isinstance(raw, str) or not raw.strip():
        raise BadOption("a text")
    return raw.strip()


def texts(raw: Any) -> tuple[str, ...]:
    """Read a list of texts; from the environment, separated by commas."""
    if isinstance(raw, str):
        raw = [piece for piece in raw.split(",") if piece.strip()]
    if not isinstance(raw, list):
        raise BadOption("a list of texts")
    return tuple(text(item) for item in raw)


def choice(*allowed: str) -> Callable[[Any], str]:
    """Return a reader for one of a few words."""

    def read(raw: Any) -> str:
        if raw not in allowed:
            raise BadOption(" or ".join(allowed))
        return str(raw)

    return read


def engines(raw: Any) -> tuple[str, ...]:
    """Read a list of `docker`, `kubernetes`, `kubernetes:CONTEXT` and addresses of Docker engines."""
    found = tuple(dict.fromkeys(texts(raw)))
    for name in found:
        if name not in ("docker", "kubernetes") and not name.startswith("kubernetes:") and "://" not in name:
            raise BadOption("a list of `docker`, `kubernetes`, `kubernetes:CONTEXT` or engines' addresses")
    return found


def flag(raw: Any) -> bool:
    """Read true or false, or their usual words."""
    words = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False}
    words["off"] = False
    if isinstance(raw, bool):
        return raw
    if isinstance(raw, str) and raw.strip().lower() in words:
        return words[raw.strip().lower()]
    raise BadOption("true or false")


def number(low: float, high: float) -> Callable[[Any], float]:
    """Return a reader for a number from `low` to `high`."""

    def read(raw: Any) -> float:
        value = _float(raw)
        if value is None or not low <= value <= high:
            raise BadOption(f"a number from {low:g} to {high:g}")
        return value

    return read


def whole(low: int, high: int) -> Callable[[Any], int]:
    """Return a reader for a whole number from `low` to `high`."""

    def read(raw: Any) -> int:
        value = _float(raw)
        if value is None or value != int(value) or not low <= value <= high:
            raise BadOption(f"a whole number from {low} to {high}")
        return int(value)

    return read


def _float(raw: Any) -> float | None:
    if isinstance(raw, bool) or not isinstance(raw, int | float | str):
        return None
    try:
        value = float(raw)
    except ValueError:
        return None
    return value if abs(value) < 1e15 else None


def web_address(raw: Any) -> str:
    """Read an http or https address."""
    value = text(raw)
    if not value.startswith(("http://", "https://")):
        raise BadOption("an address that begins with http:// or https://")
    return value.rstrip("/")


def registries(raw: Any) -> tuple[str, ...]:
    """Read a list of places that packages come from."""
    found = texts(raw)
    try:
        for one in found:
            Registry.of(one)
    except ValueError as error:
        raise BadOption("a list of HOST, HOST:PORT or HOST:PORT=ADDRESS") from error
    return found


_SERVICE = ("image", "port", "command", "environment", "memory_mb", "ready_s")


def services(raw: Any) -> tuple[Service, ...]:
    """Read a table of services by their names."""
    if not isinstance(raw, dict):
        raise BadOption("a table of services, as [services.NAME]")
    found = tuple(_service(str(name), entry) for name, entry in raw.items())
    ports = [service.port for service in found]
    if len(set(ports)) < len(ports):
        raise BadOption("a table of services with a port of its own each")
    return found


def _service(name: str, entry: Any) -> Service:
    if not isinstance(entry, dict) or not set(entry) <= set(_SERVICE):
        raise BadOption(f"a table of services, each with some of {', '.join(_SERVICE)}")
    variables = entry.get("environment", {})
    if not isinstance(variables, dict):
        raise BadOption("a table of services whose environment is a table")
    service = Service(
        name,
        text(entry.get("image")),
        whole(1, 65_535)(entry.get("port")),
        texts(entry.get("command", [])),
        tuple((str(key), str(value)) for key, value in variables.items()),
        whole(16, 65_536)(entry.get("memory_mb", 1024)),
        number(1, 600)(entry.get("ready_s", 60)),
    )
    if service.image == HOST and not service.command:
        raise BadOption("a table of services, with a command where the image is host")
    return service


def variables(raw: Any) -> tuple[str, ...]:
    """Read a list of variables: `NAME`, or `NAME=VALUE`."""
    found = texts(raw)
    if not all(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*(=.*)?", one, re.DOTALL) for one in found):
        raise BadOption("a list of NAME or NAME=VALUE")
    return found


OPTIONS = (
    Option("model", text, "GREENLINE_MODEL"),
    Option("api_base", web_address, "GREENLINE_API_BASE"),
    Option("api_key", text, "GREENLINE_API_KEY"),
    Option("critic_model", text, "GREENLINE_CRITIC_MODEL"),
    Option("record_model", text, "GREENLINE_RECORD_MODEL"),
    Option("embedder", text, "GREENLINE_EMBEDDER"),
    Option("model_timeout_s", number(1, 3600), "GREENLINE_MODEL_TIMEOUT"),
    Option("budget_usd", number(0, 10_000), "GREENLINE_BUDGET_USD"),
    Option("max_iterations", whole(1, 5), "GREENLINE_MAX_ITERATIONS", from_client=True),
    Option("max_turns", whole(1, 200), "GREENLINE_MAX_TURNS"),
    Option("permission", choice(*PERMISSIONS), "GREENLINE_PERMISSION"),
    Option("sandbox", choice(*SANDBOXES), "GREENLINE_SANDBOX"),
    Option("engines", engines, "GREENLINE_ENGINES"),
    Option("engine_slots", whole(1, 256), "GREENLINE_ENGINE_SLOTS"),
    Option("queue_length", whole(1, 10_000), "GREENLINE_QUEUE_LENGTH"),
    Option("docker_host", text, "DOCKER_HOST"),
    Option("toolchain", choice(*TOOLCHAINS), "GREENLINE_TOOLCHAIN"),
    Option("image", text, "GREENLINE_IMAGE"),
    Option("registries", registries, "GREENLINE_REGISTRIES"),
    Option("lock_files", texts, "GREENLINE_LOCK_FILES"),
    Option("packages_quota_mb", whole(1, 1_048_576), "GREENLINE_PACKAGES_QUOTA_MB"),
    Option("services", services),
    Option("variables", variables, "GREENLINE_VARIABLES"),
    Option("runtime", text, "GREENLINE_RUNTIME"),
    Option("kubernetes_config", text, "GREENLINE_KUBERNETES_CONFIG"),
    Option("kubernetes_context", text, "GREENLINE_KUBERNETES_CONTEXT"),
    Option("kubernetes_namespace", text, "GREENLINE_KUBERNETES_NAMESPACE"),
    Option("kubernetes_start_s", number(1, 3600), "GREENLINE_KUBERNETES_START_S"),
    Option("memory_mb", whole(64, 65_536), "GREENLINE_MEMORY_MB"),
    Option("cpus", number(0.1, 256), "GREENLINE_CPUS"),
    Option("pids", whole(16, 32_768), "GREENLINE_PIDS"),
    Option("wall_s", number(1, 7200), "GREENLINE_WALL_S"),
    Option("tmpfs_mb", whole(16, 65_536), "GREENLINE_TMPFS_MB"),
    Option("test_command", text, "GREENLINE_TEST_COMMAND"),
    Option("repair_s", number(1, 3600), "GREENLINE_REPAIR_S", from_client=True),
    Option("bite_s", number(0, 3600), "GREENLINE_BITE_S", from_client=True),
    Option("coverage_threshold", number(0, 100), "GREENLINE_COVERAGE_THRESHOLD"),
    Option("checkpoint_quota_mb", whole(1, 1_048_576), "GREENLINE_CHECKPOINT_QUOTA_MB"),
    Option("index", flag, "GREENLINE_INDEX", from_client=True),
    Option("warm_worker", flag, "GREENLINE_WARM_WORKER", from_client=True),
    Option("log_level", choice("debug", "info", "warning", "error"), "GREENLINE_LOG_LEVEL", from_client=True),
)
"""Every option there is, in the order of the documentation."""
