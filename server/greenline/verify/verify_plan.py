"""What one verification runs, and what its patch touches."""

from __future__ import annotations

import time
from collections.abc import Callable

import attrs

from greenline.core.edit import Hunk
from greenline.core.evidence import Evidence
from greenline.core.port import Tree, VerifyRequest
from greenline.verify import affected, hunk_coverage
from greenline.verify.course import Course
from greenline.verify.memory import Memory
from greenline.verify.path_rule import PathRule
from greenline.verify.runs import Suite
from greenline.verify.tree import apply, mix, relative


@attrs.frozen
class Plan:
    """One verification's trees, and what its patch touches."""

    request: VerifyRequest
    rule: PathRule
    patched: Tree
    paths: tuple[str, ...]
    """The changed files, relative to the root."""
    touches_tests: bool
    touches_product: bool

    @classmethod
    def of(cls, request: VerifyRequest) -> Plan:
        """Return the plan of a request."""
        patched = apply(request.root, request.base, request.edit_set)
        rule = PathRule.of(request.base, patched)
        paths = tuple(relative(request.root, change.path) for change in request.edit_set.changes)
        return cls(
            request,
            rule,
            patched,
            paths,
            touches_tests=any(not rule.is_product(path) for path in paths),
            touches_product=any(rule.is_product(path) for path in paths),
        )

    def tree(self, wanted: Callable[[str], bool]) -> Tree:
        """Return the base with the changes to the wanted files alone."""
        return mix(self.request.root, self.request.base, self.request.edit_set, wanted)

    def trees(self) -> dict[str, Tree]:
        """Return the trees that are run, by their letters in the protocol."""
        trees = {"B": self.request.base, "P": self.patched}
        if self.touches_tests:
            # O asks first whether what worked still works; N is the least likely to be needed early.
            trees["O"] = self.tree(self.rule.is_product)
            trees["N"] = self.tree(lambda path: not self.rule.is_product(path))
        return trees

    def hunks(self) -> tuple[Hunk, ...]:
        """Return the hunks that evidence is given for."""
        return self.request.hunks or hunk_coverage.hunks_of(self.request.edit_set)

    def is_executed_in(self, evidence: Evidence) -> bool:
        """Return whether a pass over some tests shows all that coverage could show of this change.

        Where tests change as well, what old tests execute is asked for of all of them.
        """
        request, patched = self.request, evidence.patched
        if self.touches_tests or patched is None or patched.coverage_of != "test":
            return False
        # A line that only an import executes, such as another import, is in no test's context in any run.
        left_out = {hunk.id for hunk in self.hunks() if not hunk.after}
        if any(hunk.coverage == "notCovered" and hunk.hunk_id in left_out for hunk in evidence.hunks):
            return False
        lines = hunk_coverage.executed(
            request.root, self.hunks(), self.patched, patched, self.rule.is_product
        )
        return lines.n_executed == lines.n_executable

    def course(self, suite: Suite, memory: Memory | None) -> Course:
        """Return what is known of the suite's tests, and which of them the change affects."""
        request, project = self.request, suite.projects[0]
        ground = affected.Ground(
            request.root,
            request.base,
            self.patched,
            self.rule,
            self.hunks(),
            self.paths,
            project.kind,
            project.runner,
            suite.prefix,
            request.checks,
        )
        return Course.of(suite, ground, None if memory is None else memory.suites, time.time())
