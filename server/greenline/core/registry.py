"""Where packages may be fetched from: a host, its port, and the private networks that it may lie in."""

from __future__ import annotations

import ipaddress
import re

import attrs

HTTPS_PORT = 443
_NAME = re.compile(
    r"(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*"
)
_SHAPE = re.compile(r"(?P<host>\[[0-9a-f:.]+\]|[^\[\]:=/]+)(?::(?P<port>\d{1,5}))?(?:=(?P<at>[0-9a-f:./]+))?")
_LOOPBACK = ("127.0.0.0/8", "::1/128")

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


@attrs.frozen
class Registry:
    """One place that packages come from."""

    host: str
    """A name in lower case, or an address."""
    port: int
    networks: tuple[Network, ...] = ()
    """Where it may lie though these are no public addresses; empty: nowhere but in public."""

    @classmethod
    def of(cls, text: str) -> Registry:
        """Read `HOST`, `HOST:PORT` or either with `=ADDRESS` or `=NETWORK` behind; raises `ValueError`.

        An address, and `localhost`, says itself where it lies.
        """
        match = _SHAPE.fullmatch(text.strip().lower())
        if match is None:
            raise ValueError(text)
        port = int(match["port"] or HTTPS_PORT)
        host = match["host"].strip("[]")
        address = address_of(host)
        is_name = _NAME.fullmatch(host) is not None and not _is_number(host)
        if not 0 < port < 65536 or (address is None and not is_name):
            raise ValueError(text)
        networks: tuple[Network, ...] = ()
        if match["at"]:
            networks = (ipaddress.ip_network(match["at"], strict=False),)
        elif address is not None:
            host, networks = str(address), (ipaddress.ip_network(address),)
        elif host == "localhost":
            networks = tuple(ipaddress.ip_network(network) for network in _LOOPBACK)
        return cls(host, port, networks)

    @property
    def place(self) -> str:
        """Return `host:port`, as people write it."""
        return place_of(self.host, self.port)

    def may_lie_at(self, address: Address) -> bool:
        """Return whether the registry can be at an address: a public one, or one that it was said to have."""
        return is_public(address) or any(address in network for network in self.networks)


def place_of(host: str, port: int) -> str:
    """Return `host:port`, with brackets around an IPv6 address."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def address_of(host: str) -> Address | None:
    """Return the address that a text is, or None where it is a name."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


_OF_CLOUDS = tuple(map(ipaddress.ip_network, ("168.63.129.16/32", "192.0.0.192/32", "fec0::/10")))
"""Where clouds answer their own machines at addresses that look public, and the site-local ones of old."""


def is_public(address: Address) -> bool:
    """Return whether an address belongs to nobody's own network, nor to this machine, whatever it embeds."""
    inner = _embedded(address)
    if inner is not None:
        return is_public(inner)
    if any(address in network for network in _OF_CLOUDS if network.version == address.version):
        return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def _embedded(address: Address) -> Address | None:
    """Return the IPv4 address that an IPv6 one leads to: mapped, 6to4, Teredo or NAT64."""
    if isinstance(address, ipaddress.IPv4Address):
        return None
    if address.teredo is not None:
        return address.teredo[1]
    if address in ipaddress.ip_network("64:ff9b::/96"):
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour


def _is_number(host: str) -> bool:
    """Return whether the C library may take a name for an address, as `127.1` or `0x7f000001`."""
    return re.fullmatch(r"(?:0x[0-9a-f]*|\d+)", host.rpartition(".")[2]) is not None
