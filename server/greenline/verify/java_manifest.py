"""What of a `pom.xml` or a `build.gradle` says how tests are run; pure."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import attrs

_PLUGINS = frozenset({"maven-surefire-plugin", "maven-failsafe-plugin"})
_PROPERTIES = re.compile(r"argLine|skipTests|maven\.test\.|surefire|failsafe|groups|excludedGroups")
_OWN = frozenset({"testSourceDirectory", "testResources", "annotationProcessorPaths"})
"""Elements that decide what is compiled into tests, or with them."""
_TESTING = re.compile(r"(?:^|\.)junit(?:\.|$)|assertj|hamcrest|mockito|testng|truth")
_GRADLE = re.compile(r"\btest\b|\bTest\b|useJUnit|testLogging")
_GRADLE_DEPENDENCY = re.compile(r"^\s*test\w+\b|junit|assertj|hamcrest|mockito", re.M)


@attrs.frozen
class RunnerParts:
    """The parts of a manifest, comparable."""

    runner: str = ""
    """How tests are run."""
    libraries: str = ""
    """What they are run with."""


def runner_parts(path: str, content: bytes) -> RunnerParts:
    """Return what of a manifest concerns tests; of one that cannot be read all of it."""
    if path.endswith("pom.xml"):
        try:
            root = read_pom(content) if content else ElementTree.Element("project")
        except ValueError:
            return RunnerParts(content.decode("utf-8", "replace"))
        return _of_pom(root)
    text = re.sub(r"/\*.*?\*/|(?<![:\"'])//[^\n]*", "", content.decode("utf-8", "replace"), flags=re.S)
    blocks = [block for block in _blocks(text) if _GRADLE.search(block.split("{")[0])]
    libraries = [line.strip() for line in text.split("\n") if _GRADLE_DEPENDENCY.search(line)]
    return RunnerParts("\n".join(blocks), "\n".join(libraries))


def read_pom(content: bytes) -> ElementTree.Element:
    """Return a pom's root without name spaces; raises `ValueError` with the reason."""
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise ValueError("it defines a document type")
    try:
        root = ElementTree.fromstring(content)
    except (ElementTree.ParseError, LookupError) as error:
        raise ValueError(str(error)) from error
    for element in root.iter():
        if isinstance(element.tag, str):
            element.tag = element.tag.rpartition("}")[2]
        element.text = (element.text or "").strip()
        element.tail = ""
    return root


def _of_pom(root: ElementTree.Element) -> RunnerParts:
    runner, libraries = [], []
    for element in root.iter():
        name = element.findtext("artifactId") or ""
        is_plugin = element.tag == "plugin" and name in _PLUGINS
        is_property = bool(element.text and _PROPERTIES.match(str(element.tag)))
        if is_plugin or is_property or element.tag in _OWN:
            runner.append(element)
        elif element.tag == "dependency" and (
            element.findtext("scope") == "test" or _TESTING.search(f"{element.findtext('groupId')}.{name}")
        ):
            libraries.append(element)
    try:
        said = ["\n".join(ElementTree.tostring(e, "unicode") for e in found) for found in (runner, libraries)]
    except RecursionError:
        # Nested deeper than anybody writes: all of it counts.
        said = ["".join(root.itertext()), ""]
    return RunnerParts(*said)


def _blocks(text: str) -> list[str]:
    """Return the outermost blocks of a build script, each with the words before its brace."""
    found, depth, start = [], 0, 0
    for match in re.finditer(r"[{}\n]", text):
        if match[0] == "{":
            depth += 1
        elif match[0] == "}":
            depth = max(0, depth - 1)
            if depth == 0:
                found.append(text[start : match.end()].strip())
                start = match.end()
        elif depth == 0:
            found.append(text[start : match.end()].strip())
            start = match.end()
    return found
