"""The toolchain `lock`: packages of a project's lock files, installed once in a container and kept.

The container that installs has no network: a loopback port of its own leads over a mounted socket to the
filtering proxy of this process. It sees lock files and nothing else of the project, and none of the user's
variables; what it made comes back as a tar that is unpacked without trust.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import platform
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import attrs

from greenline.core.cancel import Cancellation
from greenline.core.error import GreenlineError, SandboxUnavailable
from greenline.core.port import Limits, SandboxRequest, SandboxResult, StagedFile, Tree
from greenline.sandbox.host_toolchain import HostToolchain, Mount, Without
from greenline.sandbox.install_failure import failure
from greenline.sandbox.lock_file import PACKAGES, LockPlan, lock_plans
from greenline.sandbox.owner import is_left, own_name
from greenline.sandbox.package_source import PackageSource, certificates, find_source
from greenline.sandbox.package_store import PackageStore
from greenline.sandbox.proxy import SOCKET_NAME, FilteringProxy
from greenline.sandbox.unpack import BadArchive, unpack
from greenline.workspace.state import STATE_REMEDY, state_home

_FORMAT = 1
"""What is kept from before another one is not used any more."""
_PORT = 3128
SOCKETS = "/run/greenline-proxy"
"""Where a container finds the proxy's socket."""
RUNNER = "/opt/greenline/runner"
_PATIENCE = {
    "PIP_RETRIES": "2",
    "PIP_TIMEOUT": "30",
    "npm_config_fetch_retries": "1",
    "npm_config_fetch_retry_mintimeout": "1000",
}
"""What the proxy refuses it refuses again: package managers ask for minutes."""
_CERTIFICATES = "ca.pem"
_NPMRC = "npmrc"
_LOG = logging.getLogger(__name__)

Receive = Callable[[Iterator[bytes]], None]
Launch = Callable[[SandboxRequest, HostToolchain, Cancellation, Sequence[str], Receive], SandboxResult]
"""Runs a request in a container and hands on a tar of folders of its root where it went well."""


@attrs.frozen
class LockSettings:
    """What the user chose about packages."""

    registries: tuple[str, ...] = ()
    lock_files: tuple[str, ...] = ()
    quota_mb: int = 4096
    limits: Limits = attrs.field(factory=Limits)
    """What an install may use."""


@attrs.frozen
class Base:
    """What packages are installed for."""

    identity: str
    """An image's, or empty for this machine."""
    resolve: Callable[[Sequence[Without]], HostToolchain]
    """Returns the toolchain without what comes from lock files."""


def package_store(quota_mb: int) -> PackageStore:
    """Return what keeps packages for all workspaces."""
    return PackageStore(state_home() / "packages", quota_mb * 1024 * 1024)


class LockToolchain:
    """Installs what lock files ask for, and says where it lies; safe to use from several threads."""

    def __init__(self, settings: LockSettings, environment: Mapping[str, str], launch: Launch) -> None:
        self._settings = settings
        self._environment = environment
        self._launch = launch

    @contextlib.contextmanager
    def hold(
        self, request: SandboxRequest, base: Base, cancellation: Cancellation
    ) -> Iterator[HostToolchain]:
        """Yield the toolchain with its packages, which stay until the end; they are installed where new.

        Raises `SandboxUnavailable` with what keeps them from being installed, or `Cancelled`.
        """
        plans = lock_plans(request.tree, self._settings.lock_files)
        source = find_source(self._settings.registries, self._environment)
        installer = _Installer(self._launch, source, self._environment, self._settings.limits)
        store = package_store(self._settings.quota_mb)
        with ExitStack() as stack:
            folders: dict[str, Path] = {}
            for plan in plans:
                key = self._key(plan, base, source)

                def make(folder: Path, plan: LockPlan = plan) -> tuple[int, str]:
                    size = installer.install(plan, base.resolve(("python", "node")), folder, cancellation)
                    return size, f"{', '.join(plan.locks)} of {request.root}"

                try:
                    folders[plan.kind] = stack.enter_context(store.hold(key, make, cancellation))
                except OSError as error:
                    where = f"{error.filename}: " if error.filename else ""
                    raise SandboxUnavailable(
                        f"Packages cannot be kept: {where}{error.strerror or error}.",
                        remedy=f"{STATE_REMEDY}.",
                    ) from error
            found = self._with_packages(request.root, base, plans, folders)
            _check_folders(found, folders.values())
            yield found

    def planned(self, request: SandboxRequest, base: Base) -> tuple[HostToolchain, str]:
        """Return the toolchain without packages, and what tells these from others; installs nothing."""
        plans = lock_plans(request.tree, self._settings.lock_files)
        source = find_source(self._settings.registries, self._environment)
        store = package_store(self._settings.quota_mb)
        keys = [self._key(plan, base, source) for plan in plans]
        made = [known.made if (known := store.known(key)) else "" for key in keys]
        return base.resolve([plan.kind for plan in plans]), json.dumps([keys, made])

    def _key(self, plan: LockPlan, base: Base, source: PackageSource) -> str:
        """Return the hash of lock files, command, sources and of what the packages are for."""
        files = [
            [path, hashlib.sha256(file.content).hexdigest()] for path, file in sorted(plan.files.items())
        ]
        own = base.identity or _machine(plan, base.resolve(("python", "node")))
        sources = [source.pip_index, source.pip_extra, source.npm, source.go]
        facts = json.dumps([_FORMAT, plan.kind, plan.arguments, files, own, sources])
        return f"{plan.kind}-{hashlib.sha256(facts.encode()).hexdigest()[:32]}"

    def _with_packages(
        self, root: str, base: Base, plans: Sequence[LockPlan], folders: Mapping[str, Path]
    ) -> HostToolchain:
        toolchain = base.resolve([plan.kind for plan in plans])
        for plan in plans:
            folder = folders[plan.kind]
            if plan.kind == "python":
                toolchain = _with_python(toolchain, folder / "python", root if plan.has_project else "")
            elif plan.kind == "node":
                toolchain = _with_node(toolchain, folder, root, plan.produced)
            else:
                toolchain = _with_go(toolchain, folder / "go/modules")
        return toolchain


def _check_folders(toolchain: HostToolchain, held: Iterable[Path]) -> None:
    """Raise where something else than a folder would be mounted: an engine follows a link on this machine."""
    for mount in toolchain.mounts:
        source = Path(mount.source)
        if any(source.is_relative_to(folder) for folder in held) and (
            source.is_symlink() or not source.is_dir()
        ):
            raise SandboxUnavailable(
                f"The installed packages are damaged: {source} is no folder.",
                remedy="Remove them: `greenline packages --clear`.",
            )


def _with_python(toolchain: HostToolchain, folder: Path, project: str) -> HostToolchain:
    home = f"{PACKAGES}/python"
    own = (("GREENLINE_PROJECT", os.pathsep.join([f"{project}/src", project])),) if project else ()
    return attrs.evolve(
        toolchain,
        python=f"{home}/bin/python",
        mounts=(*toolchain.mounts, Mount(str(folder), home)),
        bin_folders=(f"{home}/bin", *toolchain.bin_folders),
        variables=(*toolchain.variables, *own),
    )


def _with_node(toolchain: HostToolchain, folder: Path, root: str, produced: Sequence[str]) -> HostToolchain:
    below = {name: name.removeprefix("node/") for name in produced}
    mounts = [Mount(str(folder / name), f"{root}/{place}") for name, place in below.items()]
    places = dict.fromkeys([*toolchain.environment, *below.values()])
    return attrs.evolve(toolchain, mounts=(*toolchain.mounts, *mounts), environment=tuple(places))


def _with_go(toolchain: HostToolchain, folder: Path) -> HostToolchain:
    home = f"{PACKAGES}/go/modules"
    mounts = (*_without_modules(toolchain), Mount(str(folder), home))
    others = [(name, value) for name, value in toolchain.variables if name != "GOMODCACHE"]
    return attrs.evolve(toolchain, mounts=mounts, variables=(*others, ("GOMODCACHE", home)))


def _machine(plan: LockPlan, toolchain: HostToolchain) -> str:
    """Return what tells the machine's interpreter from another one, and from itself after an update."""
    programs = [toolchain.python]
    if plan.kind != "python":
        folders = [*toolchain.bin_folders, "/usr/local/bin", "/usr/bin"]
        names = ("node", "npm") if plan.kind == "node" else ("go",)
        programs = [f"{folder}/{name}" for name in names for folder in folders]
    facts: list[object] = [platform.machine(), *platform.libc_ver()]
    for program in programs:
        real = os.path.realpath(program)
        with contextlib.suppress(OSError):
            status = Path(real).stat()
            facts.append([real, status.st_size, status.st_mtime_ns])
    return json.dumps(facts)


class _Installer:
    """Runs one install in a container that reaches the proxy alone."""

    def __init__(
        self, launch: Launch, source: PackageSource, environment: Mapping[str, str], limits: Limits
    ) -> None:
        self._launch = launch
        self._source = source
        self._environment = environment
        self._limits = limits

    def install(self, plan: LockPlan, base: HostToolchain, folder: Path, cancellation: Cancellation) -> int:
        """Fill `folder`; return its size in bytes. Raises `SandboxUnavailable`, `Cancelled`, `OSError`."""
        names = ", ".join(plan.locks)
        _LOG.info("The packages of %s are installed; this is done once.", names)
        if not plan.has_hashes:
            _LOG.warning("%s holds no hashes: what is installed from it can change.", names)
        sizes: list[int] = []
        trouble: list[GreenlineError | OSError] = []

        def receive(blocks: Iterator[bytes]) -> None:
            try:
                limit_bytes = self._limits.tmpfs_mb * 1024 * 1024
                sizes.append(unpack(blocks, folder, plan.produced, limit_bytes))
            except BadArchive as error:
                words = f"The packages of {names} cannot be kept: {error}."
                trouble.append(SandboxUnavailable(words, remedy="Set `toolchain` to `host`."))
            except OSError as error:
                trouble.append(error)

        with socket_folder() as sockets, contextlib.closing(_proxy(sockets, self._source)) as proxy:
            toolchain = attrs.evolve(
                base,
                mounts=(*_without_modules(base), Mount(str(sockets), SOCKETS)),
                environment=(),
                variables=(),
            )
            request = self._request(plan)
            result = self._launch(request, toolchain, cancellation, plan.produced, receive)
            refused = proxy.refused
        if trouble:
            raise trouble[0]
        if not sizes:
            raise failure(plan, result, refused, self._source)
        return sizes[0]

    def _request(self, plan: LockPlan) -> SandboxRequest:
        program = ("{python}", "-I", f"{RUNNER}/install.py", *plan.arguments)
        forward = ("{python}", "-I", f"{RUNNER}/forward.py", str(_PORT), f"{SOCKETS}/{SOCKET_NAME}")
        tree, variables = _surroundings(self._source, certificates(self._environment))
        return SandboxRequest(
            PACKAGES, {**plan.files, **tree}, (*forward, *program), environment=variables, limits=self._limits
        )


def _surroundings(source: PackageSource, trusted: bytes) -> tuple[Tree, dict[str, str]]:
    """Return the files and variables by which package managers find the registries, over the proxy."""
    proxy = f"http://127.0.0.1:{_PORT}"
    variables = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), proxy)
    npmrc = "".join(f"{name}={address}\n" for name, address in source.npm)
    tree = {_NPMRC: StagedFile(npmrc.encode())}
    variables |= {**_PATIENCE, "npm_config_userconfig": f"{PACKAGES}/{_NPMRC}", "PIP_CONFIG_FILE": os.devnull}
    # What `go.sum` holds is compared with it, and nobody else is asked.
    variables |= {"GOFLAGS": "-mod=mod -modcacherw", "GONOSUMDB": "*", "GOTOOLCHAIN": "local"}
    if source.go:
        variables["GOPROXY"] = source.go
    if source.pip_index:
        variables["PIP_INDEX_URL"] = source.pip_index
    if source.pip_extra:
        variables["PIP_EXTRA_INDEX_URL"] = " ".join(source.pip_extra)
    if trusted:
        tree[_CERTIFICATES] = StagedFile(trusted)
        names = ("PIP_CERT", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
        variables |= dict.fromkeys(names, f"{PACKAGES}/{_CERTIFICATES}")
    return tree, variables


def _without_modules(toolchain: HostToolchain) -> list[Mount]:
    """Return the mounts without what Go, Maven and Gradle keep for the user, who may have private ones."""
    variables = dict(toolchain.variables)
    kept = {variables.get(name) for name in ("GOMODCACHE", "GREENLINE_MAVEN", "GREENLINE_GRADLE")}
    return [mount for mount in toolchain.mounts if mount.target not in kept]


def _proxy(folder: Path, source: PackageSource) -> FilteringProxy:
    return FilteringProxy(folder, source.registries)


@contextlib.contextmanager
def socket_folder() -> Iterator[Path]:
    """Yield a folder for sockets that containers have mounted; other users of the machine reach none."""
    home = state_home() / "sockets"
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    for left in home.iterdir():
        if is_left(left.name):
            shutil.rmtree(left, ignore_errors=True)
    folder = home / own_name("for")
    folder.mkdir()
    try:
        # A container's user is another one: it looks up a name in it, and can list and make none.
        folder.chmod(0o711)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
