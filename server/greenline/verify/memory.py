"""What is remembered of a workspace's tests from one verification to the next."""

from __future__ import annotations

import attrs

from greenline.verify.base_cache import BaseCache
from greenline.verify.flaky_memory import FlakyMemory
from greenline.verify.suite_memory import SuiteMemory


@attrs.frozen
class Memory:
    """What bases came to, which tests are flaky, and what else is known of the suites."""

    bases: BaseCache = attrs.field(factory=BaseCache)
    flaky: FlakyMemory = attrs.field(factory=FlakyMemory)
    suites: SuiteMemory = attrs.field(factory=SuiteMemory)
