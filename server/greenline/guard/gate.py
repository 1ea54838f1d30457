"""The one gate that decides which files the agent may see, in two classes: secret and ignored.

A secret file never enters a prompt, an index, a log or a container; an ignored one stays out of prompts and
the index, but is staged for the tests, which may need it.
"""

# Paths are strings here: they are keys of the overlay, and `Path` would respell some of them.
# ruff: noqa: PTH118

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Sequence

from greenline.core.error import GreenlineError
from greenline.workspace.ignore import IgnoreRules
from greenline.workspace.listing import is_skipped_folder, list_root
from greenline.workspace.root import Located, locate

IGNORE_FILE = ".greenlineignore"
"""A workspace's own file of this name adds to the ignored files; it can let nothing in."""

_SECRET_FOLDERS = frozenset({".ssh", ".gnupg", ".aws", ".azure", ".gcloud", ".kube", ".password-store"})
_SECRET_NAMES = (
    ".env",
    ".env[._-]*",
    "*.env",
    ".envrc",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".git-credentials",
    ".htpasswd",
    ".dockercfg",
    ".dockerconfigjson",
    ".vault-token",
    ".terraformrc",
    "terraform.tfstate*",
    "*.tfvars",
    "*.tfvars.json",
    ".vault[_-]pass*",
    "credentials",
    "credentials.json",
    "credentials.y*ml",
    "credentials.toml",
    "secrets.json",
    "secrets.y*ml",
    "secrets.toml",
    "secret.json",
    "secret.y*ml",
    "service-account*.json",
    "service_account*.json",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.p8",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "*.ppk",
    "*.asc",
    "*.gpg",
)
_HARMLESS_NAMES = (
    "*[._-]example",
    "*[._-]sample",
    "*[._-]template",
    "*[._-]dist",
    "*.pub",
    ".env.defaults",
    ".env.schema",
)


def _any_of(patterns: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(fnmatch.translate(pattern) for pattern in patterns))


# One pattern each: the index asks for every file of the workspace.
_SECRET = _any_of(_SECRET_NAMES)
_HARMLESS = _any_of(_HARMLESS_NAMES)


class FileWithheld(GreenlineError):
    """The gate keeps the file from the agent."""

    code = "withheld"


class Gate:
    """Answers for the roots it was made for; keeps what git lists from its first question on."""

    def __init__(self, roots: Sequence[str]) -> None:
        self._roots = tuple(roots)
        self._tracked: dict[str, frozenset[str]] = {}
        self._git_rules = {root: IgnoreRules(root) for root in self._roots}
        self._own_rules = {root: IgnoreRules(root, IGNORE_FILE) for root in self._roots}

    def is_secret(self, relative: str) -> bool:
        """Return whether a path's names are those of a secret file."""
        parts = [part.lower() for part in relative.replace(os.sep, "/").split("/")]
        if any(part in _SECRET_FOLDERS for part in parts[:-1]):
            return True
        if parts[-1] == "config.json" and ".docker" in parts[:-1]:
            return True
        return _SECRET.match(parts[-1]) is not None and _HARMLESS.match(parts[-1]) is None

    def refusal(self, root: str, relative: str) -> str | None:
        """Return why a file that git's listing holds is still withheld: `secret`, `ignored` or None.

        For listings, which need no answer about git's own rules; `root` is one that the gate was made for.
        """
        if self.is_secret(relative):
            return "secret"
        return "ignored" if self._own_rules[root].ignored(relative) else None

    def is_ignored(self, path: str) -> bool:
        """Return whether a file is kept from prompts by ignore files, an environment or a cache.

        `path` is absolute, or relative to the only root; raises `OutsideWorkspace`.
        """
        located = locate(path, self._roots)
        return any(self._ignored_in(located.root, name) for name in _names(located))

    def may_stage(self, relative: str) -> bool:
        """Return whether a file may enter a container."""
        return not self.is_secret(relative)

    def may_prompt(self, path: str) -> bool:
        """Return whether a file's text may be shown to a model; False for what lies outside the roots."""
        try:
            self.check_read(path)
        except GreenlineError:
            return False
        return True

    def check_read(self, path: str) -> None:
        """Raise `FileWithheld` (or `OutsideWorkspace`) where the agent may not read; links are resolved."""
        located = locate(path, self._roots)
        for name in _names(located):
            if self.is_secret(name):
                raise FileWithheld(
                    f"{located.relative} looks like a file of secrets and is kept from the agent.",
                    remedy="Work without it; a file such as .env.example may describe what it holds.",
                    code="secret",
                )
            if self._ignored_in(located.root, name):
                raise FileWithheld(
                    f"{located.relative} is ignored by the project and is kept from the agent.",
                    remedy="Work without it, or ask the user to take it out of the ignore file.",
                    code="ignored",
                )

    def _ignored_in(self, root: str, relative: str) -> bool:
        if relative == ".":
            return False
        if self._own_rules[root].ignored(relative):
            return True
        if relative in self._tracked_in(root):
            return False
        parts = relative.split("/")
        folders = ("/".join(parts[:count]) for count in range(1, len(parts) + 1))
        if any(is_skipped_folder(os.path.join(root, folder)) for folder in folders):
            return True
        return self._git_rules[root].ignored(relative)

    def _tracked_in(self, root: str) -> frozenset[str]:
        if root not in self._tracked:
            self._tracked[root] = list_root(root, self._roots).tracked
        return self._tracked[root]


def _names(located: Located) -> tuple[str, ...]:
    """Return a path's own relative name, and its target's where it is a link."""
    target = os.path.relpath(located.target, os.path.normpath(located.root)).replace(os.sep, "/")
    return (located.relative,) if target == located.relative else (located.relative, target)
