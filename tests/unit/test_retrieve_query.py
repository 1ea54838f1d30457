"""What a query is understood as."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenline.index.retrieve.path_kind import PathKind, kinds_of_path
from greenline.index.retrieve.query import Mention, QueryKind, understand
from greenline.index.retrieve.word import stem


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("how are model fields declared", QueryKind.WORDS),
        ("alias handling for field names", QueryKind.WORDS),
        ("is the cache ever emptied?", QueryKind.WORDS),
        ("Fix model equality with extra fields", QueryKind.CHANGE),
        ("fix(browser): wait for the tester", QueryKind.CHANGE),
        ("requests fail when the proxy closes the connection", QueryKind.CHANGE),
        ("BaseModel", QueryKind.SYMBOL),
        ("`Upload.send()`", QueryKind.SYMBOL),
        ("session", QueryKind.SYMBOL),
        ("src/app.ts:12:3", QueryKind.PLACE),
        ("pkg/upload.py", QueryKind.PLACE),
    ],
)
def test_the_kind_follows_the_form(text: str, kind: QueryKind) -> None:
    assert understand(text).kind is kind


def test_a_python_trace_names_its_innermost_frame_first() -> None:
    trace = (
        "Traceback (most recent call last):\n"
        '  File "/home/u/app/main.py", line 7, in <module>\n    run()\n'
        '  File "/home/u/app/pkg/upload.py", line 31, in send\n    raise ValueError\nValueError'
    )

    query = understand(trace)

    assert query.kind is QueryKind.PLACE
    assert query.mentions[:2] == (
        Mention("/home/u/app/pkg/upload.py", 31),
        Mention("/home/u/app/main.py", 7),
    )


@pytest.mark.parametrize(
    ("text", "mention"),
    [
        ("    at send (/srv/app/src/upload.ts:10:5)", Mention("/srv/app/src/upload.ts", 10)),
        ("\t/src/x/tree.go:88 +0x1d", Mention("/src/x/tree.go", 88)),
        (" --> src/lib.rs:4:9", Mention("src/lib.rs", 4)),
        ("\tat com.acme.Upload.send(Upload.java:55)", Mention("Upload.java", 55)),
        ("error in src\\app\\main.cs(12,3): CS1002", Mention("src/app/main.cs", 12)),
        ("look at pkg/upload.py please", Mention("pkg/upload.py")),
    ],
)
def test_a_frame_of_any_language_is_a_place(text: str, mention: Mention) -> None:
    assert mention in understand(text).mentions


def test_names_come_from_quotes_test_ids_and_their_look() -> None:
    query = understand("`retry` is ignored by send_all in tests/test_up.py::TestSend::test_retry[2]")

    assert {"retry", "send_all", "TestSend", "test_retry"} <= set(query.names)
    assert PathKind.TEST in query.wants


def test_words_of_several_parts_are_told_from_plain_ones() -> None:
    query = understand("[no-shadow] plain words, file_table, FileTable and ESLint in a follow-up: No-Shadow")

    assert query.compounds == (
        ("no", "shadow"),
        ("file_table",),
        ("filetable",),
        ("eslint",),
        ("follow", "up"),
    )


def test_a_scope_stays_and_the_type_of_a_commit_goes() -> None:
    terms = understand("feat(mocker): keep automocked classes").terms

    assert "mocker" in terms
    assert "feat" not in terms


def test_words_that_only_ask_are_dropped_unless_nothing_else_is_there() -> None:
    assert understand("how does the scheduler work").terms == ("scheduler",)
    assert understand("what is this").terms


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("tests/unit/x.py", PathKind.TEST),
        ("pkg/upload_test.go", PathKind.TEST),
        ("src/a.spec.ts", PathKind.TEST),
        ("src/main/UploadTest.java", PathKind.TEST),
        ("docs/index.md", PathKind.DOCUMENT),
        ("pyproject.toml", PathKind.SETTING),
        ("scripts/release.py", PathKind.SETTING),
        ("lib/vendor/six.py", PathKind.VENDORED),
        ("types/index.d.ts", PathKind.DECLARATION),
    ],
)
def test_a_path_tells_its_kind(path: str, kind: PathKind) -> None:
    assert kind in kinds_of_path(path)


@pytest.mark.parametrize(
    "path", ["src/contest.py", "src/Contest.java", "pkg/latest.go", "src/mock/timers.ts"]
)
def test_a_likeness_makes_no_kind(path: str) -> None:
    assert not kinds_of_path(path)


@given(st.text())
def test_any_text_is_a_query(text: str) -> None:
    query = understand(text)

    assert all(mention.line is None or mention.line >= 0 for mention in query.mentions)
    assert len(set(query.terms)) == len(query.terms)


@given(st.from_regex(r"[a-z]{1,12}", fullmatch=True))
def test_a_stem_begins_its_word(word: str) -> None:
    assert word.startswith(stem(word))
    assert len(stem(word)) >= min(3, len(word))


def test_a_word_beyond_reason_names_nothing_and_the_rest_is_searched() -> None:
    query = understand(f"{'aB' * 20_000} load the ledger")

    assert query.terms == ("load", "ledger")
    assert query.names == ()
