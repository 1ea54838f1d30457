"""Embeddings of any model that litellm reaches; the text leaves this machine unless the address is local."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from greenline.core.cancel import Cancellation
from greenline.core.error import ModelFailed
from greenline.model.litellm_model import load_litellm

Floats = NDArray[np.float32]

_BATCH = 64
_MAX_CHARACTERS = 8000
"""Of one text: more than a chunk ever has, and less than such models refuse."""
_WORD_BITS = 64
"""The index keeps signs in words of this many bits; zeros fill a vector up, which changes no angle."""


class LitellmEmbedder:
    """Implements `Embedder` of the index, which does not import this package."""

    def __init__(
        self,
        name: str,
        mask: Callable[[str], str],
        *,
        api_base: str | None = None,
        api_key: str | None = None,
        timeout_s: float = 60.0,
    ) -> None:
        """Name a model as litellm does; `mask` hides the user's own secrets in what is sent."""
        self._name = name
        self._mask = mask
        self._api_base = api_base
        self._api_key = api_key or ("none" if api_base else None)
        self._timeout_s = timeout_s

    @cached_property
    def stamp(self) -> str:
        """Name the model, where it is served, and the length of its vectors."""
        place = hashlib.sha256((self._api_base or "").encode()).hexdigest()[:8]
        return f"litellm-{self._name}-{place}-{self.dims}"

    @cached_property
    def dims(self) -> int:
        """Ask the model once how long its vectors are."""
        return int(self.embed(["dimensions"]).shape[1])

    def embed(self, texts: Sequence[str]) -> Floats:
        """Embed chunks, shape (texts, dims); raises `ModelFailed`."""
        if not texts:
            return np.zeros((0, self.dims), np.float32)
        vectors = np.array(
            [row for k in range(0, len(texts), _BATCH) for row in self._ask(texts[k : k + _BATCH])],
            np.float32,
        )
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.float32(1e-9))
        filled: Floats = np.pad(vectors, ((0, 0), (0, -vectors.shape[1] % _WORD_BITS)))
        return filled

    def embed_query(self, text: str) -> Floats:
        """Embed a question; shape (dims,)."""
        found: Floats = self.embed([text])[0]
        return found

    def _ask(self, texts: Sequence[str]) -> Iterator[list[float]]:
        litellm = load_litellm(Cancellation())
        asked = [self._mask(text)[:_MAX_CHARACTERS] or " " for text in texts]
        try:
            answer = litellm.embedding(
                model=self._name,
                input=asked,
                api_base=self._api_base,
                api_key=self._api_key,
                timeout=self._timeout_s,
            )
            rows = sorted(answer["data"], key=lambda row: int(row["index"]))
            vectors = [[float(value) for value in row["embedding"]] for row in rows]
        except Exception as error:
            # litellm passes on whatever the provider's client raises.
            raise self._failed(str(error)) from error
        if len(vectors) != len(texts) or len({len(vector) for vector in vectors}) != 1:
            raise self._failed(f"it answered {len(texts)} texts with {len(vectors)} vectors")
        yield from vectors

    def _failed(self, why: str) -> ModelFailed:
        return ModelFailed(
            f"The embedder litellm:{self._name} failed: {why[:300]}.",
            remedy="Check the name, the address and the key, or set the embedder to builtin.",
        )
