"""What the runner of Java's tests reads of a project: poms, Gradle's builds, repositories, names of tests."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "sandbox" / "runner"))

from greenline_runner.java_junit import ahead, choose, engines
from greenline_runner.java_layout import modules
from greenline_runner.java_name import Names, _matches
from greenline_runner.java_pom import BadPom
from greenline_runner.java_repository import Repositories, numbers
from greenline_runner.java_resource import copy_resources

POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <groupId>org.example</groupId><artifactId>{name}</artifactId><version>1</version>{more}
</project>"""


def dependency(name: str, version: str = "", more: str = "") -> str:
    group, artifact = name.split(":")
    number = f"<version>{version}</version>" if version else ""
    inside = f"<groupId>{group}</groupId><artifactId>{artifact}</artifactId>{number}{more}"
    return f"<dependency>{inside}</dependency>"


def put(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


def artifact(root: Path, name: str, version: str, dependencies: str = "", more: str = "") -> None:
    """Put an artifact into a local repository."""
    group, own = name.split(":")
    place = f"{group.replace('.', '/')}/{own}/{version}/{own}-{version}"
    more += f"<dependencies>{dependencies}</dependencies>"
    text = POM.format(name=own, more=more).replace("org.example", group).replace(">1<", f">{version}<")
    put(root, {f"{place}.pom": text, f"{place}.jar": ""})


@pytest.fixture
def local(tmp_path: Path) -> Repositories:
    """Return a repository with a library that needs two others."""
    root = tmp_path / "m2"
    artifact(root, "a:lib", "1.0", dependency("a:deep", "1.0") + dependency("a:no", "1.0")
             + dependency("a:maybe", "1.0", "<optional>true</optional>")
             + dependency("a:only", "1.0", "<scope>test</scope>"))  # fmt: skip
    for name, version in (("a:deep", "1.0"), ("a:deep", "2.0"), ("a:no", "1.0"), ("a:maybe", "1.0")):
        artifact(root, name, version)
    return Repositories(str(root), str(tmp_path / "gradle"), "", str(tmp_path / "java"))


def test_dependencies_are_followed_as_maven_does(tmp_path: Path, local: Repositories) -> None:
    exclusion = (
        "<exclusions><exclusion><groupId>a</groupId><artifactId>no</artifactId></exclusion></exclusions>"
    )
    managed = f"<dependencyManagement><dependencies>{dependency('a:deep', '${deep}')}</dependencies></dependencyManagement>"  # noqa: E501
    more = (
        f"<properties><deep>2.0</deep></properties>{managed}<dependencies>"
        f"{dependency('a:lib', '1.0', exclusion)}{dependency('a:gone', '${none}')}</dependencies>"
    )
    put(tmp_path, {"pom.xml": POM.format(name="app", more=more)})

    (module,) = modules(str(tmp_path), local)

    assert [(name, version) for (_, name), (version, _) in module.path.jars.items()] == [
        ("lib", "1.0"),
        ("deep", "2.0"),
    ]
    assert [str(missing) for missing in module.path.missing] == ["a:gone:${none}"]


def test_modules_come_behind_those_that_they_need(tmp_path: Path, local: Repositories) -> None:
    parent = "<packaging>pom</packaging><modules><module>app</module><module>core</module></modules>"
    above = "<parent><groupId>org.example</groupId><artifactId>all</artifactId><version>1</version></parent>"
    needs = f"<dependencies>{dependency('org.example:core', '${project.version}')}</dependencies>"
    put(tmp_path, {
        "pom.xml": POM.format(name="all", more=parent),
        "app/pom.xml": f"<project>{above}<artifactId>app</artifactId>{needs}</project>",
        "core/pom.xml": f"<project>{above}<artifactId>core</artifactId></project>",
    })  # fmt: skip

    found = modules(str(tmp_path), local)

    assert [module.folder for module in found] == ["", "core", "app"]
    assert found[2].path.modules == [("org.example", "core", False)]


def test_a_parent_that_is_nowhere_is_named(tmp_path: Path, local: Repositories) -> None:
    above = "<parent><groupId>b</groupId><artifactId>up</artifactId><version>3</version></parent>"
    put(tmp_path, {"pom.xml": f"<project>{above}<artifactId>app</artifactId></project>"})

    with pytest.raises(BadPom, match=r"the parent b:up:3 is in no local repository"):
        modules(str(tmp_path), local)


def test_builds_of_gradle_are_read(tmp_path: Path, local: Repositories) -> None:
    put(tmp_path, {
        "settings.gradle": "rootProject.name = 'x'\ninclude 'core', ':app'\n",
        "build.gradle": "subprojects {\n  dependencies { \n testImplementation 'a:no:1.0'\n }\n}\n",
        "core/build.gradle": "sourceCompatibility = '11'\n// implementation 'a:gone:1'\n",
        "app/build.gradle": "def deep = '2.0'\nsourceSets {}\ndependencies {\n"
        "    implementation project(':core')\n"
        "    api(\"a:deep:$deep\")\n    runtimeOnly group: 'a', name: 'lib', version: '1.0'\n}\n",
    })  # fmt: skip

    found = {module.folder: module for module in modules(str(tmp_path), local)}

    assert list(found) == ["", "core", "app"]
    assert [name for _, name in found["app"].path.jars] == ["no", "deep", "lib"]
    assert found["app"].path.modules == [(":", "core", False)]
    assert found["core"].compiler()[:2] == ["--release", "11"]
    assert not found["core"].path.missing
    assert [len(module.model.notes) for module in found.values()] == [0, 0, 1]
    put(tmp_path, {"app/build.gradle": "plugins { id 'org.jetbrains.kotlin.jvm' version '1.9.0' }\n"})
    put(tmp_path, {"app/build.gradle": "plugins {\n  id 'org.jetbrains.kotlin.jvm' version '1.9.0'\n}\n"})
    with pytest.raises(BadPom, match=r"the plugin org\.jetbrains\.kotlin\.jvm"):
        modules(str(tmp_path), local)


def test_catalogues_and_lists_of_versions_of_gradle_are_read(tmp_path: Path, local: Repositories) -> None:
    toml = (
        '[versions]\ndeep = "2.0"\n[libraries]\n# a comment\n'
        'a-deep = { module = "a:deep", version.ref = "deep" }\na-no = "a:no:1.0"\n'
        'other = { group = "a", name = "maybe", version = { strictly = "1.0" } }\n'
        '[bundles]\nmore = [\n  "a-no",\n  "other",\n]\n'
    )
    lib = dependency("a:lib", "1.0")
    managed = f"<dependencyManagement><dependencies>{lib}</dependencies></dependencyManagement>"
    for name in ("org.springframework.boot:spring-boot-dependencies", "a:bom"):
        artifact(
            Path(local.maven), name, "3.1", more=managed.replace("lib", "lib" if name == "a:bom" else "only")
        )
    put(tmp_path, {
        "gradle/libs.versions.toml": toml,
        "build.gradle": "plugins {\n  id 'org.springframework.boot' version '3.1'\n"
        "  id 'io.spring.dependency-management' version '1.1'\n}\n"
        "dependencyManagement { imports { mavenBom 'a:bom:3.1' } }\ndependencies {\n"
        "    implementation libs.a.deep\n    testImplementation(libs.bundles.more)\n"
        "    implementation 'a:lib'\n"
        "    implementation 'a:only'\n}\n",
    })  # fmt: skip

    (module,) = modules(str(tmp_path), local)

    found = {name: version for (_, name), (version, _) in module.path.jars.items()}
    assert found == {"deep": "2.0", "no": "1.0", "maybe": "1.0", "lib": "1.0"}
    assert [str(missing) for missing in module.path.missing] == ["a:only:1.0"]


def test_what_surefire_is_told_is_kept(tmp_path: Path, local: Repositories) -> None:
    surefire = (
        "<build><plugins><plugin><artifactId>maven-surefire-plugin</artifactId><configuration>"
        "<argLine>@{argLine} -Xmx1g --add-opens java.base/java.lang=ALL-UNNAMED -javaagent:x.jar"
        " --add-opens greenline.runner/greenline.runner=ALL-UNNAMED</argLine>"
        "<excludes><exclude>**/Slow*.java</exclude></excludes>"
        "<systemPropertyVariables><home>${project.version}</home></systemPropertyVariables>"
        "</configuration></plugin></plugins></build>"
    )
    put(tmp_path, {"pom.xml": POM.format(name="app", more=surefire)})

    (module,) = modules(str(tmp_path), local)

    opens = ["--add-opens", "java.base/java.lang=ALL-UNNAMED"]
    assert module.options() == ["-Xmx1g", *opens, "-Dhome=1"]
    assert module.patterns() == [[], ["**/Slow*.java"]]


def test_resources_are_chosen_and_filled_in_as_maven_does(tmp_path: Path, local: Repositories) -> None:
    resources = (
        "<properties><greeting>hello</greeting></properties><build><resources>"
        "<resource><directory>conf</directory><filtering>true</filtering>"
        "<includes><include>**/app*.yml</include></includes></resource>"
        "<resource><directory>conf</directory><excludes><exclude>**/app*.yml</exclude></excludes></resource>"
        "</resources></build>"
    )
    text = "a: ${greeting} @project.version@ ${unknown}\n"
    put(
        tmp_path, {"pom.xml": POM.format(name="app", more=resources), "conf/in/app.yml": text, "conf/b": text}
    )
    (tmp_path / "conf" / "app.yml").write_bytes(b"\xff${greeting}")
    (module,) = modules(str(tmp_path), local)

    copy_resources(module.resources("main"), str(tmp_path / "out"), module.model)

    assert (tmp_path / "out/in/app.yml").read_text() == "a: hello 1 ${unknown}\n"
    assert (tmp_path / "out/b").read_text() == text
    assert (tmp_path / "out/app.yml").read_bytes() == b"\xff${greeting}"


def test_processors_of_annotations_have_a_path_of_their_own(tmp_path: Path, local: Repositories) -> None:
    compiler = (
        "<build><plugins><plugin><artifactId>maven-compiler-plugin</artifactId><configuration>"
        "<release>17</release><annotationProcessorPaths><path><groupId>a</groupId><artifactId>lib</artifactId>"
        "<version>1.0</version></path></annotationProcessorPaths></configuration></plugin></plugins></build>"
    )
    put(tmp_path, {"pom.xml": POM.format(name="app", more=compiler)})

    (module,) = modules(str(tmp_path), local)

    assert [name for _, name in module.processor_path.jars] == ["lib", "deep", "no"]
    assert not module.path.jars
    assert module.compiler() == ["--release", "17", "-encoding", "UTF-8"]


@pytest.mark.parametrize(
    ("path", "pattern", "is_meant"),
    [
        ("a/b/FooTest", "**/*Test.java", True),
        ("FooTest", "**/*Test.java", True),
        ("a/b/FooTest", "FooTest", True),
        ("a/b/FooTest", "a.b.FooTest", True),
        ("a/b/FooTest", "a/**", True),
        ("a/b/FooTest", "**/b/*", True),
        ("a/b/FooTest", "c/**", False),
        ("a/b/FooTest", "**/*IT.java", False),
    ],
)
def test_patterns_of_classes(path: str, pattern: str, is_meant: bool) -> None:
    assert _matches(path, pattern) is is_meant


def test_the_project_s_junit_is_taken_where_it_is_whole(tmp_path: Path, local: Repositories) -> None:
    jupiter = dependency("org.junit.jupiter:junit-jupiter-api", "5.10.1")
    put(tmp_path, {"pom.xml": POM.format(name="app", more=f"<dependencies>{jupiter}</dependencies>")})
    root = Path(local.maven)
    for part in ("api", "engine"):
        artifact(root, f"org.junit.jupiter:junit-jupiter-{part}", "5.10.1")
    for part in ("commons", "engine"):
        artifact(root, f"org.junit.platform:junit-platform-{part}", "1.10.1")
    artifact(root, "org.opentest4j:opentest4j", "1.3.0")

    (module,) = modules(str(tmp_path), local)
    assert choose(module, local) is None
    for name in ("junit-platform-launcher", "junit-platform-engine", "junit-platform-commons", "opentest4j",
                 "junit-jupiter-api", "junit-jupiter-engine", "junit-jupiter-params"):  # fmt: skip
        put(Path(local.system), {f"{name}-5.9.2.jar": ""})
        (Path(local.system) / f"{name}.jar").symlink_to(f"{name}-5.9.2.jar")
    of_machine = choose(module, local)
    artifact(root, "org.junit.platform:junit-platform-launcher", "1.10.1")
    own = choose(module, local)

    assert (of_machine.whose, of_machine.version) == ("machine", "5.9.2")
    assert (own.whose, own.version) == ("project", "5.10.1")
    assert all(path.startswith(local.maven) for path in ahead(module, own))


def test_engines_of_libraries_are_run_and_that_for_suites_is_not(tmp_path: Path) -> None:
    jars = []
    of_jupiter = "# a comment\norg.junit.jupiter.engine.JupiterTestEngine\n"
    of_suites = "org.junit.platform.suite.engine.Suites\n"
    for name, text in (("a", "net.jqwik.Engine # more\n"), ("b", of_suites), ("c", of_jupiter), ("d", "")):
        jars.append(str(tmp_path / f"{name}.jar"))
        with zipfile.ZipFile(jars[-1], "w") as file:
            if text:
                file.writestr("META-INF/services/org.junit.platform.engine.TestEngine", text)

    assert engines([*jars, "/nowhere.jar"]) == [
        "org.junit.jupiter.engine.JupiterTestEngine",
        "net.jqwik.Engine",
    ]


def test_ids_name_file_classes_method_and_row(tmp_path: Path, local: Repositories) -> None:
    text = (
        "package a;\nclass FooTest {\n  @Test\n  void low() {\n    low();\n  }\n  class In {\n"
        "    void low(int x) {}\n  }\n}\nclass Other {\n  void high() {}\n}\n"
    )
    put(tmp_path, {"src/test/java/a/FooTest.java": text})
    (module,) = modules(str(tmp_path), local)
    names = Names(module, set())
    path = "src/test/java/a/FooTest.java"

    def told(owner: str, method: str, row: str = "") -> tuple[str, int]:
        record = {"class": owner, "method": method, "row": row}
        return names.id_of(record), names.line_of(record)

    assert told("a.FooTest", "low") == (f"{path}::low", 4)
    assert told("a.FooTest$In", "low", "[2]") == (f"{path}::In::low[2]", 8)
    assert told("a.Other", "high") == (f"{path}::Other::high", 12)
    assert told("b.Gone", "x") == ("b.Gone::x", 0)
    assert names.methods([f"{path}::In::low[2]"]) == ["a.FooTest$In#low", "a.In#low"]
    assert names.methods([f"{path}::In::low", path]) == []


def test_versions_are_compared_by_their_numbers() -> None:
    assert sorted(["1.10", "1.9.2", "1.9", "1.10-M1"], key=numbers) == ["1.9", "1.9.2", "1.10-M1", "1.10"]
