"""Where the user's own package managers fetch from, found by reading their files, never by running them.

Invariant: no user name, password or token of that configuration leaves this module, and nothing of a
workspace's is read. Addresses of files on this machine are not used: no container could reach them.
"""

from __future__ import annotations

import configparser
import contextlib
import os
import re
import ssl
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import SplitResult, urlsplit, urlunsplit

import attrs

from greenline.core.registry import Registry, place_of

_PORTS = {"http": 80, "https": 443}
_PIP_FILES = ("/etc/xdg/pip/pip.conf", "/etc/pip.conf")
_NPM_FILES = ("/etc/npmrc", "/usr/etc/npmrc", "/usr/local/etc/npmrc")
_CERTIFICATES = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt")
_CERTIFICATE_VARIABLES = ("PIP_CERT", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS")
_CERTIFICATE = re.compile(rb"-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----")
_NPM_REGISTRY = re.compile(r"((?:@[\w.~-]+:)?registry)\s*=\s*\"?([^\s\"]+)\"?\s*")


@attrs.frozen
class PackageSource:
    """What an install has to know, and may reach."""

    registries: tuple[Registry, ...] = ()
    pip_index: str = ""
    """Address of pip's index without any password; empty: pip's own default."""
    pip_extra: tuple[str, ...] = ()
    npm: tuple[tuple[str, str], ...] = ()
    """npm's settings `registry` and `@scope:registry`, addresses without any password."""
    go: str = ""
    """Go's proxies without any password, separated by commas; empty: Go's own default."""

    @property
    def places(self) -> str:
        """Return the registries as people write them."""
        return ", ".join(one.place for one in self.registries) or "none"


def find_source(configured: Sequence[str], environment: Mapping[str, str]) -> PackageSource:
    """Return what the user's settings and the configuration of pip and npm name; never raises."""
    home = Path(environment.get("HOME") or "/")
    index, extra = _pip(home, environment)
    npm = dict(_npm(home, environment))
    go = list(_addresses(re.split(r"[,|]", _go(home, environment))))
    addresses = [*([index] if index else []), *extra, *npm.values(), *go]
    registries = [Registry.of(text) for text in configured]
    registries += [Registry.of(_place(urlsplit(address))) for address in addresses]
    # The user's own words go first: they may say in which network a registry lies.
    distinct = {(one.host, one.port): one for one in reversed(registries)}
    found = tuple(reversed(distinct.values()))
    return PackageSource(found, index, tuple(extra), tuple(npm.items()), ",".join(go))


def certificates(environment: Mapping[str, str]) -> bytes:
    """Return the certificates that this machine trusts, and nothing else that lies in their files."""
    named = [environment.get(name, "") for name in _CERTIFICATE_VARIABLES]
    machine = next(
        (path for path in (*_CERTIFICATES, ssl.get_default_verify_paths().cafile) if path and _read(path)), ""
    )
    found = (
        block for path in dict.fromkeys([*named, machine]) for block in _CERTIFICATE.findall(_read(path))
    )
    return b"".join(block + b"\n" for block in dict.fromkeys(found))


def _pip(home: Path, environment: Mapping[str, str]) -> tuple[str, list[str]]:
    """Return pip's index and its further ones; variables go before files, and later files before earlier."""
    own = environment.get("XDG_CONFIG_HOME") or str(home / ".config")
    files = [*_PIP_FILES, str(home / ".pip" / "pip.conf"), str(Path(own) / "pip" / "pip.conf")]
    files.append(environment.get("PIP_CONFIG_FILE", ""))
    values: dict[str, str] = {}
    for path in files:
        parser = configparser.RawConfigParser(strict=False)
        with contextlib.suppress(configparser.Error):
            parser.read_string(_read(path).decode("utf-8", "replace"))
            for section in ("global", "install"):
                if parser.has_section(section):
                    values |= {name.replace("_", "-"): value for name, value in parser.items(section)}
    index = environment.get("PIP_INDEX_URL") or values.get("index-url", "")
    extra = environment.get("PIP_EXTRA_INDEX_URL") or values.get("extra-index-url", "")
    return next(_addresses([index]), ""), list(_addresses(extra.split()))


def _npm(home: Path, environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield npm's registries, those that count last."""
    variables = {name.lower(): value for name, value in environment.items()}
    own = variables.get("npm_config_userconfig") or str(home / ".npmrc")
    for path in (*_NPM_FILES, own):
        for line in _read(path).decode("utf-8", "replace").splitlines():
            match = _NPM_REGISTRY.fullmatch(line.strip())
            if match is not None:
                yield from ((match[1], address) for address in _addresses([match[2]]))
    yield from (("registry", a) for a in _addresses([variables.get("npm_config_registry", "")]))


def _go(home: Path, environment: Mapping[str, str]) -> str:
    """Return Go's proxies as they are written."""
    own = environment.get("XDG_CONFIG_HOME") or str(home / ".config")
    path = environment.get("GOENV") or str(Path(own) / "go" / "env")
    lines = _read(path).decode("utf-8", "replace").splitlines()
    written = [line.partition("=")[2].strip() for line in lines if line.startswith("GOPROXY=")]
    return environment.get("GOPROXY") or (written or [""])[-1]


def _addresses(texts: Iterable[str]) -> Iterator[str]:
    """Yield the addresses of http and https that an allow-list can hold, without user and password."""
    for text in texts:
        with contextlib.suppress(ValueError):
            parts = urlsplit(text.strip())
            if parts.scheme in _PORTS and parts.hostname:
                Registry.of(_place(parts))
                host = parts.netloc.rpartition("@")[2]
                yield urlunsplit((parts.scheme, host, parts.path, "", ""))


def _place(parts: SplitResult) -> str:
    return place_of(parts.hostname or "", parts.port or _PORTS[parts.scheme])


def _read(path: str) -> bytes:
    """Return what a file holds; nothing where there is none."""
    if path and os.path.isabs(path):  # noqa: PTH117
        with contextlib.suppress(OSError):
            return Path(path).read_bytes()
    return b""
