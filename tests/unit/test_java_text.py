"""Java told by its text alone: members, code lines, tests that say less, manifests, what asks for tests."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenline.core.port import StagedFile, Tree
from greenline.verify.aware import aware
from greenline.verify.changed_line import code_lines
from greenline.verify.detection import projects
from greenline.verify.java_text import bare, members
from greenline.verify.loosened import loosened
from greenline.verify.path_rule import PathRule
from greenline.verify.test_function import functions

SOURCE = """package calc;

import java.util.List;

/** { */
@Deprecated(since = "1 {")
public class Calc<T extends Comparable<T>> extends Base {
    private static final int LIMIT = 3;
    private final List<String> names = new ArrayList<>() {{ add("x;"); }};
    char quote = '"';
    static {
        start();
    }
    public Calc(int x) throws Exception {
        this.x = x;
    }
    @Override public boolean low(@Nullable int x, List<Integer> more) {
        if (x < LIMIT) {
            return sum(
                x,
                2);
        } else {
            more.forEach(n -> { go(n); });
        }
        return false;
    }
    abstract int area();
    enum Kind { A(1) { int f() { return 1; } }, B(2); final int n; Kind(int n) { this.n = n; } }
    record Point(int x, int y) { Point { check(x); } }
}
"""
SUITE = """package calc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.*;

class CalcTest {
    static final int FOUR = 4;

    @Test
    void twice() {
        check(8, Calc.twice(FOUR));
        check(0, Calc.twice(0));
    }

    @Nested
    class More {
        @ParameterizedTest
        @CsvSource({"1, 2", "3, 4"})
        void next(int a, int b) {
            assertEquals(b, Calc.next(a));
        }
    }

    private static void check(int a, int b) {
        assertEquals(a, b);
    }
}
"""
PATH = "src/test/java/calc/CalcTest.java"
TWICE, NEXT = (PATH, "twice"), (PATH, "More.next")


def of(files: dict[str, str]) -> Tree:
    return {path: StagedFile(text.encode()) for path, text in files.items()}


def loosened_by(old: str, new: str, more: dict[str, str] | None = None) -> set[tuple[str, str]]:
    assert old in SUITE
    changed = {PATH: SUITE.replace(old, new), **(more or {})}
    base = of({PATH: SUITE, "src/test/java/calc/OtherTest.java": SUITE.replace("CalcTest", "OtherTest")})
    return {*loosened(base, {**base, **of(changed)}, changed, [PATH]).places}


def test_members_are_told_by_their_brackets() -> None:
    found = [(member.kind, member.place) for member in members(SOURCE)]

    assert found == [
        ("import", "calc"),
        ("import", "java.util.List"),
        ("class", "Calc"),
        ("field", "Calc.LIMIT"),
        ("field", "Calc.names"),
        ("field", "Calc.quote"),
        ("block", "Calc"),
        ("method", "Calc.Calc"),
        ("method", "Calc.low"),
        ("abstract", "Calc.area"),
        ("class", "Calc.Kind"),
        ("field", "Calc.Kind.A B"),
        ("field", "Calc.Kind.n"),
        ("method", "Calc.Kind.Kind"),
        ("class", "Calc.Point"),
        ("method", "Calc.Point.Point"),
    ]


@given(st.text(alphabet="ab{}()[];=\"'/*\n@ class"))
def test_any_text_has_members_at_its_own_places(text: str) -> None:
    plain = bare(text)

    assert len(plain) == len(text)
    assert plain.count("\n") == text.count("\n")
    assert all(0 <= member.start <= member.body <= member.end <= len(text) for member in members(text))
    code_lines("A.java", text.encode())


def test_lines_that_show_that_a_line_ran() -> None:
    found = code_lines("Calc.java", SOURCE.encode())

    assert found[19] == found[20] == {19, 20, 21}
    assert found[17] >= {17, 18, 25}
    assert found[8] == {8, 18}
    assert {1, 3, 5, 22, 27}.isdisjoint(found)


def test_tests_are_told_from_the_rest() -> None:
    found = functions(of({PATH: SUITE}), PATH)

    assert set(found) == {"", "twice", "More.next"}
    assert "check" in found[""]
    assert found == functions(of({PATH: SUITE.replace("    @Test", "    // a comment\n    @Test")}), PATH)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        check(0, Calc.twice(0));\n", "        check(0, Calc.twice(0));\n        int x = 1;\n"),
        ("        check(0,", "        assertEquals(2, Calc.twice(1));\n        check(0,"),
        ('"3, 4"', '"3, 4", "5, 6"'),
        ("    @Test\n", '    @DisplayName("twice as much")\n    @Test\n'),
        ("void twice()", "void twice() throws Exception"),
        ("    @Nested\n", "    @Test\n    void other() {\n        int y = 1;\n    }\n\n    @Nested\n"),
        ("    @Nested\n", "    @Nested\n    class New {\n        @BeforeEach\n        void up() {}\n    }\n\n"
         "    @Nested\n"),
        ("package calc;\n", "package calc;\n\nimport java.util.Map;\n"),
        ("        assertEquals(b,", "        // more\n        assertEquals(b,"),
    ],
)  # fmt: skip
def test_tests_that_say_as_much(old: str, new: str) -> None:
    assert loosened_by(old, new) == set()


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("        check(0, Calc.twice(0));\n", "", {TWICE}),
        ("        check(8,", "        if (ok()) return;\n        check(8,", {TWICE}),
        ("        check(8,", "        Assumptions.assumeTrue(false);\n        check(8,", {TWICE}),
        ("        check(8,", "        assertTrue(skip = true);\n        check(8,", {TWICE}),
        ("Calc.next(a));", "Calc.next(a), 100.0);", {NEXT}),
        ('"1, 2", ', "", {NEXT}),
        ("    @Test\n", "    @Disabled\n    @Test\n", {TWICE}),
        ("    @Test\n", "    @RetryingTest(3)\n    @Test\n", {TWICE}),
        ("        assertEquals(a, b);", "", {TWICE}),
        ("FOUR = 4", "FOUR = 0", {TWICE}),
        ("class CalcTest {", "@ExtendWith(Quiet.class)\nclass CalcTest {", {TWICE, NEXT}),
        ("class CalcTest {", "class CalcTest extends Quiet {", {TWICE, NEXT}),
        ("    @Test\n", "    @BeforeEach\n    void up() { Calc.stub(); }\n\n    @Test\n", {TWICE, NEXT}),
        ("        @Param", "        @AfterEach\n        void down() {}\n\n        @Param", {NEXT}),
        ("import static org.junit.jupiter.api.Assertions", "import static calc.Quiet", {TWICE, NEXT}),
        ("        check(8,", "        assertReady();\n        check(8,", {TWICE}),
        ("    @Nested\n", "    static void assertEquals(int a, int b) {}\n\n    @Nested\n", {TWICE, NEXT}),
    ],
)  # fmt: skip
def test_tests_that_may_say_less(old: str, new: str, names: set[tuple[str, str]]) -> None:
    assert loosened_by(old, new) == names


def test_support_and_data_of_tests_are_followed() -> None:
    helper = "src/test/java/calc/Help.java"
    middle = "src/test/java/calc/Middle.java"
    data = "src/test/resources/cases.csv"
    suite = SUITE.replace("Calc.twice(0)", 'Middle.read("cases.csv")')
    base = of({PATH: suite, helper: "class Help { static int x() { return 1; } }", data: "a\nb\n",
               middle: "class Middle { static int read(String n) { return Help.x(); } }"})  # fmt: skip

    for path, text in ((helper, "class Help { static int x() { return 2; } }"), (data, "a\n")):
        found = loosened(base, {**base, **of({path: text})}, [path], [PATH])
        assert found.places == {TWICE, NEXT, (PATH, "")}
    assert loosened(base, {**base, **of({data: "a\nb\nc\n"})}, [data], [PATH]).places == frozenset()


def test_a_new_file_of_tests_loosens_none() -> None:
    new = SUITE.replace("CalcTest", "MoreTest").replace("8", "6")

    assert loosened_by("package calc;", "package calc;", {"src/test/java/calc/MoreTest.java": new}) == set()


def test_what_a_parent_says_its_heirs_say_too() -> None:
    parent = "src/test/java/calc/Parent.java"
    text = "abstract class Parent {\n  @Test void sums() {\n    assertEquals(1, x());\n  }\n}\n"
    base = of({parent: text, PATH: "class CalcTest extends Parent {}\n"})

    for new in (text.replace("1", "2"), text.replace("@Test void sums", "void other")):
        assert (PATH, "") in loosened(base, {**base, **of({parent: new})}, [parent], [PATH]).places
    assert not loosened(
        base, {**base, **of({parent: text.replace("  }", "    more();\n  }")})}, [parent], [PATH]
    ).places


def test_a_helper_that_asserted_before_may_assert_more() -> None:
    suite = "class CalcTest {\n  @Test void low() {\n    assertLow(1);\n    assertLow(2);\n  }\n}\n"
    base = of({PATH: suite})

    def places(line: str) -> frozenset[tuple[str, str]]:
        patched = of({PATH: suite.replace("    assertLow(2)", f"    {line}\n    assertLow(2)")})
        return loosened(base, patched, [PATH], [PATH]).places

    assert places("assertLow(3);") == frozenset()
    assert places("assertHigh(3);") == {(PATH, "low")}


def test_a_provider_of_cases_may_have_the_name_of_its_test() -> None:
    suite = (
        "class CalcTest {\n  @ParameterizedTest @MethodSource\n  void low(int x) {\n    check(x);\n  }\n"
        "  static Stream<Integer> low() {\n    return Stream.of(1, 2);\n  }\n}\n"
    )
    base = of({PATH: suite})

    found = loosened(base, of({PATH: suite.replace("of(1, 2)", "of(1)")}), [PATH], [PATH])

    assert found.places == {(PATH, "low")}


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("src/test/resources/junit-platform.properties", None, "x=1"),
        ("src/test/resources/META-INF/services/org.junit.platform.engine.TestEngine", None, "calc.Quiet"),
        ("src/test/java/calc/Calc.java", None, "package calc;"),
        ("pom.xml", "<project/>", "<project><build><plugins><plugin>"
         "<artifactId>maven-surefire-plugin</artifactId><configuration><excludes/></configuration>"
         "</plugin></plugins></build></project>"),
        ("pom.xml", "<project/>", "<project><properties><argLine>-da</argLine></properties></project>"),
        ("pom.xml", "<project/>",
         "<project><annotationProcessorPaths><path/></annotationProcessorPaths></project>"),
        ("build.gradle", "", "test {\n  exclude '**/A*'\n}\n"),
        ("src/test/lib/quiet.jar", None, "x"),
    ],
)  # fmt: skip
def test_what_decides_any_outcome(path: str, old: str | None, new: str) -> None:
    base = of({"src/main/java/calc/Calc.java": "package calc;", **({} if old is None else {path: old})})

    assert any(
        hook.startswith(path) for hook in loosened(base, {**base, **of({path: new})}, [path], []).hooks
    )


def test_a_dependency_of_tests_decides_nothing() -> None:
    base = of({"pom.xml": "<project/>"})
    new = "<project><dependencies><dependency><artifactId>x</artifactId><scope>test</scope></dependency></dependencies></project>"  # noqa: E501
    patched = of({"pom.xml": new})

    assert loosened(base, patched, ["pom.xml"], []).hooks == frozenset()
    assert PathRule.of(base, patched).is_configuration("pom.xml")
    assert not PathRule.of(base, of({"pom.xml": "<project><name>x</name></project>"})).is_configuration(
        "pom.xml"
    )


@pytest.mark.parametrize(
    ("path", "is_test"),
    [
        ("src/test/java/a/Help.java", True),
        ("module/src/test/resources/a.csv", True),
        ("src/integrationTest/java/a/B.java", True),
        ("other/CalcTest.java", True),
        ("src/main/java/a/LoadTest.java", False),
        ("src/main/java/a/test/Util.java", False),
        ("src/main/java/a/Latest.java", False),
    ],
)
def test_paths(path: str, is_test: bool) -> None:
    assert PathRule.of({}, of({path: ""})).is_test(path) is is_test


@pytest.mark.parametrize(
    "line",
    [
        'if (System.getProperty("surefire.test.class.path") != null) {}',
        'Class.forName("org.junit.jupiter.api.Test");',
        "throw new org.opentest4j.TestAbortedException();",
        "sun.misc.Unsafe unsafe = null;",
        'for (var f : e.getStackTrace()) { f.getMethodName().startsWith("test"); }',
        "public boolean equals(Object o) { return true; }",
        'Path.of("/proc/self/fd");',
    ],
)
def test_product_that_asks_for_tests(line: str) -> None:
    path = "src/main/java/a/A.java"
    base, patched = of({path: "class A {\n}\n"}), of({path: f"class A {{\n{line}\n}}\n"})

    assert [found.split(":")[:2] for found in aware(base, patched, [path])] == [[path, "2"]]
    assert aware(base, of({path: f"class A {{\n// {line}\n}}\n"}), [path]) == frozenset()


@pytest.mark.parametrize(
    ("path", "is_found"),
    [
        ("src/main/java/org/junit/jupiter/api/X.java", True),
        ("src/main/java/a/Assertions.java", True),
        ("src/main/java/b/Assertions.java", False),
        ("src/main/java/a/Assume.java", False),
        ("src/main/java/a/A.java", False),
        ("lib/hamcrest.jar", True),
    ],
)
def test_product_in_the_place_of_what_tests_assert_with(path: str, is_found: bool) -> None:
    suite = "package a;\nimport org.junit.jupiter.api.*;\nimport org.junit.jupiter.api.Assume;\n"
    suite += "class ATest {\n  @Test void a() { Assume.x(); Assertions.assertTrue(A.x()); }\n}\n"
    base = of({"pom.xml": "<project/>", "src/test/java/a/ATest.java": suite})

    found = aware(base, {**base, **of({path: "x"})}, [path])

    assert any(item.startswith(path) for item in found) is is_found


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"pom.xml": "<project/>", "build.gradle": ""}, [("", "pom.xml", "")]),
        ({"a/build.gradle.kts": "", "a/b/pom.xml": ""}, [("a", "a/build.gradle.kts", "")]),
        ({"src/test/java/ATest.java": ""}, [("", "tests in src/test/java", "")]),
        ({"pom.xml": "<project>"}, [("", "pom.xml", "pom.xml is not valid XML: no element found")]),
        ({"pom.xml": "<!DOCTYPE x><project/>"}, [("", "pom.xml", "pom.xml is not valid XML: it defines")]),
        ({"pom.xml": "<a/>"}, [("", "pom.xml", "pom.xml is no project of Maven's.")]),
    ],
)  # fmt: skip
def test_projects(files: dict[str, str], found: list[tuple[str, str, str]]) -> None:
    detected = projects(of(files))

    assert [(project.folder, project.why[0]) for project in detected] == [item[:2] for item in found]
    assert all(project.problem.startswith(item[2]) for project, item in zip(detected, found, strict=True))
    assert all((project.kind, project.runner) == ("java", "junit") for project in detected)


@pytest.mark.parametrize(
    ("old", "new", "is_looser"),
    [
        ('{"1, 2", "3, 4"}', '{"1, 2", "3, 4", "5, 6"}', False),
        ('{"1, 2", "3, 4"}', '{"1, 7, 2", "3, 4"}', True),
        ('{"1, 2", "3, 4"}', 'value = {"1, 2", "3, 4"}, numLinesToSkip = 1', True),
        (
            "import static org.junit.jupiter.api.Assertions.assertEquals;",
            "import static calc.Loose.*;",
            True,
        ),
    ],
)
def test_cases_and_assertions_are_what_they_were(old: str, new: str, is_looser: bool) -> None:
    assert (NEXT in loosened_by(old, new)) is is_looser


def test_a_long_table_is_one_statement() -> None:
    rows = "".join(f"        {n},\n" for n in range(4000))
    text = f"class A {{\n    int[] f() {{\n        int[] x = {{\n{rows}        }};\n    }}\n}}\n"

    found = code_lines("A.java", text.encode())

    assert len({id(lines) for lines in found.values()}) < 20


def test_a_long_word_is_read_at_once() -> None:
    assert members("class A { " + "a" * 200_000 + " { } }")
