"""Running `node:test`: one process a test file, with our reporter in it before any of the project's code."""

import os
import re
import shutil
import subprocess

from greenline_runner.external import report_of
from greenline_runner.file_pattern import matching, walk
from greenline_runner.v8_cover import Calls

_NAMES = re.compile(r"^(test|test-.+|.+[.\-_]test)\.([cm]?[jt]s)$")
_EXTENSIONS = (".js", ".cjs", ".mjs")
_HERE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "node")
_OLDEST = (18, 19)


def missing(project, root):
    """Return why the runner cannot be had, or an empty text."""
    node = shutil.which("node")
    if node is None:
        return "Node is not installed on this machine: install it, and see `greenline doctor`."
    version = _version(node)
    if version < _OLDEST:
        words = ".".join(str(number) for number in version)
        return f"Node {words} is too old for node:test here: 18.19 or newer is needed."
    return ""


def name(project, root):
    """Return the runner's name and version."""
    return "node:test " + ".".join(str(number) for number in _version("node"))


def run(options, project, write):
    """Run the tests file by file; write a record for each test, and return the exit code of the whole."""
    files = test_files(options.root, project["patterns"])
    wanted = {test.split("::")[0] for test in options.selected}
    if wanted:
        files = [file for file in files if file in wanted]
    code = 0
    for file in files:
        told = _run_file(options, project, file)
        code = max(code, _relay(options, file, told, write))
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


def _run_file(options, project, file):
    variables = dict(project["environment"])
    if options.coverage:
        variables["GREENLINE_MEASURE"] = os.path.realpath(options.root)
    argv = [
        "node",
        *project["flags"],
        "--import=file://" + os.path.join(_HERE, "preload.mjs"),
        "--test-reporter=" + os.path.join(_HERE, "reporter.cjs"),
        "--test-reporter-destination=stdout",
        os.path.join(options.root, file),
    ]
    return report_of(argv, variables, options.root)


def _relay(options, file, told, write):
    """Write a file's records; return its part of the exit code."""
    for _ in range(min(told.n_intruders, 20)):
        write({"kind": "intruder", "where": "runner"})
    calls, names, n_broken, n_told = Calls(options.root), {}, 0, 0
    for record in told.records:
        kind = record.get("kind")
        if kind == "calls":
            calls.add(record)
        elif kind == "test":
            n_told += 1
            test = _result(options.root, file, record, names)
            n_broken += record["outcome"] in ("failed", "error")
            if not options.selected or _is_wanted(test["id"], options.selected):
                write({"kind": "collected", "ids": [test["id"]]})
                write(test)
    if told.exit_code and (not n_told or (told.is_complete and not n_broken)):
        # What fails outside of every test, an import for instance, fails the file.
        message = f"The file ended with exit code {told.exit_code}, outside of its tests."
        write({"kind": "collectError", "id": file, "message": message})
    elif not told.is_complete:
        message = f"{file} ended before its last test (exit code {told.exit_code})."
        write({"kind": "died", "message": message})
    if options.coverage:
        for test, key in names.items():
            files = calls.of(key)
            if files:
                write({"kind": "cov", "id": test, "files": files})
    return 1 if n_broken else 0


def _result(root, file, record, names):
    """Return a test's record; a name that was there before gets a number."""
    path = [str(part) for part in record["names"]]
    plain = "::".join([file, *path])
    test, number = plain, 1
    while test in names:
        number += 1
        test = f"{plain}[{number}]"
    # The engine's counters go by the name alone: equal names share what they call.
    names[test] = " > ".join(path)
    where = os.path.relpath(record["file"], root) if os.path.isabs(record.get("file", "")) else file
    result = {
        "kind": "test",
        "id": test,
        "outcome": record["outcome"],
        "duration": round(float(record["duration"]) / 1000, 6),
        "file": file if where.startswith("..") else where.replace(os.sep, "/"),
    }
    if record.get("line"):
        result["line"] = int(record["line"])
    if record.get("message"):
        result["message"] = record["message"]
    return result


def _is_wanted(test, selected):
    return any(test == name or test.startswith((name + "::", name + "[")) for name in selected)


def _version(node):
    text = subprocess.run([node, "--version"], stdout=subprocess.PIPE, check=False).stdout.decode()
    numbers = re.findall(r"\d+", text)
    return tuple(int(number) for number in numbers[:3])
