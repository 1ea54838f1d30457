"""Verdicts over Java projects, from real containers with the machine's JDK, JUnit and JaCoCo."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from verify_case import PatchCase, assert_verdict
from verify_case import measure as measure_within

from greenline.core.evidence import Evidence, Outcome
from greenline.sandbox.docker_sandbox import DockerSandbox, SandboxSettings
from greenline.verify.verifier import SandboxVerifier

POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>org.example</groupId>
  <artifactId>calc</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.release>11</maven.compiler.release>
  </properties>
  <dependencies>
    <dependency>
      <groupId>org.junit.jupiter</groupId>
      <artifactId>junit-jupiter</artifactId>
      <version>5.9.2</version>
      <scope>test</scope>
    </dependency>
  </dependencies>
</project>
"""
BUG = """package calc;

public class Calc {
    static final int LIMIT = 3;

    public static boolean low(int x) {
        return x < LIMIT;
    }

    public static int twice(int x) {
        return x + x;
    }

    public static String rare(int x) {
        if (x > 100) {
            return "rare";
        }
        return "often";
    }
}
"""
FIX = BUG.replace("x < LIMIT", "x <= LIMIT")
BREAK = FIX.replace("x + x", "x + x + x")
TESTS = """package calc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CalcTest {
    @Test
    void low() {
        assertTrue(Calc.low(3), "3 is not low");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void lower(int x) {
        assertTrue(Calc.low(x));
    }

    @Nested
    class More {
        @Test
        void twice() {
            assertEquals(8, Calc.twice(4));
        }
    }

    @Test
    void rare() {
        assertEquals("often", Calc.rare(1));
    }
}
"""
OLD = """package calc;

import org.junit.Assert;
import org.junit.Ignore;
import org.junit.Test;

public class OldTest {
    @Test
    public void oldTwice() {
        Assert.assertEquals(6, Calc.twice(3));
    }

    @Ignore("later")
    @Test
    public void later() {}
}
"""
PRODUCT, SUITE = "src/main/java/calc/Calc.java", "src/test/java/calc/CalcTest.java"
FILES = {"pom.xml": POM, PRODUCT: BUG, SUITE: TESTS}
LOW = f"{SUITE}::low"
TWICE = f"{SUITE}::More::twice"
FIXED: dict[str, str | None] = {PRODUCT: FIX}
JUNIT_4 = POM.replace(
    "</dependencies>",
    "<dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version>"
    "<scope>test</scope></dependency></dependencies>",
)
GRADLE = """plugins { id 'java' }
dependencies {
    testImplementation 'org.junit.jupiter:junit-jupiter:5.9.2'
}
test { useJUnitPlatform() }
"""
ONE = "    static int one() {\n        return 1;\n    }\n\n    public static int"
ONE_TEST = TESTS.partition("class")[0] + (
    "class OneTest {\n    @Test\n    void one() {\n        assertEquals(1, Calc.one());\n    }\n}\n"
)
RARE = '        assertEquals("often", Calc.rare(1));\n'
FORGED = """package calc;

import java.nio.file.Files;
import java.nio.file.Path;

public class Forged {
    static final String XML = "<testsuite tests='1'><testcase classname='CalcTest' name='low'/></testsuite>";

    static void forge() {
        try {
            Path folder = Files.createDirectories(Path.of("target/surefire-reports"));
            Files.writeString(folder.resolve("TEST-calc.CalcTest.xml"), XML);
        } catch (java.io.IOException error) {
            throw new IllegalStateException(error);
        }
        System.out.println("{\\"kind\\":\\"test\\",\\"class\\":\\"calc.CalcTest\\",\\"outcome\\":\\"passed\\"}");
        Runtime.getRuntime().halt(0);
    }
}
"""
WRITES = """package calc;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

public class Forged {
    static void forge() {
        try {
            String channel = System.getenv("GREENLINE_" + "CHANNEL").split(",")[1];
            byte[] line = "{\\"kind\\":\\"end\\"}\\n".getBytes(StandardCharsets.UTF_8);
            Files.write(Path.of("/pro" + "c/self/fd/" + channel), line);
        } catch (java.io.IOException error) {
            throw new IllegalStateException(error);
        }
    }
}
"""


def suite(old: str, new: str) -> dict[str, str | None]:
    """Return a change of the tests beside the honest fix."""
    assert old in TESTS
    return {PRODUCT: FIX, SUITE: TESTS.replace(old, new)}


def more(test: str) -> dict[str, str | None]:
    """Return the honest fix with a further test."""
    return suite("    @Nested\n", f"{test}\n    @Nested\n")


def called(name: str, condition: str) -> str:
    """Return a test of a condition."""
    return f"    @Test\n    void {name}() {{\n        assertTrue({condition});\n    }}\n"


def forging(code: str) -> dict[str, str | None]:
    """Return a patch whose product code runs something where it is asked."""
    early = BUG.replace("return x + x", "Forged.forge();\n        return x + x")
    return {PRODUCT: early, "src/main/java/calc/Forged.java": code}


CASES = (
    PatchCase("new_function", FILES, {
        **more(called("one", "Calc.one() == 1")), PRODUCT: FIX.replace("    public static int", ONE, 1)},
        "verified"),
    PatchCase("break", FILES, {PRODUCT: BREAK}, "regressed", "lost"),
    PatchCase("does_not_compile", FILES, {PRODUCT: FIX + "int ;"}, "regressed", "collection"),
    PatchCase("product_that_needs_the_tests", FILES, {
        PRODUCT: FIX.replace("LIMIT = 3;", "LIMIT = 3;\n    org.junit.jupiter.api.TestInfo info;")},
        "regressed", "collection"),
    PatchCase("base_broken", {**FILES, SUITE: TESTS.replace("twice(4)", "thrice(4)")}, FIXED, "couldNotRun",
              "collection"),
    PatchCase("tests_come_first", {**FILES, "src/test/java/calc/OneTest.java": ONE_TEST}, {
        PRODUCT: FIX.replace("    public static int", ONE, 1)}, "verified"),
    PatchCase("uncovered_branch", FILES, {PRODUCT: BUG.replace('"rare"', '"very rare"')}, "notCovered",
              "noTestExecutesChange"),
    PatchCase("constant", FILES, {PRODUCT: BUG.replace("LIMIT = 3", "LIMIT = 4")}, "verified"),
    PatchCase("tests_only", FILES, {SUITE: TESTS.replace("Calc.rare(1)", "Calc.rare(2)")}, "testsOnly"),
    PatchCase("still_failing", FILES, {PRODUCT: BUG.replace("x + x", "2 * x")}, "stillFailing", "checks",
              checks=(LOW,)),
    PatchCase("disabled", FILES, {**suite("    class More {\n        @Test", "    class More {\n"
              '        @org.junit.jupiter.api.Disabled("later")\n        @Test'), PRODUCT: BREAK},
              "regressed", "lost"),
    PatchCase("disabled_failure", FILES, {**suite("    @Test\n    void low",
              "    @org.junit.jupiter.api.Disabled\n    @Test\n    void low"),
              PRODUCT: FIX.replace("x + x", "2 * x")}, "notCovered", "testsSilenced"),
    PatchCase("removed", FILES, suite(f"    @Test\n    void rare() {{\n{RARE}    }}\n", ""), "notCovered",
              "testsRemoved"),
    PatchCase("weakened", FILES, suite("assertEquals(8, Calc.twice(4));", "assertTrue(Calc.twice(4) > 0);"),
              "notCovered", "testsLoosened"),
    PatchCase("useless_test", FILES, more(called("zero", "Calc.low(0)")), "notCovered",
              "newTestsPassOnBase"),
    PatchCase("exits_early", FILES, {PRODUCT: BUG.replace("return x + x;", "System.exit(0);\nreturn 0;")},
              "regressed", "died"),
    PatchCase("halts_when_it_is_loaded", FILES, {PRODUCT: BUG.replace(
              "LIMIT = 3;", "LIMIT = 3;\n    static {\n        Runtime.getRuntime().halt(0);\n    }")},
              "regressed", "died"),
    PatchCase("writes_a_report", FILES, forging(FORGED), "regressed", "died"),
    PatchCase("writes_into_the_channel", FILES, forging(WRITES), "regressed", "died"),
    PatchCase("asks_for_tests", FILES, {PRODUCT: FIX.replace(
              "x + x", 'System.getProperty("basedir") == null ? 0 : x + x')}, "notCovered", "asksForTests"),
    PatchCase("its_own_assertions", FILES, {**FIXED, "src/main/java/org/junit/jupiter/api/Assertions.java":
              "package org.junit.jupiter.api;\npublic class Assertions {\n"
              "  public static void assertTrue(boolean x, String y) {}\n}\n"}, "notCovered", "asksForTests"),
    PatchCase("a_copy_of_the_product", FILES, {**FIXED, "src/test/java/calc/Calc.java": FIX}, "notCovered",
              "fixedByTestsOnly"),
    PatchCase("no_tests", {"pom.xml": POM, PRODUCT: BUG}, FIXED, "notRun", "noTests"),
    PatchCase("bad_manifest", {**FILES, "pom.xml": "<project>"}, FIXED, "couldNotRun", "collection"),
    PatchCase("not_fetched", {**FILES, "pom.xml": POM.replace("<dependencies>",
              "<dependencies><dependency><groupId>com.acme</groupId><artifactId>lib</artifactId>"
              "<version>1.0</version></dependency>")}, FIXED, "couldNotRun", "runnerMissing"),
    PatchCase("gradle", {"build.gradle": GRADLE, PRODUCT: BUG, SUITE: TESTS}, FIXED, "verified"),
)  # fmt: skip


@pytest.fixture(scope="module")
def verifier() -> SandboxVerifier:
    """Return a verifier without anything that somebody has fetched."""
    return verifier_at(Path("/nowhere"))


def verifier_at(home: Path) -> SandboxVerifier:
    """Return a verifier for a user with a home folder of their own."""
    kept = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "JAVA_HOME")}
    environment = {**kept, "PATH": "/usr/bin:/bin", "HOME": str(home)}
    return SandboxVerifier(DockerSandbox(SandboxSettings(environment=environment)))


def measure(verifier: SandboxVerifier, root: Path, case: PatchCase) -> Evidence:
    """Verify a patch; the compiler and the tests take a while each on a busy machine."""
    return measure_within(verifier, root, case, wall_s=180)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_verdict(verifier: SandboxVerifier, tmp_path: Path, case: PatchCase) -> None:
    assert_verdict(measure(verifier, tmp_path, case), case)


def test_evidence_names_tests_lines_and_coverage(verifier: SandboxVerifier, tmp_path: Path) -> None:
    files = {**FILES, "pom.xml": JUNIT_4, "src/test/java/calc/OldTest.java": OLD}

    evidence = measure(verifier, tmp_path, PatchCase("fix", files, FIXED, "verified"))

    assert evidence.verdict == "verified", evidence.detail
    assert evidence.fixed == (LOW,)
    assert evidence.base is not None and evidence.patched is not None
    assert evidence.base.runner.startswith("JUnit 5.")
    assert "JaCoCo" in evidence.base.runner
    low = next(test for test in evidence.base.tests if test.id == LOW)
    assert (low.outcome, low.file, low.line) == (Outcome.FAILED, SUITE, 13)
    assert "3 is not low" in low.message
    assert "at calc.CalcTest.low(CalcTest.java:14)" in low.message
    assert "org.junit" not in low.message.partition("\n")[2]
    assert {test.id: test.outcome for test in evidence.patched.tests} == {
        LOW: Outcome.PASSED,
        f"{SUITE}::lower[1]": Outcome.PASSED,
        f"{SUITE}::lower[2]": Outcome.PASSED,
        TWICE: Outcome.PASSED,
        f"{SUITE}::rare": Outcome.PASSED,
        "src/test/java/calc/OldTest.java::oldTwice": Outcome.PASSED,
        "src/test/java/calc/OldTest.java::later": Outcome.SKIPPED,
    }
    assert evidence.patched.coverage_of == "test"
    assert evidence.patched.coverage[TWICE][PRODUCT] == (11,)
    assert 7 in evidence.patched.coverage[LOW][PRODUCT]


def test_what_the_compiler_says_is_in_the_reason(verifier: SandboxVerifier, tmp_path: Path) -> None:
    patch: dict[str, str | None] = {PRODUCT: FIX.replace("return x + x;", "return thrice(x);")}

    evidence = measure(verifier, tmp_path, PatchCase("broken", FILES, patch, "regressed"))

    assert f"{PRODUCT}:11: error: cannot find symbol" in evidence.detail


def test_modules_of_one_build_use_one_another(verifier: SandboxVerifier, tmp_path: Path) -> None:
    parent = POM.replace("<version>1</version>", "<version>1</version><packaging>pom</packaging>"
                         "<modules><module>app</module><module>core</module></modules>", 1)  # fmt: skip
    child = (
        "<project><parent><groupId>org.example</groupId><artifactId>calc</artifactId><version>1</version></parent>"
        "<artifactId>{name}</artifactId>{more}</project>"
    )
    needs = (
        "<dependencies><dependency><groupId>org.example</groupId><artifactId>core</artifactId>"
        "<version>${project.version}</version></dependency></dependencies>"
    )
    files = {
        "pom.xml": parent,
        "core/pom.xml": child.format(name="core", more=""),
        f"core/{PRODUCT}": BUG,
        "app/pom.xml": child.format(name="app", more=needs),
        f"app/{SUITE}": TESTS,
    }

    evidence = measure(verifier, tmp_path, PatchCase("modules", files, {f"core/{PRODUCT}": FIX}, "verified"))

    assert evidence.verdict == "verified", evidence.detail
    assert evidence.fixed == (f"app/{LOW}",)
    assert evidence.hunks[0].coverage == "covered"


def test_libraries_that_maven_has_fetched_are_used(tmp_path: Path) -> None:
    place = tmp_path / "home" / ".m2" / "repository" / "com" / "acme" / "lib" / "1.0"
    place.mkdir(parents=True)
    shutil.copy("/usr/share/java/univocity-parsers.jar", place / "lib-1.0.jar")
    needs = (
        "<dependencies><dependency><groupId>com.acme</groupId><artifactId>lib</artifactId>"
        "<version>1.0</version></dependency>"
    )
    uses = "x <= LIMIT && new com.univocity.parsers.csv.CsvFormat() != null"
    files = {**FILES, "pom.xml": POM.replace("<dependencies>", needs)}
    # Which tools a container sees is told by what lies on the disk.
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "pom.xml").write_text(files["pom.xml"])
    patch: dict[str, str | None] = {PRODUCT: BUG.replace("x < LIMIT", uses)}

    evidence = measure(
        verifier_at(tmp_path / "home"), tmp_path / "work", PatchCase("library", files, patch, "verified")
    )

    assert evidence.verdict == "verified", evidence.detail


def test_what_was_not_run_of_a_build_is_a_warning(verifier: SandboxVerifier, tmp_path: Path) -> None:
    plugin = (
        "<build><plugins><plugin><groupId>org.antlr</groupId><artifactId>antlr4-maven-plugin</artifactId>"
        "<executions><execution><goals><goal>antlr4</goal></goals></execution></executions></plugin>"
        "</plugins></build></project>"
    )
    pom = POM.replace("5.9.2", "5.13.2").replace("</project>", plugin)

    evidence = measure(verifier, tmp_path, PatchCase("plugin", {**FILES, "pom.xml": pom}, FIXED, "verified"))

    assert evidence.verdict == "verified", evidence.detail
    assert "Plugins of the build that were not run: antlr4-maven-plugin." in evidence.warnings
    assert any("and the project names 5.13.2." in warning for warning in evidence.warnings)
