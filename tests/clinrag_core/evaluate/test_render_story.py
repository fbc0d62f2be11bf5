"""The first part of an evaluation's page: verdict, what changed, the worst answers."""

from __future__ import annotations

from clinrag_core.evaluate.evaluation import EvaluatedBases
from clinrag_core.evaluate.render_story import story
from clinrag_core.evaluate.report import EvaluationReport, ReportCheck, TableBlock, table_block

COMPARED = ("verdict", "metric", "accepted", "now", "delta", "95 %", "n")
WORST = ("question", "kind", "split", "recall", "traps", "status", "text", "should have come",
         "from", "was said", "traps said")  # fmt: skip


def compared(*rows: tuple, failed: tuple[int, ...] = ()) -> TableBlock:
    return table_block("summary", "Compared", COMPARED, rows, failed=failed)


def report(*blocks: TableBlock, failed: tuple[str, ...] = ()) -> EvaluationReport:
    evaluated = EvaluatedBases(
        fingerprint="f", corpus="c", profile="p", encoder="e", benchmark="b", knowledge_bases={}
    )
    return EvaluationReport(
        name="answer_report", title="Answers", state="failed" if failed else "passed",
        verdict="v", blocks=blocks, checks=(), metrics={}, trends=(), evaluated=evaluated,
        failed=failed,
    )  # fmt: skip


def worst(*rows: tuple) -> TableBlock:
    return table_block("worst_answers", "Worst", WORST, rows)


def card(number: int, said: str = "a ¶ b", traps: str = "") -> tuple:
    return (f"q-{number}", "dose", "test", 0.5, 0, "answered", f"Question <{number}>?",
            "5 mg", "doc-*", said, traps)  # fmt: skip


def test_the_verdict_comes_first_and_names_what_fails():
    assert story([report()], {}).startswith('<p class="passed">')
    failed = story([report(failed=("answers/refused",))], {})
    assert failed.startswith('<p class="failed">')
    assert "May not be released: Answers: answers/refused" in failed


def test_what_only_warns_is_named_after_the_verdict():
    check = ReportCheck(
        name="traps_not_said", passed=False, gate=False, description="read <q-1>", figures={}
    )
    warned = report().model_copy(update={"checks": (check,)})
    shown = story([warned], {})
    assert shown.startswith('<p class="passed">')
    assert '<p class="warning">⚠ Answers: read &lt;q-1&gt;</p>' in shown


def test_only_what_differs_from_the_baseline_is_named_as_changed():
    block = compared(
        ("holds", "same", 0.5, 0.5, "+0.000", None, 9),
        ("worse", "fell", 0.5, 0.4, "-0.100", None, 9),
        ("lost", "unmeasured", 0.5, None, None, None, 9),
        failed=(1, 2),
    )
    shown = story([report(block)], {}).partition('id="worst"')[0]
    assert "fell" in shown
    assert "unmeasured" in shown
    assert ">same<" not in shown
    assert shown.count('<tr class="failed">') == 2
    assert "1 of 3 gated figures are as accepted" in shown


def test_a_first_evaluation_says_that_there_is_nothing_to_compare_with():
    """It listed every figure as changed, and said that none of them was as accepted."""
    first = ("not judged: first evaluation", "new", None, 0.5, None, None, 9)
    shown = story([report(compared(first, first))], {}).partition('id="worst"')[0]
    assert "nothing to compare the 2 gated figures with yet" in shown
    assert "<td>new</td>" not in shown
    same = ("holds", "same", 0.5, 0.5, "+0.000", None, 9)
    shown = story([report(compared(same, first))], {}).partition('id="worst"')[0]
    assert "None of the 1 gated figures differs" in shown
    assert "1 more have nothing to be compared with yet" in shown


def test_where_nothing_changed_it_says_so():
    block = compared(("holds", "same", 0.5, 0.5, "+0.000", None, 9))
    assert "None of the 1 gated figures differs" in story([report(block)], {})


def test_a_worst_answer_shows_question_answer_and_what_should_have_come():
    shown = story([report(worst(card(1, traps="9 mg (dose of adults)")))], {})
    for part in (
        "Question &lt;1&gt;?",
        "<p>a</p><p>b</p>",
        "<p>5 mg</p>",
        "doc-*",
        "Said, but must not be",
        "9 mg (dose of adults)",
        "50% of the vital facts",
    ):
        assert part in shown


def test_a_refusal_among_them_says_so_and_ten_are_in_full_view():
    shown = story([report(worst(*(card(n, said="") for n in range(12))))], {})
    assert "refused: answered" in shown
    first, _, rest = shown.partition("<details>")
    assert first.count("<article>") == 10
    assert rest.count("<article>") == 2
    assert "2 more" in rest


def test_what_was_said_and_what_is_missing_link_to_their_source():
    columns = (*WORST, "said at", "from at")
    row = (*card(1), "abc-1:0-9 ¶ ", "x&y:3-4")
    shown = story([report(table_block("worst_answers", "Worst", columns, [row]))], {})
    page = "http://127.0.0.1:8000/sources?at="
    assert f'<p>a <a href="{page}abc-1%3A0-9">source</a></p><p>b</p>' in shown
    assert f'<p>doc-* <a href="{page}x%26y%3A3-4">source</a></p>' in shown
    assert "while <code>clinrag serve</code> runs" in shown
    assert "clinrag serve" not in story([report(worst(card(1)))], {})


def test_the_top_of_the_page_links_to_its_parts():
    page = story([report()], {})
    for name in ("headline", "changes", "worst", "contents"):
        assert page.index(f'<a href="#{name}">') < page.index(f'<h2 id="{name}">')
    assert page.index('<a href="#answer_report">') < page.index("<h2")


def test_the_heading_of_a_column_of_words_is_set_like_its_cells():
    page = story([report()], {"nDCG": (0.5, "how well")})
    assert '<th class="text">meaning</th>' in page
    assert "<th>now</th>" in page
