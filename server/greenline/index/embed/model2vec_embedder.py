"""Embeddings of a model2vec folder, or of a name that the package knows, where `model2vec` is installed."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from greenline.core.error import InvalidInput

Floats = NDArray[np.float32]

_WORD_BITS = 64
"""The index keeps signs in words of this many bits; zeros fill a vector up, which changes no angle."""


class Model2vecEmbedder:
    """Implements `Embedder`; the package is imported when the embedder is made."""

    def __init__(self, name: str) -> None:
        """Load a folder or a name; a name that is not on this machine is looked up by the package."""
        if importlib.util.find_spec("model2vec") is None:
            raise InvalidInput(
                f"The embedder {name!r} needs the package model2vec, which is not installed.",
                remedy="Install it beside greenline (pip install model2vec), or use the built-in embedder.",
            )
        try:
            self._model = importlib.import_module("model2vec").StaticModel.from_pretrained(name)
        except Exception as error:
            # The package raises whatever its own readers do; the name is what the user can mend.
            raise InvalidInput(
                f"The embedder {name!r} could not be loaded: {error}.",
                remedy="Give the folder of a model2vec model, or a name that can be downloaded.",
            ) from error
        width = int(self._model.dim)
        self._filled = -width % _WORD_BITS
        self.dims = width + self._filled
        self.stamp = f"model2vec-{name}-{self.dims}"

    def embed(self, texts: Sequence[str]) -> Floats:
        """Embed chunks, shape (texts, dims)."""
        if not texts:
            return np.zeros((0, self.dims), np.float32)
        vectors = np.asarray(self._model.encode(list(texts)), np.float32)
        vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.float32(1e-9))
        filled: Floats = np.pad(vectors, ((0, 0), (0, self._filled)))
        return filled

    def embed_query(self, text: str) -> Floats:
        """Embed a question, which such a model does not tell from code; shape (dims,)."""
        found: Floats = self.embed([text])[0]
        return found
