"""What can go wrong in a cluster, for the stub to do on demand."""

from __future__ import annotations

import attrs

V4, V5 = "v4.channel.k8s.io", "v5.channel.k8s.io"


@attrs.define
class Faults:
    """Set before or during a test; an untouched one is a cluster that works."""

    unknown_user: bool = False
    """Every request is 401."""
    overloaded: bool = False
    """Every request is 503."""
    silent: bool = False
    """No request is answered."""
    refused: set[str] = attrs.field(factory=set)
    """`create jobs`, `get pods/exec`: what the user may not, and is told so when it asks."""
    refused_late: set[str] = attrs.field(factory=set)
    """The same, but allowed when the user asks."""
    conflicts: int = 0
    """How many of the next Jobs are told that their name is taken."""
    missing_namespace: bool = False
    expired_watches: int = 0
    """How many of the next watches end with 410."""
    broken_watches: int = 0
    """How many of the next watches are cut before they say anything."""
    unschedulable: str = ""
    """Why no node takes a pod."""
    waiting: tuple[str, str] = ("", "")
    """Reason and message with which containers wait for ever, such as `ImagePullBackOff`."""
    quota: str = ""
    """Why the controller can make no pod."""
    out_of_memory_on: str = ""
    """A word of a command: its container is ended as if memory had run out."""
    evicted_on: str = ""
    """A word of a command: its pod is evicted."""
    lost_node_on: str = ""
    """A word of a command: its node falls silent, and the cluster takes the pod away."""
    cut_on: str = ""
    """A word of a command: its connection is cut in the middle."""
    after_s: float = 0.3
    """How long a command works before something happens to it."""
    is_open: bool = False
    """Whether pods have a network, as where no plug-in enforces policies."""
    protocols: tuple[str, ...] = (V5, V4)
    """Versions of the channel protocol that the server speaks, best first."""
    start_s: float = 0.0
    """How long a pod takes to start."""
