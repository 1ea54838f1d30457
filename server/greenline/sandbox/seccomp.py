"""Which system calls a container may make: an allow-list, the same on every engine, however old.

What an engine's own list lets through differs with its version: older ones allow `io_uring`, which works past
filters of calls, and sockets of the hypervisor, which no network namespace holds back.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

_FILES = """
access chdir chmod chown close close_range copy_file_range creat dup dup2 dup3 faccessat faccessat2 fadvise64
fallocate fchdir fchmod fchmodat fchmodat2 fchown fchownat fcntl fdatasync fgetxattr flistxattr flock
fremovexattr fsetxattr fstat fstatfs fsync ftruncate futimesat getcwd getdents getdents64 getxattr getxattrat
inotify_add_watch inotify_init inotify_init1 inotify_rm_watch ioctl lchown lgetxattr link linkat listxattr
listxattrat llistxattr lremovexattr lseek lsetxattr lstat mkdir mkdirat mknod mknodat name_to_handle_at
newfstatat open openat openat2 pread64 preadv preadv2 pwrite64 pwritev pwritev2 read readahead readlink
readlinkat readv removexattr removexattrat rename renameat renameat2 rmdir sendfile setxattr setxattrat splice
stat statfs statx symlink symlinkat sync sync_file_range sync_file_range2 syncfs tee truncate umask unlink
unlinkat utime utimensat utimes vmsplice write writev
"""
_PROCESSES = """
alarm arch_prctl capget capset execve execveat exit exit_group fork getcpu getegid geteuid getgid getgroups
getitimer getpgid getpgrp getpid getppid getpriority getresgid getresuid getrlimit getrusage getsid gettid
getuid ioprio_get ioprio_set kill landlock_add_rule landlock_create_ruleset landlock_restrict_self pause
pidfd_open pidfd_send_signal prctl prlimit64 process_mrelease process_vm_readv process_vm_writev
restart_syscall riscv_flush_icache riscv_hwprobe rseq rt_sigaction rt_sigpending rt_sigprocmask
rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo sched_get_priority_max
sched_get_priority_min sched_getaffinity sched_getattr sched_getparam sched_getscheduler sched_rr_get_interval
sched_setaffinity sched_setattr sched_setparam sched_setscheduler sched_yield seccomp set_robust_list
set_tid_address setfsgid setfsuid setgid setgroups setitimer setpgid setpriority setregid setresgid setresuid
setreuid setrlimit setsid setuid sigaltstack signalfd signalfd4 tgkill time times tkill uname vfork wait4
waitid
"""
_MEMORY = """
brk cachestat get_robust_list get_thread_area madvise map_shadow_stack membarrier memfd_create memfd_secret
mincore mlock mlock2 mlockall mmap mprotect mremap mseal msync munlock munlockall munmap pkey_alloc pkey_free
pkey_mprotect remap_file_pages set_thread_area
"""
_TALK = """
accept accept4 bind connect epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd
eventfd2 futex futex_requeue futex_wait futex_waitv futex_wake getpeername getsockname getsockopt io_cancel
io_destroy io_getevents io_pgetevents io_setup io_submit ipc listen mq_getsetattr mq_notify mq_open
mq_timedreceive mq_timedsend mq_unlink msgctl msgget msgrcv msgsnd pipe pipe2 poll ppoll pselect6 recv
recvfrom recvmmsg recvmsg select semctl semget semop semtimedop send sendmmsg sendmsg sendto setsockopt shmat
shmctl shmdt shmget shutdown
"""
"""`ipc`, `recv` and `send` are calls of their own on ppc64le only, where the C library makes them."""
_TIME = """
adjtimex clock_adjtime clock_getres clock_gettime clock_nanosleep getrandom gettimeofday nanosleep sysinfo
timer_create timer_delete timer_getoverrun timer_gettime timer_settime timerfd_create timerfd_gettime
timerfd_settime
"""
_UNIX = 1
_ADDRESS_FAMILIES = (_UNIX, 2, 10, 16)
"""Unix, IPv4, IPv6, and netlink, by which programs ask for the addresses of their own network."""
_PERSONALITIES = (0x0, 0x8, 0x20000, 0x20008, 0xFFFFFFFF)
"""Those that set no protection aside: Linux of 64 and 32 bits, each with an old name too; the question."""
_NAMESPACES = 0x7E020000
"""`CLONE_NEW…` of every kind."""
_ENOSYS = 38
_MACHINES = ("X86_64", "AARCH64", "PPC64LE", "RISCV64")
_FLAGS_SECOND = ["s390", "s390x"]
"""Where `clone` takes its flags as the second argument."""
_SAFE_TRACING = "4.8"
"""The first kernel on which a filter sees the call that a tracer puts in the place of another."""


@cache
def profile() -> str:
    """Return the profile as the JSON that Docker's API takes; everything else is refused with EPERM."""
    names = sorted({*_FILES.split(), *_PROCESSES.split(), *_MEMORY.split(), *_TALK.split(), *_TIME.split()})
    rules: list[dict[str, Any]] = [{"names": names, "action": "SCMP_ACT_ALLOW"}]
    rules += [_allowed("socket", _equal(family)) for family in _ADDRESS_FAMILIES]
    rules.append(_allowed("socketpair", _equal(_UNIX)))
    rules += [_allowed("personality", _equal(value)) for value in _PERSONALITIES]
    rules.append(_allowed("clone", _no_namespace(0)) | {"excludes": {"arches": _FLAGS_SECOND}})
    rules.append(_allowed("clone", _no_namespace(1)) | {"includes": {"arches": _FLAGS_SECOND}})
    rules.append({"names": ["ptrace"], "action": "SCMP_ACT_ALLOW", "includes": {"minKernel": _SAFE_TRACING}})
    # A filter cannot see its flags; programs fall back to `clone` where it does not exist.
    rules.append({"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": _ENOSYS})
    # Programs of 32 bits are left out: they have other ways to make a socket.
    machines = [{"architecture": f"SCMP_ARCH_{name}", "subArchitectures": list[str]()} for name in _MACHINES]
    return json.dumps({"defaultAction": "SCMP_ACT_ERRNO", "archMap": machines, "syscalls": rules})


def _allowed(name: str, condition: dict[str, Any]) -> dict[str, Any]:
    return {"names": [name], "action": "SCMP_ACT_ALLOW", "args": [condition]}


def _no_namespace(index: int) -> dict[str, Any]:
    return {"index": index, "value": _NAMESPACES, "valueTwo": 0, "op": "SCMP_CMP_MASKED_EQ"}


def _equal(value: int) -> dict[str, Any]:
    return {"index": 0, "value": value, "op": "SCMP_CMP_EQ"}
