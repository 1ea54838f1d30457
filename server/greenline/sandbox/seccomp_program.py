"""The list of allowed system calls as a program for the kernel, for tools that take it compiled.

libseccomp compiles it, as engines have it do, and is called directly: its own Python binding belongs to the
system's interpreter alone, and `pyseccomp` has had no release since 2021.
"""

from __future__ import annotations

import ctypes
import json
import os
import platform
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from greenline.core.error import SandboxUnavailable
from greenline.sandbox import seccomp

_LIBRARY = "libseccomp.so.2"
_ALLOW = 0x7FFF0000
_ERRNO = 0x00050000
_EPERM = 1
_ACT_BADARCH = 2
_OPTIMIZE = 8
_BINARY_TREE = 2
_COMPARISONS = {"SCMP_CMP_EQ": 4, "SCMP_CMP_MASKED_EQ": 7}
_READ_BYTES = 1 << 16
_MACHINES = {"aarch64": "arm64", "x86_64": "amd64"}
"""What the profile's `arches` call a machine that Linux names otherwise."""


class _Comparison(ctypes.Structure):
    _fields_ = (
        ("argument", ctypes.c_uint),
        ("operator", ctypes.c_int),
        ("first", ctypes.c_uint64),
        ("second", ctypes.c_uint64),
    )


@cache
def program() -> bytes:
    """Return the profile of this machine, compiled; raises `SandboxUnavailable` without libseccomp."""
    library = _load()
    context = library.seccomp_init(_ERRNO | _EPERM)
    if not context:
        raise SandboxUnavailable("libseccomp does not start.", remedy="Install libseccomp 2.5 or newer.")
    try:
        # Calls of another architecture are refused like all others, and end no program.
        _check(library.seccomp_attr_set(context, _ACT_BADARCH, _ERRNO | _EPERM))
        library.seccomp_attr_set(context, _OPTIMIZE, _BINARY_TREE)
        for rule in json.loads(seccomp.profile())["syscalls"]:
            if applies(rule, platform.machine(), platform.release()):
                _add(library, context, rule)
        return _exported(library, context)
    finally:
        library.seccomp_release(context)


def applies(rule: Mapping[str, Any], machine: str, kernel: str) -> bool:
    """Return whether a rule of the profile is meant for a machine with this kernel."""
    included, excluded = rule.get("includes", {}), rule.get("excludes", {})
    names = {machine, _MACHINES.get(machine, machine)}
    if "arches" in included and not names & set(included["arches"]):
        return False
    if names & set(excluded.get("arches", ())):
        return False
    oldest = included.get("minKernel")
    return oldest is None or _numbers(kernel) >= _numbers(oldest)


def _add(library: Any, context: int, rule: Mapping[str, Any]) -> None:
    is_allowed = rule["action"] == "SCMP_ACT_ALLOW"
    action = _ALLOW if is_allowed else _ERRNO | rule.get("errnoRet", _EPERM)
    comparisons = [
        _Comparison(one["index"], _COMPARISONS[one["op"]], one["value"], one.get("valueTwo", 0))
        for one in rule.get("args", ())
    ]
    array = (_Comparison * len(comparisons))(*comparisons)
    for number in _known(library, rule["names"]):
        _check(library.seccomp_rule_add_array(context, action, number, len(comparisons), array))


def _known(library: Any, names: list[str]) -> Iterator[int]:
    """Yield the numbers of calls that the library and the machine know; the others are refused anyway."""
    for name in names:
        number = library.seccomp_syscall_resolve_name(name.encode())
        if number >= 0:
            yield number


def _exported(library: Any, context: int) -> bytes:
    memory = os.memfd_create("greenline-seccomp")
    try:
        _check(library.seccomp_export_bpf(context, memory))
        os.lseek(memory, 0, os.SEEK_SET)
        return b"".join(iter(lambda: os.read(memory, _READ_BYTES), b""))
    finally:
        os.close(memory)


def _load() -> Any:
    try:
        library = ctypes.CDLL(_LIBRARY)
    except OSError as error:
        raise SandboxUnavailable(
            f"{_LIBRARY} is missing, which compiles the list of system calls.",
            remedy="Install it: `apt-get install libseccomp2`.",
        ) from error
    context = ctypes.c_void_p
    library.seccomp_init.restype = context
    library.seccomp_init.argtypes = (ctypes.c_uint32,)
    library.seccomp_release.argtypes = (context,)
    library.seccomp_attr_set.argtypes = (context, ctypes.c_int, ctypes.c_uint32)
    library.seccomp_rule_add_array.argtypes = (
        context,
        ctypes.c_uint32,
        ctypes.c_int,
        ctypes.c_uint,
        ctypes.POINTER(_Comparison),
    )
    library.seccomp_export_bpf.argtypes = (context, ctypes.c_int)
    return library


def _check(result: int) -> None:
    if result != 0:
        raise SandboxUnavailable(
            f"libseccomp refused a rule: {os.strerror(-result)}.", remedy="Install libseccomp 2.5 or newer."
        )


def _numbers(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version)[:2]]
