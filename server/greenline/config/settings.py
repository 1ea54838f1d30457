"""Settings: frozen and complete, made from the user's file, the environment and the editor's options.

A bad option never stops anything: it becomes a warning that names it and the value used instead.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

from greenline.config.options import OPTIONS, BadOption, Option
from greenline.core.port import Limits
from greenline.core.service import Service

_OF_THE_SERVER = frozenset({"agentUi", "commandsInBackground"})
"""What an editor says to the server itself, beside the options."""


def _masked(value: str | None) -> str:
    """Show that there is a key, and nothing of it."""
    return "None" if value is None else "'***'"


@attrs.frozen
class Settings:
    """Everything that can be configured, with its default."""

    model: str | None = None
    """litellm's name of the model, `ollama/qwen2.5-coder`, or `cassette:PATH` or `scripted:PATH`; None: the
    repair engine alone."""
    api_base: str | None = None
    """Address of an OpenAI-compatible server or of Ollama."""
    api_key: str | None = attrs.field(default=None, repr=_masked)
    critic_model: str | None = None
    """Model that judges plans; None: the same model."""
    record_model: str | None = None
    """Path of a cassette to which every exchange with the model is written; None: nothing is recorded."""
    embedder: str = "builtin"
    """What makes the index's vectors: `builtin`, `none`, `model2vec:NAME` or a folder of such a model, or
    `litellm:NAME`, which sends the code to that model."""
    model_timeout_s: float = 120.0
    budget_usd: float = 2.0
    """What one run may spend."""
    max_iterations: int = 5
    """Rounds of execute, verify and reflect."""
    max_turns: int = 60
    """Model calls in one run."""
    permission: str = "ask"
    """`ask`, `auto` or `deny` for gated tools."""
    sandbox: str = "docker"
    """Where project code runs: `docker`, or `kubernetes`, on a cluster, or `bubblewrap`, the weaker mode
    without an engine."""
    engines: tuple[str, ...] = ()
    """Several engines among which verifications are spread: `docker`, `kubernetes`, `kubernetes:CONTEXT`, or
    addresses of Docker engines; none: what `sandbox` says."""
    engine_slots: int = 2
    """How many containers each of several engines runs at once."""
    queue_length: int = 50
    """How many verifications may wait for several engines."""
    docker_host: str | None = None
    """Address of the engine; None: the platform's default."""
    toolchain: str = "host"
    """What tests run with: `host`, the machine's own programs, `image`, those of a named image, or `lock`,
    either of them with packages that are installed from the project's lock files."""
    image: str = ""
    """The image of the toolchain `image`, and of `lock` where it is named, which must be on the engine; or
    that of a cluster's pods.
    `dockerfile`, `dockerfile:PATH` and `devcontainer` stand for what the project's files ask for."""
    registries: tuple[str, ...] = ()
    """Where packages may be installed from, beside what pip and npm are configured for: `HOST`, `HOST:PORT`,
    and with `=ADDRESS` or `=NETWORK` behind where it lies in a private network."""
    lock_files: tuple[str, ...] = ()
    """The lock files of the toolchain `lock`; empty: those that are found by their names."""
    packages_quota_mb: int = 4096
    """How much installed packages may take before those that were used longest ago are removed."""
    services: tuple[Service, ...] = ()
    """Services that run beside the tests, in the file as tables `[services.NAME]`."""
    variables: tuple[str, ...] = ()
    """The variables that tests get: `NAME` from the user's environment, or `NAME=VALUE`; never a secret."""
    runtime: str | None = None
    """The engine's runtime for containers, such as `runsc`, or a RuntimeClass; None: the default."""
    kubernetes_config: str = ""
    """Path of a kubeconfig, or `in-cluster`; empty: what `kubectl` would use."""
    kubernetes_context: str = ""
    """A context of the kubeconfig; empty: its current one."""
    kubernetes_namespace: str = ""
    """Where the pods are made; empty: the context's namespace."""
    kubernetes_start_s: float = 120.0
    """How long a pod may take to start."""
    memory_mb: int = 2048
    cpus: float = 2.0
    pids: int = 256
    wall_s: float = 300.0
    tmpfs_mb: int = 1024
    test_command: str = ""
    """The command that runs the tests of a workspace's root; empty: what its own files say."""
    repair_s: float = 60.0
    """How long the repair engine may search."""
    bite_s: float = 0.0
    """How long a verification may go on to measure how much of a verified change its tests notice; 0: not."""
    coverage_threshold: float = 0.0
    """How many of a hundred changed lines tests are to execute; below it the evidence has a warning."""
    checkpoint_quota_mb: int = 1024
    """How much the contents of checkpoints may take before the oldest of finished runs are dropped."""
    index: bool = True
    """Whether the editor's workspace is kept indexed."""
    warm_worker: bool = True
    """Whether the agent worker is started in the background once a workspace is open."""
    log_level: str = "info"
    warnings: tuple[str, ...] = ()
    """One sentence for each option that could not be used as given."""

    @property
    def limits(self) -> Limits:
        """What one container may use."""
        return Limits(
            memory_mb=self.memory_mb,
            cpus=self.cpus,
            pids=self.pids,
            wall_s=self.wall_s,
            tmpfs_mb=self.tmpfs_mb,
        )


def default_config_path(environment: Mapping[str, str]) -> Path:
    """Return where the user's own configuration file lies; whether it exists is not checked."""
    home = environment.get("XDG_CONFIG_HOME") or str(
        Path(environment.get("HOME") or "~").expanduser() / ".config"
    )
    return Path(home) / "greenline" / "config.toml"


def load_settings(
    env: Mapping[str, str] | None = None,
    config_path: Path | None = None,
    client_options: object = None,
) -> Settings:
    """Return the settings: defaults, then the user's file, then the editor's options, then the environment.

    `client_options` are LSP `initializationOptions`; what could weaken safety is not taken from them, since
    an editor may have read them from a file in the workspace. Never raises.
    """
    environment = os.environ if env is None else env
    path = default_config_path(environment) if config_path is None else config_path
    warnings: list[str] = []
    values: dict[str, Any] = {}
    for layer in (_file_layer(path, warnings), _client_layer(client_options, warnings)):
        for option, label, raw in layer:
            _take(values, option, label, raw, warnings)
    for option in OPTIONS:
        raw = environment.get(option.variable, "") if option.variable else ""
        if raw:
            _take(values, option, option.variable, raw, warnings)
    return Settings(**values, warnings=tuple(warnings))


def client_part(client_options: object) -> dict[str, Any]:
    """Return what an editor may set, of all that it sent; the rest, a key perhaps, is handed to nobody."""
    known = {_camel(option.name) for option in OPTIONS if option.from_client}
    inner = client_options.get("greenline", client_options) if isinstance(client_options, Mapping) else {}
    return {k: v for k, v in inner.items() if k in known} if isinstance(inner, Mapping) else {}


def _take(values: dict[str, Any], option: Option, label: str, raw: Any, warnings: list[str]) -> None:
    """Read one raw value into `values`, or warn with the value that stays."""
    try:
        values[option.name] = option.read(raw)
    except BadOption as error:
        used = values.get(option.name, getattr(Settings(), option.name))
        shown = "***" if option.name == "api_key" and used else used
        warnings.append(f"{label} must be {error}; {shown!r} is used instead.")


def _file_layer(path: Path, warnings: list[str]) -> Iterator[tuple[Option, str, Any]]:
    """Yield the options of the user's TOML file; unknown ones become warnings."""
    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return
    except (OSError, UnicodeError, tomllib.TOMLDecodeError) as error:
        warnings.append(f"{path} cannot be read ({error}); the defaults are used instead.")
        return
    known = {option.name: option for option in OPTIONS}
    for name, raw in table.items():
        if name in known:
            yield known[name], f"{name} in {path}", raw
        else:
            warnings.append(f"{name} in {path} is no option; it is not used.")


def _client_layer(client_options: object, warnings: list[str]) -> Iterator[tuple[Option, str, Any]]:
    """Yield the editor's options, bare or under `greenline`; unsafe and unknown ones become warnings."""
    if client_options is None:
        return
    if not isinstance(client_options, Mapping):
        warnings.append("initializationOptions must be an object; nothing of it is used.")
        return
    inner = client_options.get("greenline", client_options)
    if not isinstance(inner, Mapping):
        warnings.append("greenline in initializationOptions must be an object; nothing of it is used.")
        return
    known = {_camel(option.name): option for option in OPTIONS}
    for name, raw in inner.items():
        option = known.get(name)
        if name in _OF_THE_SERVER:
            continue
        if option is None:
            warnings.append(f"{name} in initializationOptions is no option; it is not used.")
        elif not option.from_client:
            place = " or ".join(filter(None, ("the user's config.toml", option.variable)))
            warnings.append(f"{name} is only read from {place}; the editor's value is not used.")
        else:
            yield option, f"{name} in initializationOptions", raw


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.title() for part in rest)
