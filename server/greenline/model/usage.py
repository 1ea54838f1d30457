"""What a call cost, with every token counted once: read from the cache, written to it, or neither."""

from __future__ import annotations

from typing import Any

import attrs

from greenline.core.port import Usage


@attrs.frozen
class Tokens:
    """The tokens of one call by how they are charged."""

    fresh: int
    """Input that neither comes from the cache nor goes there."""
    cache_read: int
    cache_write: int
    output: int

    @property
    def prompt(self) -> int:
        """All input."""
        return self.fresh + self.cache_read + self.cache_write


def tokens_of(usage: Any) -> Tokens:
    """Return the tokens that a server's answer reports, in either style.

    Most count what the cache had or takes as part of the prompt; some leave it out. More cached than prompted
    is the second style, and anything else the first: no token is ever counted twice.
    """
    details = getattr(usage, "prompt_tokens_details", None)
    prompt = _count(usage, "prompt_tokens")
    cache_read = _count(usage, "cache_read_input_tokens") or _count(details, "cached_tokens")
    cache_write = _count(usage, "cache_creation_input_tokens") or _count(details, "cache_creation_tokens")
    cached = cache_read + cache_write
    fresh = prompt - cached if prompt >= cached else prompt
    return Tokens(fresh, cache_read, cache_write, _count(usage, "completion_tokens"))


def usage_of(litellm: Any, answer: Any) -> Usage:
    """Return an answer's tokens and their price by litellm's table; a model without a price costs nothing."""
    reported = getattr(answer, "usage", None)
    tokens = tokens_of(reported)
    if tokens.prompt != _count(reported, "prompt_tokens"):
        # litellm's prices take the prompt to hold what the cache had.
        answer.usage = litellm.Usage(
            prompt_tokens=tokens.prompt,
            completion_tokens=tokens.output,
            total_tokens=tokens.prompt + tokens.output,
            cache_read_input_tokens=tokens.cache_read,
            cache_creation_input_tokens=tokens.cache_write,
        )
    try:
        cost = float(litellm.completion_cost(completion_response=answer) or 0.0)
    except Exception:  # noqa: BLE001 - litellm raises its own errors, and others, for a model without a price
        cost = 0.0
    return Usage(tokens.prompt, tokens.output, cost, tokens.cache_read, tokens.cache_write)


def _count(holder: Any, name: str) -> int:
    value = getattr(holder, name, 0)
    return value if isinstance(value, int) and value > 0 else 0
