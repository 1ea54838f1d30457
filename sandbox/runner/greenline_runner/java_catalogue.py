"""Gradle's catalogue of versions, `gradle/libs.versions.toml`: what `libs.…` in a build stands for.

Read line by line, as the Python of a project may be too old to have a reader of TOML.
"""

import os
import re

_SECTION = re.compile(r"^\s*\[(\w+)\]")
_ENTRY = re.compile(r"^\s*[\"']?([\w.\-]+)[\"']?\s*=\s*(.+)$")
_TEXT = re.compile(r"[\"']([^\"']*)[\"']")


def read_catalogue(root):
    """Return name behind `libs.` → its artifacts, each group, name and version."""
    try:
        with open(
            os.path.join(root, "gradle", "libs.versions.toml"), encoding="utf-8", errors="replace"
        ) as file:
            text = re.sub(r",\s*\n\s*|\[\s*\n\s*|\n\s*(?=\])", lambda m: m[0].replace("\n", " "), file.read())
    except OSError:
        return {}
    sections = {"versions": {}, "libraries": {}, "bundles": {}}
    section = ""
    for line in text.splitlines():
        head, entry = _SECTION.match(line), _ENTRY.match(line)
        if head and "=" not in line:
            section = head.group(1)
        elif entry and section in sections:
            sections[section][entry.group(1)] = entry.group(2)
    versions = {name: _first(value) for name, value in sections["versions"].items()}
    found = {}
    for name, value in sections["libraries"].items():
        found[_accessor(name)] = [_artifact(value, versions)]
    for name, value in sections["bundles"].items():
        inside = [found.get(_accessor(one), []) for one in _TEXT.findall(value)]
        found["bundles." + _accessor(name)] = [artifact for artifacts in inside for artifact in artifacts]
    return found


def _artifact(value, versions):
    if not value.lstrip().startswith("{"):
        group, artifact, version = [*_first(value).split(":"), "", "", ""][:3]
        return group, artifact, version
    module = _named(value, "module").split(":")
    group, artifact = [*module, ""][:2]
    version = versions.get(_named(value, r"version\.ref"), "") or _named(value, "version")
    return group or _named(value, "group"), artifact or _named(value, "name"), version


def _named(value, name):
    found = re.search(rf"(?<![\w.]){name}\s*=\s*(?:\{{[^}}]*?)?[\"']([^\"']*)[\"']", value)
    return found.group(1) if found else ""


def _first(value):
    found = _TEXT.search(value)
    return found.group(1) if found else ""


def _accessor(name):
    return re.sub(r"[-_]", ".", name)
