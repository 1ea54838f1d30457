"""Which image a project's own files ask for: a devcontainer's, or the one that was built from a Dockerfile.

Pure. Nothing is built here: a build has a network of its own and runs as root. What a Dockerfile makes is
known by a name that is a hash of it and of the files that it copies by name; whoever builds it, builds that.
"""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
import shlex
from collections.abc import Iterator

import attrs

from greenline.core.error import SandboxUnavailable
from greenline.core.port import Tree

DOCKERFILE = "dockerfile"
DEVCONTAINER = "devcontainer"
REPOSITORY = "greenline-project"
_DEVCONTAINERS = (".devcontainer/devcontainer.json", ".devcontainer.json")
_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*(?:"|\Z))|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING = re.compile(r'("(?:[^"\\]|\\.)*(?:"|\Z))|,(?=\s*[}\]])', re.DOTALL)
_MAX_BYTES = 1 << 16


@attrs.frozen
class WantedImage:
    """An image that must be on the engine."""

    name: str
    remedy: str
    """What puts it there."""


def is_project(image: str) -> bool:
    """Return whether the setting `image` stands for what the project's files say."""
    return image == DEVCONTAINER or image.partition(":")[0] == DOCKERFILE


def wanted_image(image: str, tree: Tree) -> WantedImage:
    """Return the image that a setting stands for; raises `SandboxUnavailable` where the files do not say."""
    if image == DEVCONTAINER:
        return _of_devcontainer(tree)
    if is_project(image):
        return _of_dockerfile(tree, image.partition(":")[2] or "Dockerfile", ".")
    return WantedImage(
        image, f"Build it there, or fetch it: `docker pull {image}`. Greenline fetches nothing."
    )


def _of_devcontainer(tree: Tree) -> WantedImage:
    path = next((name for name in _DEVCONTAINERS if name in tree), None)
    if path is None:
        raise SandboxUnavailable(
            f"The project has no {_DEVCONTAINERS[0]}.", remedy="Name an image as `image` in config.toml."
        )
    found = _read(tree, path)
    if found.get("features"):
        raise SandboxUnavailable(
            f"{path} asks for features, which Greenline does not build.",
            remedy="Build it with the `devcontainer` program and name the result as `image`.",
        )
    image, build = found.get("image"), found.get("build")
    if isinstance(image, str) and image:
        return WantedImage(image, f"Fetch it: `docker pull {shlex.quote(image)}`. Greenline fetches nothing.")
    file = build.get("dockerfile") if isinstance(build, dict) else found.get("dockerFile")
    if not isinstance(file, str):
        raise SandboxUnavailable(
            f"{path} names neither an image nor a Dockerfile.",
            remedy="Name an image as `image` in config.toml.",
        )
    folder = posixpath.dirname(path)
    context = build.get("context", ".") if isinstance(build, dict) else found.get("context", ".")
    return _of_dockerfile(tree, _joined(folder, file), _joined(folder, str(context)))


def _read(tree: Tree, path: str) -> dict[str, object]:
    """Return a file of JSON with comments and commas at the end."""
    text = tree[path].content[:_MAX_BYTES].decode("utf-8", "replace")
    for pattern in (_COMMENT, _TRAILING):
        text = pattern.sub(lambda match: match[1] or "", text)
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SandboxUnavailable(
            f"{path} cannot be read: {error}.", remedy="Mend it, or name an image as `image`."
        ) from error
    return found if isinstance(found, dict) else {}


def _of_dockerfile(tree: Tree, path: str, context: str) -> WantedImage:
    if path not in tree:
        raise SandboxUnavailable(
            f"The project has no {path}.", remedy='Name the file as `image = "dockerfile:PATH"`, or an image.'
        )
    if context != "." and not any(name.startswith(f"{context}/") for name in tree):
        raise SandboxUnavailable(
            f"{path} is built from {context!r}, which is no folder of the project.",
            remedy="Build it yourself, and name the result as `image`.",
        )
    digest = hashlib.sha256(tree[path].content)
    for name in sorted(set(_copied(tree[path].content.decode("utf-8", "replace")))):
        file = tree.get(_joined(context, name))
        # Folders and patterns hold the program itself, which is staged anew each time.
        if file is not None:
            digest.update(f"\0{name}\0".encode("utf-8", "surrogateescape") + file.content)
    name = f"{REPOSITORY}:{digest.hexdigest()[:16]}"
    # Below `./` nothing is taken for an option or an address.
    command = shlex.join(
        ["docker", "build", "-t", name, "-f", f"./{path}", f"./{context}".removesuffix("/.")]
    )
    return WantedImage(
        name, f"Build it in the project's folder: `{command}`. Greenline builds nothing itself."
    )


def _copied(text: str) -> Iterator[str]:
    """Yield what a Dockerfile copies from its context."""
    for line in re.sub(r"\\\n", " ", text).splitlines():
        words = line.split()
        if words and words[0].upper() in ("COPY", "ADD"):
            sources = [word for word in words[1:] if not word.startswith("--")]
            if not any(word.startswith("--from") for word in words):
                yield from (source.strip('[]",') for source in sources[:-1])


def _joined(folder: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(folder, path))
