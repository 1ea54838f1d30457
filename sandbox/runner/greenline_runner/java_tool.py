"""The process that compiles, and reads what JaCoCo counted: one for all of it, since a JVM starts slowly."""

import functools
import os
import re
import shutil
import subprocess
import tempfile

from greenline_runner.external import environment

HERE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "java")
_FLAGS = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-XX:MaxRAMPercentage=50")
_MANY = 300
"""How many files leave so much behind in the process that the tests had better have the memory."""
_QUIET = ("-nowarn", "-Xlint:none", "-g", "-implicit:none")


class Tool:
    """Compiles below `root`, the folder that paths are relative to; started when it is first asked."""

    def __init__(self, root, core=()):
        self._root = root
        self._core = list(core)
        """JaCoCo's jars; without them nothing can be measured."""
        self._process = None
        self._n_files = 0
        self._folder = tempfile.mkdtemp(prefix="greenline-tool-")

    def compile(self, options, folder, files):
        """Compile files into a folder; return the compiler's complaint, or an empty text."""
        os.makedirs(folder, exist_ok=True)
        self._n_files += len(files)
        given, told = self._path("arguments"), self._path("words")
        with open(given, "w", encoding="utf-8") as file:
            file.writelines(f"{word}\n" for word in [*_QUIET, "-d", folder, *options, *files])
        code = self._ask("compile", given, told)
        try:
            with open(told, encoding="utf-8", errors="replace") as file:
                text = file.read()
        except OSError:
            text = ""
        if code == "0":
            return ""
        first = re.search(r"^.*error:", text, re.MULTILINE)
        return text[first.start() if first else 0 :] or "The build failed."

    def measure(self, data, seconds, folders):
        """Return number, source and lines of what the numbered counts say, as lists of texts."""
        given, told = self._path("counts"), self._path("lines")
        with open(given, "w", encoding="ascii") as file:
            file.writelines(f"{number} {counts}\n" for number, counts in data.items())
        if self._ask("measure", given, told, str(seconds), *folders) != "0":
            return []
        with open(told, encoding="utf-8") as file:
            return [line.split("\t") for line in file.read().splitlines()]

    def rest(self):
        """End the process where it is large, until it is asked again."""
        if self._n_files > _MANY:
            self._end()

    def close(self):
        """End the process for good."""
        self._end()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _end(self):
        if self._process is not None:
            self._process.stdin.close()
            self._process.stdout.close()
            self._process.wait()
            self._process = None

    def _ask(self, *words):
        """Return the answer to a command; an empty text where the process has ended."""
        try:
            if self._process is None:
                self._start()
            self._process.stdin.write("\t".join(words) + "\n")
            self._process.stdin.flush()
            return self._process.stdout.readline().strip()
        except OSError:
            return ""

    def _start(self):
        program = self._path("Tool.java")
        with open(os.path.join(HERE, "Tool.java.txt"), encoding="utf-8") as file:
            text = file.read()
        with open(program, "w", encoding="utf-8") as file:
            file.write(text if self._core else _without_jacoco(text))
        path = ["-cp", os.pathsep.join(self._core)] if self._core else []
        self._process = subprocess.Popen(
            ["java", *_FLAGS, *path, program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            cwd=self._root, env=environment({}), encoding="utf-8", start_new_session=True,
        )  # fmt: skip

    def _path(self, name):
        os.makedirs(self._folder, exist_ok=True)
        return os.path.join(self._folder, name)


def _without_jacoco(text):
    """Return the program with the part left out that needs JaCoCo."""
    head, _, _ = text.partition("    /** Needs JaCoCo. */\n")
    head = re.sub(r"^import org\.jacoco\..*\n", "", head, flags=re.MULTILINE)
    return head.replace("measure(words)", "1") + "}\n"


@functools.lru_cache
def java_version():
    """Return the version of the JDK as text, or an empty one."""
    program = os.path.realpath(shutil.which("javac") or "")
    try:
        with open(
            os.path.join(os.path.dirname(os.path.dirname(program)), "release"), encoding="utf-8"
        ) as file:
            found = re.search(r'^JAVA_VERSION="([^"]+)"', file.read(), re.MULTILINE)
    except OSError:
        found = None
    if found:
        return found.group(1)
    # Asking it takes longer than compiling a small file.
    done = subprocess.run(
        ["javac", "-version"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env=environment({}), check=False,
    )  # fmt: skip
    return next(iter(re.findall(r"(\d[\w.+-]*)", done.stdout.decode("utf-8", "replace"))), "")
