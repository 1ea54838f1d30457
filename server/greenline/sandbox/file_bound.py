"""How many files folders in memory may hold, set from outside: bubblewrap bounds their size alone.

A helper enters the sandbox's mount namespace, and the user namespace that owns it, where the folders are its
own to change. It runs before anything of the project does.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable

from greenline.core.error import SandboxUnavailable

_LIMIT_S = 30
_HELPER = """
import ctypes, fcntl, os, sys
libc = ctypes.CDLL(None, use_errno=True)
def check(result):
    if result:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
mounts = os.open("/proc/" + sys.argv[1] + "/ns/mnt", os.O_RDONLY)
NS_GET_USERNS, CLONE_NEWUSER, CLONE_NEWNS = 0xB701, 0x10000000, 0x00020000
MS_NOSUID, MS_NODEV, MS_REMOUNT = 2, 4, 32
owner = fcntl.ioctl(mounts, NS_GET_USERNS)
if not os.path.samestat(os.fstat(owner), os.stat("/proc/self/ns/user")):
    check(libc.setns(owner, CLONE_NEWUSER))
check(libc.setns(mounts, CLONE_NEWNS))
for argument in map(os.fsencode, sys.argv[2:]):
    count, _, folder = argument.partition(b" ")
    flags = MS_REMOUNT | MS_NOSUID | MS_NODEV
    check(libc.mount(b"none", folder, b"tmpfs", ctypes.c_ulong(flags), b"nr_inodes=" + count))
"""


def bound_files(pid: int, folders: Iterable[tuple[str, int]]) -> None:
    """Let each folder of the sandbox that `pid` is in hold so many files; raises `SandboxUnavailable`."""
    arguments = [f"{count} {folder}" for folder, count in folders]
    command = [sys.executable, "-I", "-S", "-c", _HELPER, str(pid), *arguments]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_LIMIT_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SandboxUnavailable(f"The number of files could not be bounded: {error}.") from error
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise SandboxUnavailable(
            f"The number of files could not be bounded: {said[-1] if said else done.returncode}.",
            remedy="bubblewrap must be installed without set-user-id, and user namespaces be allowed.",
        )
