"""The list of system calls: what every program needs is on it, what leads out of a container is not."""

from __future__ import annotations

import json

import pytest

from greenline.sandbox.seccomp import profile

RULES = json.loads(profile())["syscalls"]


def _actions(name: str) -> list[tuple[str, bool]]:
    """Return what is done with a call, and whether that depends on its arguments."""
    return [(rule["action"], bool(rule.get("args"))) for rule in RULES if name in rule["names"]]


@pytest.mark.parametrize("name", ["openat", "execve", "futex", "mmap", "epoll_wait", "wait4", "connect"])
def test_what_programs_need_is_allowed(name: str) -> None:
    assert _actions(name) == [("SCMP_ACT_ALLOW", False)]


@pytest.mark.parametrize("name", ["socket", "socketpair", "clone", "personality"])
def test_what_can_be_used_for_ill_depends_on_its_arguments(name: str) -> None:
    assert set(_actions(name)) == {("SCMP_ACT_ALLOW", True)}


@pytest.mark.parametrize(
    "name",
    [
        "io_uring_setup",
        "mount",
        "unshare",
        "setns",
        "bpf",
        "keyctl",
        "open_by_handle_at",
        "socketcall",
        "reboot",
    ],
)
def test_what_leads_out_is_refused(name: str) -> None:
    assert _actions(name) == []
    assert json.loads(profile())["defaultAction"] == "SCMP_ACT_ERRNO"


def test_a_missing_clone3_is_told_as_missing() -> None:
    (rule,) = [rule for rule in RULES if rule["names"] == ["clone3"]]

    assert (rule["action"], rule["errnoRet"]) == ("SCMP_ACT_ERRNO", 38)


@pytest.mark.parametrize(("machine", "index"), [("x86_64", 0), ("arm64", 0), ("riscv64", 0), ("s390x", 1)])
def test_namespaces_are_looked_for_where_a_machine_has_the_flags(machine: str, index: int) -> None:
    rules = [
        rule
        for rule in RULES
        if rule["names"] == ["clone"]
        and machine in rule.get("includes", {}).get("arches", [machine])
        and machine not in rule.get("excludes", {}).get("arches", [])
    ]

    (rule,) = rules
    (condition,) = rule["args"]
    assert (condition["index"], condition["value"]) == (index, 0x7E020000)


def test_tracing_is_left_to_kernels_on_which_it_does_not_get_past_a_filter() -> None:
    (rule,) = [rule for rule in RULES if "ptrace" in rule["names"]]

    assert (rule["action"], rule["includes"]) == ("SCMP_ACT_ALLOW", {"minKernel": "4.8"})
