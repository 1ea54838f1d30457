"""The compiled list of system calls, run as the kernel runs it: it says of each call what the list says."""

from __future__ import annotations

import json
import platform
import struct
from collections.abc import Iterator

import pytest

from greenline.core.error import SandboxUnavailable
from greenline.sandbox import seccomp_program
from greenline.sandbox.seccomp import profile

ALLOW = 0x7FFF0000
EPERM, ENOSYS = 0x00050001, 0x00050026
AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
NUMBERS = {
    "x86_64": {"read": 0, "socket": 41, "clone": 56, "personality": 135, "clone3": 435, "unshare": 272},
    "aarch64": {"read": 63, "socket": 198, "clone": 220, "personality": 92, "clone3": 435, "unshare": 97},
}
MACHINE = platform.machine()


def _said(name: str, *arguments: int, audit: int | None = None) -> int:
    """Run the program over one call, and return what it decides."""
    words = [*arguments, *(0,) * (6 - len(arguments))]
    number = NUMBERS[MACHINE][name]
    data = struct.pack("=iIQ6Q", number, AUDIT[MACHINE] if audit is None else audit, 0, *words)
    return _decided(list(_instructions()), data)


def _instructions() -> Iterator[tuple[int, int, int, int]]:
    program = seccomp_program.program()
    assert len(program) % 8 == 0
    yield from struct.iter_unpack("=HBBI", program)


def _decided(program: list[tuple[int, int, int, int]], data: bytes) -> int:
    accumulator, place = 0, 0
    while True:
        code, if_true, if_false, value = program[place]
        place += 1
        if code == 0x20:
            (accumulator,) = struct.unpack_from("=I", data, value)
        elif code == 0x54:
            accumulator &= value
        elif code == 0x05:
            place += value
        elif code == 0x06:
            return value
        else:
            tests = {0x15: accumulator == value, 0x25: accumulator > value, 0x35: accumulator >= value}
            place += if_true if tests[code] else if_false


def test_calls_are_allowed_and_refused_as_the_list_says() -> None:
    assert _said("read") == ALLOW
    assert _said("unshare", 0x10000000) == EPERM
    assert _said("clone3") == ENOSYS


@pytest.mark.parametrize(
    ("family", "decision"), [(1, ALLOW), (2, ALLOW), (10, ALLOW), (38, EPERM), (40, EPERM)]
)
def test_sockets_are_told_apart_by_their_family(family: int, decision: int) -> None:
    assert _said("socket", family) == decision


@pytest.mark.parametrize(("flags", "decision"), [(0x11, ALLOW), (0x10000011, EPERM), (0x20011, EPERM)])
def test_clones_that_make_namespaces_are_refused(flags: int, decision: int) -> None:
    assert _said("clone", flags) == decision


def test_calls_of_another_architecture_are_refused() -> None:
    assert _said("read", audit=0x40000003) == EPERM


def test_rules_are_taken_for_their_machine_and_kernel_alone() -> None:
    rules = {
        json.dumps(rule.get("includes", rule.get("excludes", {}))): rule
        for rule in json.loads(profile())["syscalls"]
    }

    assert not seccomp_program.applies(rules['{"arches": ["s390", "s390x"]}'], "x86_64", "6.1.0")
    assert seccomp_program.applies({"includes": {"arches": ["arm64"]}}, "aarch64", "6.1.0")
    assert not seccomp_program.applies(rules['{"minKernel": "4.8"}'], "x86_64", "4.4.0-210-generic")
    assert seccomp_program.applies(rules['{"minKernel": "4.8"}'], "x86_64", "4.10.1")


def test_a_machine_without_the_library_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seccomp_program, "_LIBRARY", "libnothing.so.9")

    with pytest.raises(SandboxUnavailable) as caught:
        seccomp_program._load()

    assert "libseccomp2" in caught.value.remedy
