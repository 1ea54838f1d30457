"""Maven's `pom.xml` as far as a test run needs it: properties, dependencies, plugins, and what it inherits.

Parents and imported lists of versions are read from the project and from local repositories, never fetched.
"""

import os
import re
import xml.etree.ElementTree as ElementTree

_VALUE = re.compile(r"\$\{([^{}]+)\}")
_DEPTH = 20


class BadPom(Exception):
    """A pom cannot be read, or one that it needs is not there; the text says which."""


class Dependency:
    """One entry of `dependencies`; texts that are not given are empty."""

    def __init__(self, group, artifact, version="", scope="", kind="", classifier="", optional=False):
        self.group = group
        self.artifact = artifact
        self.version = version
        self.scope = scope
        self.kind = kind or "jar"
        self.classifier = classifier
        self.optional = optional
        self.exclusions = frozenset()
        """Pairs of group and artifact, of which either may be `*`."""

    @property
    def key(self):
        """What there is only one of on a class path."""
        return self.group, self.artifact, self.kind, self.classifier

    def __str__(self):
        return ":".join(part for part in (self.group, self.artifact, self.version) if part)


class Model:
    """A pom with all that it inherits."""

    def __init__(self):
        self.group = self.artifact = self.version = ""
        self.packaging = "jar"
        self.properties = {}
        self.managed = {}
        """Key of a dependency → the dependency that gives its version."""
        self.dependencies = []
        self.plugins = []
        """Elements of plugins, the own before the inherited."""
        self.build = {}
        """`sourceDirectory` and `testSourceDirectory`, where they are given."""
        self.resources = {}
        """`resources` and `testResources`, where they are given → their elements."""
        self.modules = []
        self.notes = []
        """What of the manifest is not followed; sentences for people."""

    def value(self, text, depth=0):
        """Return a text with its properties put in, as far as they are known."""
        if depth > _DEPTH or "${" not in (text or ""):
            return (text or "").strip()

        def known(match):
            found = self._property(match.group(1))
            return match.group(0) if found is None else self.value(found, depth + 1)

        return _VALUE.sub(known, text).strip()

    def _property(self, name):
        own = {"version": self.version, "groupId": self.group, "artifactId": self.artifact}
        plain = name.partition(".")[2] if name.startswith(("project.", "pom.")) else ""
        if plain in own:
            return own[plain]
        if plain.startswith("parent."):
            return self.properties.get("//" + plain)
        if plain in ("basedir", "build.directory"):
            return {"basedir": ".", "build.directory": "target"}[plain]
        return self.properties.get(name)

    def settings(self, artifact):
        """Return the elements named `configuration` of a plugin, the own before the inherited."""
        return [
            configuration
            for plugin in self.plugins
            if _text(plugin, "artifactId") == artifact
            for configuration in plugin.iter("configuration")
        ]

    def setting(self, artifact, name):
        """Return what a plugin's configuration says, as a text; empty where it does not."""
        for configuration in self.settings(artifact):
            found = configuration.find(name)
            if found is not None and found.text and found.text.strip():
                return self.value(found.text)
        return ""

    def complete(self, dependency):
        """Give a dependency the version and scope that are managed for it, and put properties in."""
        for name in ("group", "artifact", "version", "scope", "kind", "classifier"):
            setattr(dependency, name, self.value(getattr(dependency, name)))
        managed = self.managed.get(dependency.key)
        if managed is not None:
            dependency.version = dependency.version or self.value(managed.version)
            dependency.scope = dependency.scope or self.value(managed.scope)
            dependency.exclusions |= managed.exclusions
        return dependency


def read_model(path, find):
    """Return the model of a pom; `find(group, artifact, version, ending)` returns a local file or None.

    Raises `BadPom`.
    """
    return _read(path, find, 0)


def _read(path, find, depth):
    root = _parsed(path)
    model = Model()
    parent = root.find("parent")
    if parent is not None:
        above = _parent(path, parent, find, depth)
        _inherit(model, above)
    model.group = _text(root, "groupId") or model.group
    model.version = _text(root, "version") or model.version
    model.artifact = _text(root, "artifactId")
    model.packaging = _text(root, "packaging") or "jar"
    scopes = [root, *_active(root)]
    for scope in scopes:
        for entry in scope.find("properties") or ():
            model.properties[entry.tag] = (entry.text or "").strip()
    model.group, model.version = model.value(model.group), model.value(model.version)
    own = []
    for scope in scopes:
        own += [_dependency(entry) for entry in scope.findall("dependencies/dependency")]
        _manage(model, scope, find, depth)
        build = scope.find("build")
        if build is not None:
            model.plugins = [*build.iter("plugin"), *model.plugins]
            for name in ("sourceDirectory", "testSourceDirectory"):
                if _text(build, name):
                    model.build[name] = _text(build, name)
            for name in ("resources", "testResources"):
                if build.find(name) is not None:
                    model.resources[name] = list(build.find(name))
        model.modules += [entry.text.strip() for entry in scope.findall("modules/module") if entry.text]
    inherited = [entry for entry in model.dependencies if all(entry.key != other.key for other in own)]
    model.dependencies = own + inherited
    return model


def _inherit(model, above):
    model.group, model.version = above.group, above.version
    model.properties = dict(above.properties)
    model.properties["//parent.version"] = above.version
    model.properties["//parent.groupId"] = above.group
    model.managed = dict(above.managed)
    model.dependencies = list(above.dependencies)
    model.plugins = list(above.plugins)
    model.build = dict(above.build)
    model.resources = dict(above.resources)


def _parent(path, parent, find, depth):
    group, artifact, version = (_text(parent, name) for name in ("groupId", "artifactId", "version"))
    if depth > _DEPTH:
        raise BadPom(f"{path} has too many parents")
    relative = parent.find("relativePath")
    place = "../pom.xml" if relative is None else (relative.text or "").strip()
    if place:
        beside = os.path.normpath(os.path.join(os.path.dirname(path), place))
        if os.path.isdir(beside):
            beside = os.path.join(beside, "pom.xml")
        if os.path.isfile(beside) and _text(_parsed(beside), "artifactId") == artifact:
            return _read(beside, find, depth + 1)
    found = find(group, artifact, version, "pom")
    if found is None:
        raise BadPom(f"the parent {group}:{artifact}:{version} is in no local repository")
    return _read(found, find, depth + 1)


def _active(root):
    """Return the profiles that are active without a word."""
    return [
        profile
        for profile in root.findall("profiles/profile")
        if _text(profile, "activation/activeByDefault") == "true"
    ]


def _manage(model, scope, find, depth):
    imported = []
    for entry in scope.findall("dependencyManagement/dependencies/dependency"):
        dependency = _dependency(entry)
        if dependency.scope == "import":
            imported.append(dependency)
            continue
        for name in ("group", "artifact", "kind", "classifier"):
            setattr(dependency, name, model.value(getattr(dependency, name)))
        # A property of a managed version may be another one further down.
        model.managed[dependency.key] = dependency
    for bom in imported:
        group, artifact, version = (model.value(t) for t in (bom.group, bom.artifact, bom.version))
        found = find(group, artifact, version, "pom")
        if found is None:
            model.properties.setdefault("//missing", f"{group}:{artifact}:{version}")
            continue
        other = _read(found, find, depth + 1)
        for key, dependency in other.managed.items():
            dependency.version = other.value(dependency.version)
            model.managed.setdefault(key, dependency)


def _dependency(entry):
    found = Dependency(
        *(_text(entry, name) for name in ("groupId", "artifactId", "version", "scope", "type", "classifier")),
        optional=_text(entry, "optional") == "true",
    )
    found.exclusions = frozenset(
        (_text(one, "groupId"), _text(one, "artifactId")) for one in entry.findall("exclusions/exclusion")
    )
    if found.kind == "test-jar":
        found.kind, found.classifier = "jar", "tests"
    return found


def _parsed(path):
    try:
        root = ElementTree.parse(path).getroot()
    except (ElementTree.ParseError, OSError, ValueError, LookupError) as error:
        raise BadPom(f"{os.path.basename(path)} cannot be read: {error}") from error
    for element in root.iter():
        if isinstance(element.tag, str):
            element.tag = element.tag.rpartition("}")[2]
    return root


def _text(element, name):
    return (element.findtext(name) or "").strip()
