"""A real container whose only way out is the filtering proxy reaches a registry, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import attrs
import egress_attempt
import pytest
from egress_attempt import ATTEMPTS, SOCKETS, table
from package_server import serve

from greenline.core.cancel import Cancellation
from greenline.core.port import Limits, SandboxRequest, SandboxResult, StagedFile
from greenline.core.registry import Registry
from greenline.sandbox.docker_sandbox import DockerSandbox, SandboxSettings
from greenline.sandbox.host_toolchain import Mount, resolve
from greenline.sandbox.lock_toolchain import socket_folder
from greenline.sandbox.proxy import FilteringProxy, ProxyLimits, Refusal

PAGE = Path(__file__).parents[2] / "docs" / "sandbox.md"
RUNNER = "/opt/greenline/runner"


@attrs.frozen
class Came:
    """What came of the attempts."""

    told: dict[str, str]
    refused: tuple[Refusal, ...]
    asked: tuple[tuple[str, dict[str, str]], ...]
    """What reached the registry."""


class Names:
    """A name server: one name leads inside, and one changes its mind."""

    def __init__(self) -> None:
        self._n_asked = 0

    def resolve(self, host: str, port: int) -> Sequence[str]:
        if host == "rebound.test":
            self._n_asked += 1
            return ["127.0.0.1"] if self._n_asked == 1 else ["169.254.169.254"]
        return {"packages.test": ["127.0.0.1"], "inside.test": ["10.1.2.3"]}[host]


@pytest.fixture(scope="module")
def came(docker_host: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Came]:
    """Make every attempt in one container."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GREENLINE_STATE_DIR", str(tmp_path_factory.mktemp("state")))
        with serve() as registry, socket_folder() as folder:
            registry.files["/file"] = b"a package"
            registry.redirects["/redirect"] = "http://other.test/"
            registries = [Registry.of(f"packages.test:{registry.port}=127.0.0.1")]
            registries.append(Registry.of(f"rebound.test:{registry.port}=127.0.0.1"))
            registries.append(Registry.of(f"inside.test:{registry.port}"))
            limits = ProxyLimits(head_s=2.0, idle_s=5.0, n_connections=30, up_bytes=1024 * 1024)
            with closing(FilteringProxy(folder, registries, limits, Names().resolve)) as proxy:
                result = _run(docker_host, folder, json.dumps({"port": registry.port}))
                told = json.loads(result.output.decode().splitlines()[-1])
                yield Came(told, proxy.refused, tuple(registry.asked))


def _run(docker_host: str, sockets: Path, world: str) -> SandboxResult:
    root = "/work"
    toolchain = resolve(root, {"PATH": "/usr/bin:/bin"})
    mounts = (*toolchain.mounts, Mount(str(sockets), SOCKETS))
    program = Path(egress_attempt.__file__).read_bytes()
    forward = ("{python}", "-I", f"{RUNNER}/forward.py", "3128", f"{SOCKETS}/proxy.sock")
    request = SandboxRequest(
        root,
        {"attempt.py": StagedFile(program)},
        (*forward, "{python}", "attempt.py", world),
        limits=Limits(wall_s=120),
    )
    sandbox = DockerSandbox(SandboxSettings(docker_host=docker_host))
    with closing(sandbox):
        return sandbox.install(
            request, attrs.evolve(toolchain, mounts=mounts), Cancellation(), ("/work",), lambda blocks: None
        )


def test_every_attempt_but_those_that_may_is_stopped(came: Came) -> None:
    found = {one.name: came.told.get(one.name) for one in ATTEMPTS}

    assert {one.name: found[one.name] for one in ATTEMPTS if found[one.name] not in one.told} == {}


def test_what_was_refused_is_told_with_its_reason(came: Came) -> None:
    reasons = {refusal.target: refusal.reason for refusal in came.refused}

    assert reasons["other.test:443"] == "it is not a registry"
    assert "10.1.2.3, which is no public address" in " ".join(reasons.values())
    assert len(came.refused) >= 20


def test_the_registry_saw_requests_for_itself_alone(came: Came) -> None:
    assert {fields["host"].split(":")[0] for _, fields in came.asked} <= {"packages.test", "rebound.test"}
    assert not any({"authorization", "cookie"} & set(fields) for _, fields in came.asked)


def test_documentation_names_every_attempt() -> None:
    assert table() in PAGE.read_text("utf-8")
    assert len({one.name for one in ATTEMPTS}) == len(ATTEMPTS) >= 12
