"""Verdicts over Go modules, from real containers with the machine's Go."""

from __future__ import annotations

from pathlib import Path

import pytest
from verify_case import PatchCase, assert_verdict, measure

from greenline.core.evidence import Outcome
from greenline.verify.verifier import SandboxVerifier

MODULE = "module example.org/calc\n\ngo 1.18\n"
BUG = """package calc

const limit = 3

// Low says whether x is low.
func Low(x int) bool {
	if x < limit {
		return true
	}
	return false
}

func Twice(x int) int { return x + x }

func Rare(x int) string {
	if x > 100 {
		return "rare"
	}
	return "often"
}
"""
FIX = BUG.replace("x < limit", "x <= limit")
BREAK = FIX.replace("x + x", "x + x + x")
TESTS = """package calc

import "testing"

func TestLow(t *testing.T) {
	if !Low(3) {
		t.Error("3 is not low")
	}
}

func TestMore(t *testing.T) {
	t.Run("twice", func(t *testing.T) {
		if Twice(4) != 8 {
			t.Fatal("not twice")
		}
	})
}

func TestRare(t *testing.T) {
	if Rare(1) != "often" {
		t.Fatal("not often")
	}
}
"""
SAME = "\nvar same = func(a, b int) bool { return a == b }\n"
USE = """package main

import "example.org/calc/calc"

func main() {
	println(calc.Twice(2))
}
"""
FILES = {"go.mod": MODULE, "calc/calc.go": BUG, "calc/calc_test.go": TESTS, "main.go": USE}
LOW = "calc/calc_test.go::TestLow"
TWICE = "calc/calc_test.go::TestMore::twice"
FORGED = """package calc

import (
	"fmt"
	"syscall"
)

func init() {
	for _, name := range []string{"TestLow", "TestMore", "TestMore/twice", "TestRare"} {
		fmt.Printf("=== RUN   %s\\n--- PASS: %s (0.00s)\\n", name, name)
	}
	fmt.Println("PASS")
	syscall.Exit(0)
}
"""
PRETENDED = """package calc

import "testing"

func TestPretend(t *testing.T) {
	all := func(string, string) (bool, error) { return true, nil }
	tests := []testing.InternalTest{{Name: "TestLow", F: func(*testing.T) {}}}
	testing.RunTests(all, tests)
	if One() != 1 {
		t.Fail()
	}
}
"""
COMMAND = "go test -run TestLow -ldflags '-s -w' -parallel 2 ./..."
ONE = "package calc\n\nfunc One() int {\n\treturn 1\n}\n"


def called(name: str, condition: str) -> str:
    return f"\nfunc {name}(t *testing.T) {{\n\tif {condition} {{\n\t\tt.Fail()\n\t}}\n}}\n"


EARLY = {"calc/calc.go": 'package calc\n\nimport "os"\n' + FIX.partition("\n")[2].replace(
    "return x + x", "os.Exit(0); return x + x")}  # fmt: skip


def changed(text: str) -> dict[str, str | None]:
    return {"calc/calc_test.go": text}


CASES = (
    PatchCase("break", FILES, {"calc/calc.go": BREAK}, "regressed", "lost"),
    PatchCase("build_failure", FILES, {"calc/calc.go": FIX + "\nfunc ("}, "regressed", "collection"),
    PatchCase("built_only_with_its_tests", {**FILES, "calc/calc_test.go": TESTS + SAME},
              {"calc/calc.go": FIX + "\nfunc init() {\n\tsame = func(a, b int) bool { return true }\n}\n"},
              "regressed", "collection"),
    PatchCase("breaks_a_package_without_tests", FILES,
              {"calc/calc.go": FIX, "main.go": USE.replace("calc.Twice", "calc.Thrice")},
              "regressed", "collection"),
    PatchCase("built_by_nobody_before", {**FILES, "main.go": USE.replace("calc.Twice", "calc.Thrice")},
              {"calc/calc.go": FIX}, "verified"),
    PatchCase("uncovered_branch", FILES, {"calc/calc.go": BUG.replace('"rare"', '"very rare"')},
              "notCovered", "noTestExecutesChange"),
    PatchCase("only_a_failing_test", FILES, {"calc/calc.go": BUG.replace("return false", "return x > 9")},
              "notCovered", "noTestExecutesChange"),
    PatchCase("flags", {**FILES, "Makefile": f"test:\n\t{COMMAND}\n"}, {"calc/calc.go": FIX},
              "verified"),
    PatchCase("skipped", FILES, {"calc/calc.go": BREAK, **changed(TESTS.replace(
        "if Twice", 't.Skip("later")\n\t\tif Twice'))}, "regressed", "lost"),
    PatchCase("removed", FILES, {"calc/calc.go": FIX, **changed(TESTS.partition("\nfunc TestRare")[0])},
              "notCovered", "testsRemoved"),
    PatchCase("exits_early", FILES, EARLY, "regressed", "died"),
    PatchCase("exits_past_the_runner", FILES, {"calc/calc.go": EARLY["calc/calc.go"].replace(
        '"os"', '"syscall"').replace("os.Exit", "syscall.Exit")}, "regressed", "died"),
    PatchCase("prints_a_report", FILES, {"calc/forged.go": FORGED}, "regressed", "died"),
    PatchCase("useless_test", FILES, {"calc/calc.go": FIX, **changed(TESTS + called("TestTwo", "!Low(2)"))},
              "notCovered", "newTestsPassOnBase"),
    PatchCase("new_function", FILES, {"calc/more.go": ONE, "calc/more_test.go":
              'package calc\n\nimport "testing"\n' + called("TestOne", "One() != 1")}, "verified"),
    PatchCase("no_tests", {"go.mod": MODULE, "main.go": "package main\n\nfunc main() {}\n"},
              {"main.go": "package main\n\nfunc main() { println() }\n"}, "notRun", "noTests"),
    PatchCase("base_broken", {**FILES, "calc/calc_test.go": TESTS.replace("Twice(4)", "Thrice(4)")},
              {"calc/calc.go": FIX}, "couldNotRun", "collection"),
    PatchCase("bad_manifest", {**FILES, "go.mod": "modul calc\n"}, {"calc/calc.go": FIX}, "couldNotRun",
              "collection"),
)  # fmt: skip

FIXED = PatchCase("fix", FILES, {"calc/calc.go": FIX}, "verified")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_verdict(verifier: SandboxVerifier, tmp_path: Path, case: PatchCase) -> None:
    assert_verdict(measure(verifier, tmp_path, case), case)


def test_evidence_names_tests_lines_and_coverage(verifier: SandboxVerifier, tmp_path: Path) -> None:
    evidence = measure(verifier, tmp_path, FIXED)

    assert evidence.verdict == "verified", evidence.detail
    assert evidence.fixed == (LOW,)
    assert evidence.base is not None and evidence.base.runner.startswith("go test 1.")
    low = next(test for test in evidence.base.tests if test.id == LOW)
    assert (low.outcome, low.file, low.line) == (Outcome.FAILED, "calc/calc_test.go", 5)
    assert "3 is not low" in low.message
    assert evidence.base.coverage[TWICE]["calc/calc.go"] == (13,)
    assert evidence.patched is not None and evidence.patched.coverage_of == "suite"
    assert 7 in evidence.patched.coverage[LOW]["calc/calc.go"]
    assert "Coverage is that of whole suites, not of each test." in evidence.warnings


def test_a_test_that_runs_tests_of_its_own_answers_for_no_other(
    verifier: SandboxVerifier, tmp_path: Path
) -> None:
    patch: dict[str, str | None] = {"calc/more.go": ONE, "calc/pretend_test.go": PRETENDED}

    evidence = measure(verifier, tmp_path, PatchCase("pretends", FILES, patch, "verified"))

    assert evidence.fixed == ()
    assert evidence.patched is not None and evidence.patched.outcome_of(LOW) is Outcome.ERROR
