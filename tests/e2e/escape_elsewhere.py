"""What stops attempts in other sandboxes than Docker's containers, where that is something else."""

from __future__ import annotations

from escape_attempt import elsewhere

_SEEN = "trace-reporter read-reporter reporter-mem reporter-descriptor end-reporter"

for _engine in ("bubblewrap", "unprivileged"):
    elsewhere(_engine, _SEEN, "the reporter's own process namespace", "absent")
    elsewhere(_engine, "replace-report", "the channel's folder is a read-only mount", "EROFS")
    elsewhere(_engine, "core-pattern sysrq", "files of root's", "EACCES ENOENT")
    elsewhere(_engine, "sys-write cgroup-limit cgroup-leave", "there is no `/sys`", "absent")
    elsewhere(_engine, "dns", "no name server is named", "ENOENT")
elsewhere("podman", "replace-report", "the sticky bit of the channel's folder", "EPERM")
elsewhere("podman", "dns", "no name server is named", "ENOENT")
elsewhere("bubblewrap", "setns", "the first process is root's", "EACCES")
elsewhere("bubblewrap", "descriptors", "nothing is left open, and the first process is root's", "EACCES")
elsewhere("unprivileged", "read-report", "the channel's mode, which a read-only mount keeps", "EACCES")
elsewhere("unprivileged", "setuid chown", "a user namespace without root", "EINVAL")
elsewhere("unprivileged", "memory", "a limit on each process", "ENOMEM")
elsewhere("unprivileged", "fork-bomb", "a limit on the user's processes in its namespace", "EAGAIN")

_OWN = "it is gVisor's own, not the machine's"
elsewhere("gvisor", "user-namespace device-node devices syslog io-uring priority", _OWN, "done")
elsewhere("gvisor", "perf-event", _OWN, "ENODEV")
_NOT = "gVisor has no such thing"
elsewhere("gvisor", "setns disk core-pattern", _NOT, "ENOENT")
elsewhere("gvisor", "sys-write cgroup-limit cgroup-leave", _NOT, "absent")
elsewhere("gvisor", "userfaultfd fanotify read-reporter", _NOT, "ENOSYS")
elsewhere("gvisor", "open-by-handle file-capability", _NOT, "ENOTSUP EOPNOTSUPP")
elsewhere("gvisor", "real-time", _NOT, "EINVAL")
elsewhere("gvisor", "add-key user-keyring", _NOT, "EACCES")
elsewhere("gvisor", "ipv4 ipv6 metadata dns", "a network of gVisor's own without network", "EHOSTUNREACH")
elsewhere("gvisor", "terminal", "no terminal", "EIO")
_ENDS = "{}, which ends the whole sandbox"
elsewhere("gvisor", "memory", _ENDS.format("a limit on memory"), "SIGKILL")
elsewhere("gvisor", "fork-bomb", _ENDS.format("a limit on processes"), "SIGKILL")
elsewhere("gvisor", "fill-inodes", "nothing but the limit on memory", "done")
