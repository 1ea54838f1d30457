"""Keeps Python's garbage collector out of the way of answers.

What the start creates lives as long as the process: collecting it again and again would cost a fifth of the
start, and pauses later.
"""

from __future__ import annotations

import gc


def hold() -> None:
    """Collect nothing for now; call before the imports."""
    gc.disable()


def release() -> None:
    """Collect again, except what exists by now; call once the first message was answered."""
    gc.freeze()
    gc.enable()
