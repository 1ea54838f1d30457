"""The retrieval bench's own parts: queries from a history and from docstrings, scores and intervals."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from bench.embedder.pairs import pairs_of, sentence
from bench.retrieval import _pools
from bench.retrieval_run import OURS, OURS_BM25, Answer, Outcome
from bench.retrieval_score import ndcg, paired_interval
from bench.retrieval_set import Asked, QuerySet, from_commits, from_docstrings, from_questions

SOURCE = '''"""A module that does things to numbers."""


def halve(value: float) -> float:
    """Return the number cut into two equal parts."""
    half = value / 2
    return half
'''


def git(root: Path, *arguments: str) -> None:
    command = ["git", "-c", "user.name=t", "-c", "user.email=t@t", *arguments]
    subprocess.run(command, cwd=root, check=True, capture_output=True)


def test_commits_become_queries_over_the_tree_before_them(tmp_path: Path) -> None:
    root = tmp_path / "origin"
    root.mkdir()
    git(root, "init", "-q")
    (root / "price.py").write_text("RATE = 1\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "Begin the price list of articles")
    (root / "price.py").write_text("RATE = 2\n")
    git(root, "commit", "-qam", "fix(price): Double the rate of every article (#3)")
    (root / "late.py").write_text("x = 1\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "Add a late file to the project")

    made = from_commits(root, tmp_path / "work", n_commits=2)

    assert [(query.text, query.truth) for query in made.asked] == [
        ("Double the rate of every article", ("price.py",))
    ]
    assert (made.root / "price.py").read_text() == "RATE = 1\n"
    assert not (made.root / "late.py").exists()
    log = subprocess.run(
        ["git", "log", "--format=%s"], cwd=made.root, capture_output=True, text=True, check=True
    )
    assert log.stdout.split("\n")[0] == "Begin the price list of articles"


def test_a_docstring_that_is_asked_for_is_gone_from_the_copy(tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "half.py").write_text(SOURCE)

    made = from_docstrings(package, tmp_path / "work")

    text = (made.root / "half.py").read_text()
    assert [query.text for query in made.asked] == ["Return the number cut into two equal parts."]
    assert "cut into two" not in text
    assert "half = value / 2" in text
    compile(text, "half.py", "exec")


def test_questions_are_read_relative_to_a_folder_of_the_checkout(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("")
    annotations = tmp_path / "q.json"
    annotations.write_text(
        '[{"query": "how", "relevant": ["pkg/src/a.py"], "secondary": [{"path": "src/none.py"}]}]'
    )

    assert from_questions(annotations, tmp_path / "src").asked[0].truth == ("a.py",)


@pytest.mark.parametrize(
    ("ranked", "truth", "score"),
    [(["a"], ["a"], 1.0), (["b", "a"], ["a"], 0.6309), (["b"], ["a"], 0.0), (["a", "b"], ["b", "a"], 1.0)],
)
def test_ndcg_is_what_its_definition_says(ranked: list[str], truth: list[str], score: float) -> None:
    assert ndcg(ranked, truth) == pytest.approx(score, abs=1e-4)


def test_an_interval_holds_the_difference_and_is_nothing_for_equals() -> None:
    low, high = paired_interval([0.5, 0.7, 0.9, 0.6], [0.4, 0.5, 0.6, 0.6])

    assert low <= 0.15 <= high
    assert paired_interval([0.5, 0.7], [0.5, 0.7]) == (0.0, 0.0)


def test_training_pairs_ask_for_code_that_lacks_the_question() -> None:
    pairs = list(pairs_of("numbers", "numbers/half.py", SOURCE))

    assert {pair.kind for pair in pairs} == {"module", "doc"}
    documented = next(pair for pair in pairs if pair.kind == "doc")
    assert documented.question == "Return the number cut into two equal parts."
    assert documented.question not in documented.code
    assert documented.header == "# numbers/half.py halve"


@pytest.mark.parametrize("text", ["", "TODO", "Copyright of somebody else", "a b"])
def test_what_says_nothing_is_no_sentence(text: str) -> None:
    assert sentence(text) == ""


def test_sets_of_a_kind_are_pooled_query_by_query_and_one_set_is_not() -> None:
    def outcome(kind: str, ours: tuple[float, ...], bm25: tuple[float, ...]) -> Outcome:
        asked = QuerySet("x", kind, Path(), tuple(Asked(str(i), ("a.py",)) for i in range(len(ours))))
        answers = {
            name: Answer(scores, 0.0, 0.0, (), (), 0.0) for name, scores in ((OURS, ours), (OURS_BM25, bm25))
        }
        return Outcome(asked, 1, answers)

    pools = _pools(
        [
            outcome("commits", (1.0,), (1.0,)),
            outcome("docstrings", (1.0,) * 30, (0.5,) * 30),
            outcome("docstrings", (0.5,) * 10, (0.5,) * 10),
        ]
    )

    assert [(pool.name, pool.in_words) for pool in pools] == [("2 sets of docstrings pooled", True)]
    assert pools[0].scores[OURS] == (1.0,) * 30 + (0.5,) * 10
    assert pools[0].against(OURS_BM25).startswith("+0.3")
