"""Running `node:test`: one process a test file, with our reporter in it before any of the project's code."""

import os
import re
import shutil

from greenline_runner.external import report_of
from greenline_runner.file_pattern import matching, walk
from greenline_runner.node_report import HERE, NodeReport, node_command, node_version

_NAMES = re.compile(r"^(test|test-.+|.+[.\-_]test)\.([cm]?[jt]s)$")
_EXTENSIONS = (".js", ".cjs", ".mjs")
_OLDEST = (18, 19)


def missing(project, root):
    """Return why the runner cannot be had, or an empty text."""
    node = shutil.which("node")
    if node is None:
        return "Node is not installed on this machine: install it, and see `greenline doctor`."
    version = node_version(node)
    if version < _OLDEST:
        words = ".".join(str(number) for number in version)
        return f"Node {words} is too old for node:test here: 18.19 or newer is needed."
    return ""


def name(project, root):
    """Return the runner's name and version."""
    return "node:test " + ".".join(str(number) for number in node_version("node"))


def run(options, project, write):
    """Run the tests file by file; write a record for each test, and return the exit code of the whole."""
    files = test_files(options.root, project["patterns"])
    wanted = {test.split("::")[0] for test in options.selected}
    if wanted:
        files = [file for file in files if file in wanted]
    report = NodeReport(options, write)
    code = 0
    for file in files:
        code = max(code, report.relay(_told(options, project, file), file))
    write({"kind": "collectionEnd", "exit": 0})
    return code


def test_files(root, patterns):
    """Return the files that `node --test` would run, relative to the root, sorted."""
    found = set()
    for pattern in patterns or ("",):
        folder = os.path.join(root, pattern)
        if os.path.isdir(folder):
            base = os.path.normpath(pattern or ".")
            found.update(path for path in walk(root, base) if _is_test(path))
        elif os.path.isfile(folder):
            found.add(os.path.normpath(pattern).replace(os.sep, "/"))
        else:
            found.update(matching(root, pattern))
    return sorted(found)


def _is_test(path):
    *folders, file = path.split("/")
    return bool(_NAMES.match(file)) or ("test" in folders and file.endswith(_EXTENSIONS))


def _told(options, project, file):
    variables = dict(project["environment"])
    if options.coverage:
        variables["GREENLINE_MEASURE"] = os.path.realpath(options.root)
    argv = [
        *node_command("preload.mjs", project["flags"], variables, options.root),
        "--test-reporter=" + os.path.join(HERE, "reporter.cjs"),
        "--test-reporter-destination=stdout",
        os.path.join(options.root, file),
    ]
    return report_of(argv, variables, options.root)
