"""Resources as Maven puts them beside classes: chosen by patterns, with properties put in where asked."""

import contextlib
import fnmatch
import os
import re
import shutil

_VALUE = re.compile(r"\$\{([\w.\-]+)\}|@([\w.\-]+)@")
_MAX_BYTES = 1 << 20


class Resource:
    """One folder of resources, and which of its files are taken."""

    def __init__(self, folder, filtering=False, includes=(), excludes=()):
        self.folder = folder
        self.filtering = filtering
        self.includes = includes
        self.excludes = excludes

    def takes(self, path):
        """Return whether a file is taken, by its path in the folder."""
        if self.includes and not any(_matches(path, pattern) for pattern in self.includes):
            return False
        return not any(_matches(path, pattern) for pattern in self.excludes)


def copy_resources(resources, target, model):
    """Make a folder with the resources alone, whatever was there before."""
    shutil.rmtree(target, ignore_errors=True)
    os.makedirs(target)
    for resource in resources:
        for place, folders, names in os.walk(resource.folder):
            folders.sort()
            for name in sorted(names):
                source = os.path.join(place, name)
                path = os.path.relpath(source, resource.folder).replace(os.sep, "/")
                if resource.takes(path):
                    own = os.path.join(target, path)
                    os.makedirs(os.path.dirname(own), exist_ok=True)
                    _copy(source, own, model if resource.filtering else None)


def _copy(source, target, model):
    if model is None or os.path.getsize(source) > _MAX_BYTES:
        shutil.copyfile(source, target)
        return
    with open(source, "rb") as file:
        data = file.read()
    # What is no text stays as it is.
    with contextlib.suppress(UnicodeDecodeError):
        data = _VALUE.sub(lambda match: _known(match, model), data.decode("utf-8")).encode("utf-8")
    with open(target, "wb") as file:
        file.write(data)


def _known(match, model):
    """Return what a property stands for; what is not known stays as it is written."""
    value = model.value("${" + (match.group(1) or match.group(2)) + "}")
    return match.group(0) if "${" in value else value


def _matches(path, pattern):
    plain = pattern.strip().lstrip("/")
    plain += "**" if plain.endswith("/") else ""
    return fnmatch.fnmatchcase(path, plain) or fnmatch.fnmatchcase(
        "/" + path, "/" + plain.replace("**/", "*")
    )
