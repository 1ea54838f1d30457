"""What is remembered of a workspace's tests from one verification to the next."""

from __future__ import annotations

import attrs

from greenline.verify.base_cache import BaseCache
from greenline.verify.flaky_memory import FlakyMemory


@attrs.frozen
class Memory:
    """What bases came to, and which tests are flaky."""

    bases: BaseCache = attrs.field(factory=BaseCache)
    flaky: FlakyMemory = attrs.field(factory=FlakyMemory)
