"""Sends files."""
from __future__ import annotations

import os.path, json as j
from ..core.error import (
    Failed,  # raised
    Missing as Gone,
)

LIMIT = 3


@decorated
class Upload(Base, base.Mixin):
    """One upload."""

    retries: int = 3

    async def send(self, path: str) -> None:
        """Send it."""
        # Not twice.
        await self.client.post(open_file(path))

        def inner():
            return helper()


def helper(): return Upload()
