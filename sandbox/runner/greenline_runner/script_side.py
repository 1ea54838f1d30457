"""Running jest, vitest and mocha: the project's own, driven by a program of ours in one Node process."""

import json
import os
import re
import shutil

from greenline_runner.external import report_of
from greenline_runner.node_report import HERE, NodeReport, find_package, node_command, node_version

_MAIN = {"jest": "jest_main.cjs", "mocha": "mocha_main.cjs", "vitest": "vitest_main.mjs"}
_OLDEST = {"jest": 27, "mocha": 8, "vitest": 1}
_NODE_FLAGS = ("--import", "--loader", "--experimental-loader", "--conditions", "--enable-source-maps")
_SETUP = ".greenline-setup.mjs"


def missing(project, root):
    """Return why the runner cannot be had, or an empty text."""
    if shutil.which("node") is None:
        return "Node is not installed on this machine: install it, and see `greenline doctor`."
    runner = project["runner"]
    if find_package(root, runner) is None:
        return f"{runner} is not installed: node_modules has no such package. Run the project's install."
    version = _version(project, root)
    if int(re.match(r"\d*", version).group() or 0) < _OLDEST[runner]:
        return f"{runner} {version} is too old here: {_OLDEST[runner]} or newer is needed."
    return ""


def name(project, root):
    """Return the runner's name and version."""
    node = ".".join(str(number) for number in node_version("node"))
    return f"{project['runner']} {_version(project, root)} (node {node})"


def run(options, project, write):
    """Run the suite, or the files of the tests that are wanted; return the exit code of the whole."""
    runner, root = project["runner"], os.path.realpath(options.root)
    variables = dict(project["environment"])
    if runner == "vitest":
        _write_setup(options, root, variables)
    elif options.coverage:
        variables["GREENLINE_MEASURE"] = root
    node, own = _split(project["flags"])
    files = sorted({test.split("::")[0] for test in options.selected})
    patterns = files or project["patterns"]
    if files and runner == "jest":
        own = [*own, "--runTestsByPath"]
    start = [os.path.join(HERE, "start.mjs"), "file://" + os.path.join(HERE, _MAIN[runner])]
    argv = [*node_command(_MAIN[runner], node, variables, root), *start, *own, *patterns]
    code = NodeReport(options, write).relay(report_of(argv, variables, root))
    write({"kind": "collectionEnd", "exit": 0})
    return code


def _write_setup(options, root, variables):
    """Put what measures into the project's folder: from elsewhere it would not find the project's vitest."""
    path = os.path.join(root, _SETUP)
    if not options.coverage:
        return
    with open(os.path.join(HERE, "vitest_setup.mjs.txt"), encoding="utf-8") as file:
        text = file.read().replace("'ROOT'", json.dumps(root))
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    variables["GREENLINE_SETUP"] = path


def _split(flags):
    """Return Node's own options, and the runner's."""
    node, own, rest = [], [], list(flags)
    while rest:
        flag = rest.pop(0)
        found = node if flag.split("=")[0] in _NODE_FLAGS else own
        found.append(flag)
        if found is node and "=" not in flag and flag != "--enable-source-maps" and rest:
            node.append(rest.pop(0))
    return node, own


def _version(project, root):
    with open(os.path.join(find_package(root, project["runner"]), "package.json"), encoding="utf-8") as file:
        return str(json.load(file).get("version", "?"))
