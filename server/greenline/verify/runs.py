"""The test runs of one verification: request, report, and the sick sandbox as a report.

Each run of a project takes one fresh container; the reports of several projects are put together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import attrs

from greenline.core.cancel import Cancellation
from greenline.core.error import SandboxUnavailable
from greenline.core.evidence import RunEnd, TestReport
from greenline.core.port import Limits, Progress, Sandbox, SandboxRequest, SandboxResult, Tree
from greenline.verify.detection import projects, same
from greenline.verify.project import Project
from greenline.verify.python_project import detect
from greenline.verify.report import parse_rounds
from greenline.verify.tree import without_bytecode

RUNNER_FOLDER = "/opt/greenline/runner"
REPORTER = ("{python}", "-I", "-S", f"{RUNNER_FOLDER}/reporter.py")
"""Without `site`: a `.pth` file or a `sitecustomize` of the project would run as the reporter."""
_FIFO = "/run/greenline/report"
MAX_ARGUMENT_BYTES = 100_000
"""How long the ids of one run may be together; more than that mean the whole suite."""


@attrs.frozen
class Suite:
    """What is the same for every run of one verification."""

    sandbox: Sandbox
    root: str
    projects: tuple[Project, ...]
    """Which projects are run; each tree's own manifest says how."""
    label: str
    limits: Limits
    cancellation: Cancellation
    test_command: str = ""
    """The user's own command, for the root's project."""
    waiting: Progress | None = None
    """Told of the place in a queue."""
    selected: tuple[str, ...] = ()
    """Ids and files of tests, as reports name them, that stand for all of them; none: the whole suite."""
    is_measuring: bool = True
    """Whether runs of whole suites measure what each test executes."""

    @property
    def takes_rounds(self) -> bool:
        """Whether a run is one container, which can be asked for more."""
        return len(self.projects) == 1

    def command(self) -> tuple[str, ...]:
        """Return the argv of the first project's run."""
        return self._argv(self.projects[0]) if self.projects else ()

    def run(self, tree: Tree, tests: Sequence[str] = (), *, coverage: bool = True) -> TestReport:
        """Run tests over a tree; raises `Cancelled` only."""
        wanted = tests or self.selected
        reports = []
        for project in self._present(tree):
            inside = _inside(wanted, project)
            if wanted and not inside:
                continue
            argv = self._argv(project, inside, coverage=coverage and self.is_measuring)
            reports.append(self._rounds(tree, project, argv, None)[0])
        return together(reports)

    def run_in_rounds(self, tree: Tree, followup: Callable[[bytes], bytes | None]) -> tuple[TestReport, ...]:
        """Run all tests of the only project, then in the same container what `followup` names.

        Raises `Cancelled` only.
        """
        (project,) = self._present(tree)
        inside = _inside(self.selected, project)
        argv = self._argv(project, inside, coverage=self.is_measuring, rounds=True)
        return self._rounds(tree, project, argv, followup)

    def request_in_rounds(
        self, tree: Tree, followup: Callable[[bytes], bytes | None], tests: Sequence[str] = ()
    ) -> SandboxRequest | None:
        """Return what `run_in_rounds` asks of the sandbox, or None where the only project cannot be run.

        `tests` are ids as the project's own runner knows them; a run of some measures no coverage.
        """
        (project,) = self._present(tree)
        if project.no_runner or project.problem:
            return None
        chosen = tests or _inside(self.selected, project)
        argv = self._argv(project, chosen, coverage=self.is_measuring and not tests, rounds=True)
        return self._request(tree, argv, followup)

    def read(self, result: SandboxResult) -> tuple[TestReport, ...]:
        """Return the reports of a run of the only project, one a round."""
        return parse_rounds(result, prefix=self.prefix)

    @property
    def prefix(self) -> str:
        """What the ids of the only project begin with in a report."""
        return _prefix(self.projects[0])

    def _present(self, tree: Tree) -> list[Project]:
        """Return the projects as a tree's own files describe them; a missing one cannot run."""
        found = projects(tree, self.test_command)
        present = []
        for wanted in self.projects:
            project = same(found, wanted)
            if project is None:
                # Without its manifest a project has nothing to say of its tests.
                project = wanted if wanted.kind == "python" else attrs.evolve(wanted, problem=_gone(wanted))
            elif wanted.kind == "python":
                # Base and patch must be run alike, or no test of one would be found in the other.
                project = attrs.evolve(project, runner=wanted.runner)
            present.append(project)
        return present

    def _argv(
        self,
        project: Project,
        tests: Sequence[str] = (),
        *,
        coverage: bool = True,
        rounds: bool = False,
    ) -> tuple[str, ...]:
        """Return the argv of a run; too many ids for a command line mean the whole suite."""
        if sum(len(test.encode()) + 1 for test in tests) > MAX_ARGUMENT_BYTES:
            tests = ()
        options = () if coverage else ("--no-coverage",)
        if rounds:
            options = (*options, "--rounds")
        if self.limits.test_s is not None:
            options = (*options, f"--test-seconds={self.limits.test_s:g}")
        if settings := project.settings():
            options = (*options, f"--project={settings}")
        if project.folder:
            options = (*options, f"--folder={project.folder}")
        script = ("{python}", f"{RUNNER_FOLDER}/run_tests.py", "--runner", project.runner, *options)
        return (*script, "--", *tests) if tests else script

    def _rounds(
        self,
        tree: Tree,
        project: Project,
        command: tuple[str, ...],
        followup: Callable[[bytes], bytes | None] | None,
    ) -> tuple[TestReport, ...]:
        if project.no_runner:
            return (TestReport(end=RunEnd.RUNNER_MISSING, detail=project.no_runner),)
        if project.problem:
            return (TestReport(end=RunEnd.COLLECTION, detail=project.problem),)
        request = self._request(tree, command, followup)
        try:
            return parse_rounds(self.sandbox.run(request, self.cancellation), prefix=_prefix(project))
        except SandboxUnavailable as error:
            return (TestReport(end=RunEnd.UNAVAILABLE, detail=str(error)),)

    def _request(
        self, tree: Tree, command: tuple[str, ...], followup: Callable[[bytes], bytes | None] | None
    ) -> SandboxRequest:
        return SandboxRequest(
            root=self.root,
            tree=without_bytecode(tree),
            command=command,
            reporter=REPORTER,
            environment={"PYTHONHASHSEED": "0", "GREENLINE_REPORT": _FIFO},
            limits=self.limits,
            label=self.label,
            followup=followup,
            waiting=self.waiting,
        )


def suite_projects(chosen: Sequence[Project], *trees: Tree) -> tuple[Project, ...]:
    """Return projects with one Python runner for all trees."""
    return tuple(
        attrs.evolve(p, runner=detect(*trees)) if p.kind == "python" and not p.flags and p.runner else p
        for p in chosen
    )


def together(reports: Sequence[TestReport]) -> TestReport:
    """Return the reports of several projects as one; it is complete only where all are."""
    if len(reports) == 1:
        return reports[0]
    if not reports:
        return TestReport(end=RunEnd.COMPLETE)
    broken = next((report for report in reports if report.end is not RunEnd.COMPLETE), reports[0])
    return attrs.evolve(
        broken,
        tests=tuple(test for report in reports for test in report.tests),
        coverage={test: files for report in reports for test, files in report.coverage.items()},
        coverage_of="suite" if any(report.coverage_of == "suite" for report in reports) else "test",
        replaced=tuple(sorted({name for report in reports for name in report.replaced})),
        unbuilt={name: words for report in reports for name, words in report.unbuilt.items()},
        notes=tuple(dict.fromkeys(note for report in reports for note in report.notes)),
        runner=", ".join(dict.fromkeys(report.runner for report in reports if report.runner)),
        duration_s=sum(report.duration_s for report in reports),
    )


def _inside(tests: Sequence[str], project: Project) -> tuple[str, ...]:
    """Return those tests that are a project's, as its own runner names them."""
    prefix = _prefix(project)
    return tuple(test[len(prefix) :] for test in tests if test.startswith(prefix))


def _prefix(project: Project) -> str:
    return f"{project.folder}/" if project.folder else ""


def _gone(project: Project) -> str:
    return f"The manifest of the {project.kind} project in {project.place} is gone."
