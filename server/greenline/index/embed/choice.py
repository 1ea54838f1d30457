"""Which embedder a setting names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from greenline.core.error import InvalidInput

if TYPE_CHECKING:
    from greenline.index.vector import Embedder

BUILT_IN, NONE = "builtin", "none"
_MODEL2VEC, _API = "model2vec:", "litellm:"


def choose_embedder(name: str, behind_api: Callable[[str], Embedder] | None = None) -> Embedder | None:
    """Return the embedder that `name` stands for; None for `none`.

    `builtin`, `none`, `model2vec:NAME`, a folder of a model2vec model, or `litellm:NAME`, which `behind_api`
    makes: only the composition root knows the package that may speak to a model. Raises `InvalidInput`.
    """
    if name == BUILT_IN:
        from greenline.index.embed.static_embedder import StaticEmbedder

        return StaticEmbedder()
    if name == NONE:
        return None
    if name.startswith(_API):
        if behind_api is None:
            raise InvalidInput(
                f"The embedder {name!r} is not available here.", remedy=f"Use {BUILT_IN} or {NONE}."
            )
        return behind_api(name.removeprefix(_API))
    if name.startswith(_MODEL2VEC) or Path(name).is_dir():
        from greenline.index.embed.model2vec_embedder import Model2vecEmbedder

        return Model2vecEmbedder(name.removeprefix(_MODEL2VEC))
    raise InvalidInput(
        f"There is no embedder {name!r}.",
        remedy=f"Use {BUILT_IN}, {NONE}, {_MODEL2VEC}NAME, a model2vec folder, or {_API}NAME.",
    )
