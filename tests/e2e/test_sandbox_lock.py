"""The toolchain `lock`: packages of lock files, installed in a container that reaches registries alone."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import docker
import pytest
from package_server import Registry, go_module, integrity, module, serve, sha256, wheel
from python_image import imported, root_file_system

from greenline.app import make_verifier
from greenline.core.cancel import Cancellation
from greenline.core.edit import EditSet, FileChange
from greenline.core.error import Cancelled, SandboxUnavailable
from greenline.core.evidence import Verdict
from greenline.core.port import Limits, SandboxRequest, StagedFile, VerifyRequest
from greenline.journal.owner import process_owner
from greenline.sandbox.docker_sandbox import DockerSandbox, SandboxSettings
from greenline.sandbox.lock_toolchain import LockSettings, package_store
from greenline.sandbox.owner import LABEL_OWNER
from greenline.sandbox.proxy import FilteringProxy

TOYS = wheel("toys", "def double(n):\n    return 2 * n\n")
SHOP = wheel("shop", "NAME = 'from the registry'\n")
PROGRAM = b"""
import sys, os, shop
print(shop.NAME)
print(sys.prefix)
print(sorted(name for name in os.environ if "PROXY" in name.upper()))
try:
    open(shop.__file__, "w")
except OSError as error:
    print(error.strerror)
"""
NODE_PROGRAM = b"""
console.log(require('shop'));
console.log(require('fs').existsSync('node_modules/was-run'));
"""
LIMITS = Limits(wall_s=120)


@pytest.fixture
def registry() -> Iterator[Registry]:
    with serve() as served:
        served.add_wheel("shop", SHOP)
        served.add_wheel("toys", TOYS)
        yield served


@pytest.fixture
def sandbox(registry: Registry, docker_host: str, tmp_path: Path) -> Iterator[DockerSandbox]:
    made = _sandbox(registry, docker_host, tmp_path)
    yield made
    made.close()


def _sandbox(
    registry: Registry, docker_host: str, home: Path, image: str = "", **variables: str
) -> DockerSandbox:
    (home / "home").mkdir(exist_ok=True)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home / "home"),
        "PIP_INDEX_URL": f"http://user:hunter2@{registry.place}/simple/",
        "npm_config_registry": registry.address,
    }
    return DockerSandbox(
        SandboxSettings(
            docker_host=docker_host,
            toolchain="lock",
            image=image,
            environment=environment,
            variables=tuple(variables.items()),
        )
    )


def _request(root: Path, files: dict[str, str | bytes], *command: str) -> SandboxRequest:
    tree = {
        path: StagedFile(text if isinstance(text, bytes) else text.encode()) for path, text in files.items()
    }
    return SandboxRequest(str(root), tree, command or ("{python}", "program.py"), limits=LIMITS)


def _run(sandbox: DockerSandbox, request: SandboxRequest) -> list[str]:
    return sandbox.run(request, Cancellation()).output.decode().splitlines()


def _requirements(data: bytes = SHOP) -> str:
    return f"shop==1.0 --hash={sha256(data)}\n"


def test_packages_of_requirements_are_installed_once(
    tmp_path: Path, sandbox: DockerSandbox, registry: Registry
) -> None:
    request = _request(tmp_path, {"requirements.txt": _requirements(), "program.py": PROGRAM})

    before = sandbox.fingerprint(request)
    first = _run(sandbox, request)
    n_asked = len(registry.asked)
    after = sandbox.fingerprint(request)
    second = _run(sandbox, request)

    assert first == [
        "from the registry",
        "/opt/greenline/packages/python",
        "[]",
        "Read-only file system",
    ]
    assert second == first
    assert len(registry.asked) == n_asked > 0
    assert before != after == sandbox.fingerprint(request)
    (kept,) = package_store(4096).all()
    assert kept.words == f"requirements.txt of {tmp_path}"
    # The user's password went nowhere.
    assert not any("authorization" in fields for _, fields in registry.asked)
    assert not any("hunter2" in str(asked) for asked in registry.asked)


def test_packages_of_node_are_installed_without_their_scripts(
    tmp_path: Path, sandbox: DockerSandbox, registry: Registry
) -> None:
    data = module("shop", "module.exports = 'from the registry';")
    registry.add_module("shop", data)
    about = {"name": "w", "version": "1.0.0", "dependencies": {"shop": "1.0.0"}}
    locked = {
        "version": "1.0.0",
        "resolved": f"{registry.address}/shop/-/shop-1.0.0.tgz",
        "integrity": integrity(data),
        "hasInstallScript": True,
    }
    lock = {"name": "w", "version": "1.0.0", "lockfileVersion": 3, "requires": True}
    packages = {"": about, "node_modules/shop": locked}
    files: dict[str, str | bytes] = {
        "package.json": json.dumps(about),
        "package-lock.json": json.dumps({**lock, "packages": packages}),
        "program.js": NODE_PROGRAM,
    }

    assert _run(sandbox, _request(tmp_path, files, "node", "program.js")) == ["from the registry", "false"]

    locked["integrity"] = integrity(b"something else")
    files["package-lock.json"] = json.dumps({**lock, "packages": packages})
    with pytest.raises(SandboxUnavailable, match="is not what the lock file's hash says"):
        _run(sandbox, _request(tmp_path, files, "node", "program.js"))


def test_modules_of_go_are_fetched(
    tmp_path: Path, registry: Registry, docker_host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Go asks no proxy for what lies on loopback by its name.
    monkeypatch.setattr(
        "greenline.sandbox.lock_toolchain._proxy",
        lambda folder, source: FilteringProxy(folder, source.registries, None, lambda *_: ["127.0.0.1"]),
    )
    settings = LockSettings((f"packages.test:{registry.port}=127.0.0.1",))
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "GOPROXY": f"http://packages.test:{registry.port},direct",
    }
    sandbox = DockerSandbox(
        SandboxSettings(docker_host=docker_host, toolchain="lock", environment=environment, lock=settings)
    )
    served, sums = go_module("one.test/shop", 'package shop\n\nconst Name = "from the registry"\n', "v1.0.0")
    registry.files |= served
    program = 'package main\n\nimport "one.test/shop"\n\nfunc main() { println(shop.Name) }\n'
    files: dict[str, str | bytes] = {
        "go.mod": "module w\n\ngo 1.18\n\nrequire one.test/shop v1.0.0\n",
        "go.sum": sums,
        "main.go": program,
    }

    assert _run(sandbox, _request(tmp_path, files, "go", "run", "main.go")) == ["from the registry"]

    files["go.sum"] = sums.replace("h1:", "h1:AAAA", 1).replace("=", "", 1)
    with pytest.raises(SandboxUnavailable, match=r"one\.test/shop@v1\.0\.0 is not what the lock file's hash"):
        _run(sandbox, _request(tmp_path, files, "go", "run", "main.go"))
    sandbox.close()


def test_the_project_itself_is_on_the_path_where_requirements_name_it(
    tmp_path: Path, sandbox: DockerSandbox
) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "-e .[dev]\n-r more.txt\n",
        "more.txt": "shop==1.0\n",
        "src/own.py": "NAME = 'its own'\n",
        "t/program.py": "import own, shop\nprint(own.NAME, shop.NAME)\n",
    }

    assert _run(sandbox, _request(tmp_path, files, "{python}", "t/program.py")) == [
        "its own from the registry"
    ]


FILE = "shop-1.0-py3-none-any.whl"
WRONG = "shop==1.0 --hash=sha256:" + "0" * 64


@pytest.mark.parametrize(
    ("requirements", "problem", "remedy"),
    [
        (WRONG, r"shop==1\.0 is not what the lock file's hash says", "lock it anew"),
        (f"{_requirements()}toys==1.0", r"toys==1\.0 has no hash", "pip-compile"),
        ("shop==2.0", r"no registry has shop==2\.0 for this Python", "Lock a version"),
        (
            "shop @ http://evil.test/shop-1.0-py3-none-any.whl",
            "evil.test:80: it is not a registry",
            r'\["evil.test:80"\]',
        ),
        ("-i https://evil.test/simple\nshop", "evil.test:443: it is not a registry", "registries"),
        ("./libs/shop", r"Line 1 of requirements\.txt installs \./libs/shop", "Leave it out"),
        ("-r gone.txt", r"gone\.txt, which another file of requirements includes", "Put it there"),
    ],
)
def test_what_cannot_be_installed_is_named(
    requirements: str, problem: str, remedy: str, tmp_path: Path, sandbox: DockerSandbox
) -> None:
    request = _request(tmp_path, {"requirements.txt": f"{requirements}\n", "program.py": PROGRAM})

    with pytest.raises(SandboxUnavailable, match=problem) as caught:
        _run(sandbox, request)

    assert re.search(remedy, caught.value.remedy)
    assert package_store(4096).all() == []


def test_packages_for_an_image_are_installed_with_its_python(
    tmp_path: Path, registry: Registry, docker_host: str
) -> None:
    with imported(docker_host, root_file_system(["pip"])) as image:
        sandbox = _sandbox(registry, docker_host, tmp_path, image)
        request = _request(tmp_path, {"requirements.txt": _requirements(), "program.py": PROGRAM})

        said = _run(sandbox, request)
        sandbox.close()

    assert said[:2] == ["from the registry", "/opt/greenline/packages/python"]


def test_a_patch_is_verified_with_the_packages_of_its_lock_file(
    tmp_path: Path, sandbox: DockerSandbox
) -> None:
    """The change needs a package that the base does not ask for; each side has its own."""
    old, new = b"def twice(n):\n    return n\n", b"from toys import double as twice\n"
    test = b"from calc import twice\ndef test_twice():\n    assert twice(2) == 4\n"
    locked = _requirements().encode()
    base = {"calc.py": old, "test_calc.py": test, "requirements.txt": locked}
    both = locked + f"toys==1.0 --hash={sha256(TOYS)}\n".encode()
    changes = (("calc.py", old, new), ("requirements.txt", locked, both))
    edit_set = EditSet(tuple(FileChange(str(tmp_path / name), a, b) for name, a, b in changes))
    tree = {name: StagedFile(content) for name, content in base.items()}

    evidence = make_verifier(sandbox).verify(
        VerifyRequest(str(tmp_path), tree, edit_set), Cancellation(), lambda sentence: None
    )

    assert evidence.verdict is Verdict.VERIFIED, evidence
    assert (evidence.toolchain, len(package_store(4096).all())) == ("lock", 2)


def test_what_keeps_packages_from_being_installed_is_the_evidence(
    tmp_path: Path, sandbox: DockerSandbox
) -> None:
    tree = {"calc.py": StagedFile(b"N = 1\n"), "requirements.txt": StagedFile(b"shop==2.0\n")}
    tree["test_calc.py"] = StagedFile(b"def test_it():\n    pass\n")
    edit_set = EditSet((FileChange(str(tmp_path / "calc.py"), b"N = 1\n", b"N = 2\n"),))

    evidence = make_verifier(sandbox).verify(
        VerifyRequest(str(tmp_path), tree, edit_set), Cancellation(), lambda sentence: None
    )

    assert evidence.verdict is Verdict.COULD_NOT_RUN
    assert "no registry has shop==2.0 for this Python. Lock a version" in evidence.detail


def test_an_install_is_cancelled_at_once_and_leaves_nothing(
    tmp_path: Path, own_state: Path, docker_host: str, registry: Registry
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        registry.port = silent.getsockname()[1]
        sandbox = _sandbox(registry, docker_host, tmp_path)
        cancellation = Cancellation()
        cancelled: list[float] = []

        def cancel() -> None:
            with silent.accept()[0]:
                cancelled.append(time.monotonic())
                cancellation.cancel()

        thread = threading.Thread(target=cancel, daemon=True)
        thread.start()
        with pytest.raises(Cancelled):
            sandbox.run(_request(tmp_path, {"requirements.txt": "shop\n"}), cancellation)
        took_s = time.monotonic() - cancelled[0]
        thread.join()
        sandbox.close()

    # Two seconds, on a machine with nothing else to do.
    assert took_s < 10
    assert list((own_state / "sockets").iterdir()) == []
    assert [path.suffix for path in (own_state / "packages").iterdir()] == [".lock"]


KILLED = """
import os, sys
sys.path[:0] = [{folder!r}]
import test_sandbox_lock as case
from pathlib import Path
from package_server import Registry
registry = Registry({port})
sandbox = case._sandbox(registry, {engine!r}, Path({home!r}))
sandbox.run(case._request(Path({home!r}), {{"requirements.txt": "shop\\n"}}), case.Cancellation())
"""


def test_an_install_that_is_killed_leaves_nothing_after_the_next_start(
    tmp_path: Path, own_state: Path, docker_host: str, registry: Registry
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        here = str(Path(__file__).parent)
        text = KILLED.format(folder=here, port=port, engine=docker_host, home=str(tmp_path))
        with subprocess.Popen([sys.executable, "-c", text]) as process:
            silent.settimeout(60)
            silent.accept()[0].close()
            owner = process_owner(process.pid)
            assert _containers(docker_host, owner) == 1
            process.kill()

    sandbox = _sandbox(registry, docker_host, tmp_path)
    said = _run(sandbox, _request(tmp_path, {"requirements.txt": "shop\n", "program.py": PROGRAM}))
    sandbox.close()

    assert said[0] == "from the registry"
    assert _containers(docker_host, owner) == 0
    assert list((own_state / "sockets").iterdir()) == []
    assert not any(path.name.startswith("part-") for path in (own_state / "packages").iterdir())


def _containers(engine: str, owner: str) -> int:
    client = docker.DockerClient(base_url=engine)
    try:
        return len(client.containers.list(all=True, filters={"label": f"{LABEL_OWNER}={owner}"}))
    finally:
        client.close()


def test_a_registry_that_is_not_there_is_named(
    tmp_path: Path, registry: Registry, docker_host: str, sandbox: DockerSandbox
) -> None:
    registry.port = 1
    absent = _sandbox(registry, docker_host, tmp_path)

    with pytest.raises(SandboxUnavailable, match=r"127\.0\.0\.1:1: it does not answer") as caught:
        _run(absent, _request(tmp_path, {"requirements.txt": "shop\n"}))

    assert "Look whether the registry answers" in caught.value.remedy


def test_an_install_has_no_variable_of_the_users(
    tmp_path: Path, registry: Registry, docker_host: str
) -> None:
    """pip puts variables into requirements where it has them."""
    sandbox = _sandbox(registry, docker_host, tmp_path, VERSION="1.0")
    program = 'import os; print(os.environ["VERSION"])'

    said = _run(sandbox, _request(tmp_path, {"requirements.txt": "shop==1.0", "program.py": program}))
    with pytest.raises(SandboxUnavailable, match="could not be installed"):
        _run(sandbox, _request(tmp_path, {"requirements.txt": "shop==${VERSION}", "program.py": program}))
    sandbox.close()

    assert said == ["1.0"]


def test_a_project_without_a_lock_file_says_so(tmp_path: Path, sandbox: DockerSandbox) -> None:
    with pytest.raises(SandboxUnavailable, match="no lock file") as caught:
        _run(sandbox, _request(tmp_path, {"program.py": PROGRAM}))

    assert "requirements.txt" in caught.value.remedy
