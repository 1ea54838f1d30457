"""A Gradle build as far as its text says it: dependencies, projects and what is set for the tests.

The scripts are programs, and none of them is run: what is put together when they run is not seen.
"""

import os
import re

from greenline_runner.java_pom import BadPom, Dependency, Model, read_model

_COORDINATES = r"[\"']([\w.\-]+):([\w.\-]+)(?::([\w.\-$+{}]+))?(?::([\w.\-]+))?(?:@\w+)?[\"']"
_DEPENDENCY = re.compile(
    r"^\s*(\w*(?:[iI]mplementation|[aA]pi|[cC]ompileOnly|[rR]untimeOnly|[cC]ompile|[rR]untime)"
    r"|annotationProcessor)\b[ \t(]*(platform|enforcedPlatform)?[ \t(]*" + _COORDINATES,
    re.M,
)
_MAP = re.compile(
    r"^\s*(\w*(?:[iI]mplementation|[aA]pi|[cC]ompileOnly|[rR]untimeOnly|[cC]ompile|[rR]untime))\b[ \t(]*"
    r"group\s*[:=]\s*[\"']([^\"']+)[\"']\s*,\s*name\s*[:=]\s*[\"']([^\"']+)[\"']"
    r"(?:\s*,\s*version\s*[:=]\s*[\"']([^\"']+)[\"'])?",
    re.M,
)
_PROJECT = re.compile(
    r"^\s*\w*(?:[iI]mplementation|[aA]pi|[cC]ompileOnly|[rR]untimeOnly|[cC]ompile)\b[ \t(]*"
    r"project\s*\(\s*(?:path\s*[:=]\s*)?[\"']:?([\w\-:.]+)[\"']",
    re.M,
)
_CATALOGUE = re.compile(
    r"^\s*(\w*(?:[iI]mplementation|[aA]pi|[cC]ompileOnly|[rR]untimeOnly)|annotationProcessor)\b[ \t(]*"
    r"(platform|enforcedPlatform)?[ \t(]*libs\.([\w.]+)",
    re.M,
)
_BOM = re.compile(r"\bmavenBom\b[ \t(]*" + _COORDINATES)
_SPRING = re.compile(r"id[ \t(]*[\"']org\.springframework\.boot[\"']\)?\s*version\s*[\"']([\w.\-]+)[\"']")
_MANAGES = "io.spring.dependency-management"
_INCLUDE = re.compile(r"^\s*include\b([^\n]*(?:,\s*\n[^\n]*)*)", re.M)
_NAME = re.compile(r"[\"']:?([\w\-:.]+)[\"']")
_SET = re.compile(r"^\s*(?:def\s+|val\s+|ext\.)?(\w+)\s*=\s*[\"']([^\"'\n]+)[\"']", re.M)
_RELEASE = re.compile(
    r"(?:languageVersion\D{0,40}?|\brelease\b\D{0,12}?|sourceCompatibility\D{0,30}?)(?:1[._])?(\d{1,2})\b"
)
_PLUGIN = r"(org\.jetbrains\.kotlin[\w.]*|kotlin|groovy|scala|antlr|com\.android[\w.]*|com\.google\.protobuf)"
_FOREIGN = re.compile(
    rf"^\s*(?:id[ (]*[\"']{_PLUGIN}[\"']|(kotlin)\s*\(|apply\s+plugin\s*:\s*[\"']{_PLUGIN}[\"'])", re.M
)
_SETS = re.compile(r"^\s*sourceSets\b", re.M)
_COMMENT = re.compile(r"/\*.*?\*/|(?<![:\"'])//[^\n]*", re.S)


def gradle_text(folder):
    """Return a folder's build script without its comments, or None."""
    for name in ("build.gradle", "build.gradle.kts"):
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            with open(path, encoding="utf-8", errors="replace") as file:
                return _COMMENT.sub("", file.read())
    return None


def gradle_projects(root):
    """Return the folders of a build, relative to its root, which is the first."""
    found = [""]
    for name in ("settings.gradle", "settings.gradle.kts"):
        path = os.path.join(root, name)
        if not os.path.isfile(path):
            continue
        with open(path, encoding="utf-8", errors="replace") as file:
            text = _COMMENT.sub("", file.read())
        for words in _INCLUDE.findall(text):
            found += [project.replace(":", "/") for project in _NAME.findall(words)]
    return list(dict.fromkeys(found))


def gradle_model(folder, root_text, find, catalogue):
    """Return the model of a folder's build, with what the root's script says for all; raises `BadPom`.

    `catalogue` is name behind `libs.` → artifacts.
    """
    own = gradle_text(folder) or ""
    shared = "" if own == root_text else "\n".join(_blocks(root_text, ("allprojects", "subprojects")))
    text = f"{shared}\n{own}"
    foreign = _FOREIGN.search(text)
    if foreign:
        name = next(word for word in foreign.groups() if word)
        raise BadPom(f"the build uses the plugin {name}, which only Gradle itself can run")
    model = Model()
    model.artifact = os.path.basename(folder)
    values = dict(_SET.findall(f"{root_text}\n{text}"))
    model.properties = values
    release = _RELEASE.search(text) or _RELEASE.search(root_text)
    if release:
        model.properties["maven.compiler.release"] = release.group(1)
    _take_boms(model, text, root_text, values, find)
    for scope, platform, name in _CATALOGUE.findall(text):
        for group, artifact, version in catalogue.get(re.sub(r"\.get$", "", name), ()):
            wanted = Dependency(group, artifact, version, _scope(scope))
            if platform:
                _take_bom(model, wanted, find)
            else:
                model.dependencies.append(wanted)
    for scope, platform, group, artifact, version, classifier in _DEPENDENCY.findall(text):
        wanted = Dependency(group, artifact, _put_in(version, values), _scope(scope), "", classifier)
        if platform:
            _take_bom(model, wanted, find)
        else:
            model.dependencies.append(wanted)
    for scope, group, artifact, version in _MAP.findall(text):
        model.dependencies.append(Dependency(group, artifact, _put_in(version, values), _scope(scope)))
    if _SETS.search(text):
        model.notes.append("Sets of sources of the build's own (`sourceSets`) were not looked at.")
    for path in _PROJECT.findall(text):
        model.dependencies.append(Dependency(":", path.replace(":", "/")))
    return model


def _take_boms(model, text, root_text, values, find):
    """Take in the lists of versions that Spring's plugin for dependencies is given, or brings along."""
    for group, artifact, version, _ in _BOM.findall(text):
        _take_bom(model, Dependency(group, artifact, _put_in(version, values)), find)
    spring = _SPRING.search(text) or _SPRING.search(root_text)
    if spring and _MANAGES in text:
        bom = Dependency("org.springframework.boot", "spring-boot-dependencies", spring.group(1))
        _take_bom(model, bom, find)


def _take_bom(model, bom, find):
    path = find(bom.group, bom.artifact, bom.version, "pom")
    if path is None:
        model.properties.setdefault("//missing", str(bom))
        return
    other = read_model(path, find)
    for key, dependency in other.managed.items():
        dependency.version = other.value(dependency.version)
        model.managed.setdefault(key, dependency)


def _scope(name):
    return "test" if name.startswith("test") else "provided" if name == "annotationProcessor" else ""


def _put_in(version, values):
    return re.sub(r"\$\{?(\w+)\}?", lambda match: values.get(match.group(1), match.group(0)), version)


def _blocks(text, names):
    """Yield what stands in the braces behind each of the names."""
    for match in re.finditer(r"\b(?:" + "|".join(names) + r")\s*\{", text):
        depth, start = 1, match.end()
        for index in range(start, len(text)):
            depth += (text[index] == "{") - (text[index] == "}")
            if depth == 0:
                yield text[start:index]
                break
