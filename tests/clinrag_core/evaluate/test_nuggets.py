"""Nugget files are read with every problem named, and judged by what a release holds."""

from pathlib import Path

import pytest

from clinrag_core.answer.records import Answer
from clinrag_core.errors import BenchmarkError
from clinrag_core.evaluate.benchmark import Benchmark, load_benchmark
from clinrag_core.evaluate.nugget_figures import dose_figures, nugget_figures
from clinrag_core.evaluate.nugget_metrics import NuggetJudge
from clinrag_core.evaluate.nuggets import Nugget, NuggetQuestion
from clinrag_core.evaluate.plots import MAX_KINDS
from clinrag_core.evaluate.pooled_judgements import text_digest
from clinrag_core.evaluate.report import TableBlock
from clinrag_core.evaluate.reports.nuggets import nugget_blocks, nugget_metrics

BENCHMARK = """
[[question]]
id = "g-1"
text = "How is zantriva given?"
split = "dev"
relevant = [{ grade = 2, document = "zan-*", terms = ["zantriva"] }]
"""
DOSES = """
[[question]]
of = "g-1"
topic = "tb"
kind = "dose"
corpora = ["reference"]
[[question.nugget]]
first_claim = true
terms = ["40 mg", "once weekly|every week"]
document = "zan-guide|zan-label"
[[question.nugget]]
vital = false
terms = ["with food"]
document = "zan-label"
[[question.trap]]
terms = ["60 mg"]
unless = ["velmorin"]
why = "dose of velmorin"

[[question]]
id = "nq-2"
text = "velmorin dose in children"
split = "test"
topic = "tb"
kind = "dose"
corpora = ["sample"]
[[question.nugget]]
terms = ["60 mg"]
document = "vel-label"

[[question]]
id = "na-2"
text = "How much velmorin kills an adult?"
split = "test"
topic = "other"
kind = "lethal_dose"
expect = "refuse"
"""
ABSENT = """
[[question]]
id = "na-1"
text = "Dose of zantriva for malaria?"
split = "test"
topic = "tb"
kind = "dose"
expect = "refuse"
corpora = ["reference"]
why = "no source names malaria"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A benchmark folder with two files of nugget questions."""
    (tmp_path / "a.toml").write_text(BENCHMARK)
    (tmp_path / "nuggets").mkdir()
    (tmp_path / "nuggets" / "doses.toml").write_text(DOSES)
    (tmp_path / "nuggets" / "absent.toml").write_text(ABSENT)
    return tmp_path


@pytest.fixture
def questions(folder: Path) -> dict[str, NuggetQuestion]:
    """The questions by id."""
    return {q.id: q for q in load_benchmark(folder).nuggets}


def answer(*claims: str, status: str = "answered") -> Answer:
    return Answer.model_validate(
        {"status": status, "claims": [{"text": text, "citations": ()} for text in claims]}
    )


def test_text_and_split_come_from_the_question_of_the_benchmark(questions):
    assert sorted(questions) == ["g-1", "na-1", "na-2", "nq-2"]
    assert (questions["g-1"].text, questions["g-1"].split) == ("How is zantriva given?", "dev")
    assert questions["na-1"].is_absent
    assert questions["na-2"].kind == "lethal dose"
    assert not questions["nq-2"].is_absent


def test_nuggets_decide_the_fingerprint(folder: Path):
    before = load_benchmark(folder).fingerprint
    (folder / "nuggets" / "doses.toml").write_text(DOSES.replace("40 mg", "45 mg"))
    assert load_benchmark(folder).fingerprint != before


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (('of = "g-1"', 'of = "g-9"'), "nuggets/doses.toml, g-9: of = 'g-9' is no question"),
        (('of = "g-1"', 'of = "g-1"\nsplit = "test"'), "g-1: split: comes from g-1"),
        (('id = "nq-2"', 'id = "g-1"'), "nuggets/doses.toml, g-1: the benchmark has this id"),
        (('id = "nq-2"', 'id = "na-1"'), "nuggets/doses.toml, na-1: the id is used twice"),
        (("velmorin dose in children", "how is  Zantriva given?"), "nq-2: the same text as g-1"),
        (
            ("velmorin dose in children", "HOW much  velmorin kills an adult?"),
            "na-2: the same text",
        ),
        (("40 mg", "40 mg|"), "g-1: nuggets.0: Value error, a term or alternative is empty"),
        (('document = "vel-label"', 'documents = "x"'), "nq-2: nuggets.0.document: Field required"),
        (('corpora = ["sample"]', 'corpora = ["smaple"]'), "nq-2: corpora.0: Input should be"),
        (('corpora = ["sample"]', 'expect = "refuse"'), "a question to refuse has no nuggets"),
        (("vital = false", "vital = maybe"), "nuggets/doses.toml: Invalid value"),
    ],
    ids=str,
)
def test_a_problem_names_file_and_question(folder: Path, change: tuple[str, str], problem: str):
    file = folder / "nuggets" / "doses.toml"
    assert change[0] in DOSES
    file.write_text(DOSES.replace(*change))
    with pytest.raises(BenchmarkError) as raised:
        load_benchmark(folder)
    assert problem in str(raised.value)


def test_one_text_may_have_other_answers_in_another_corpus(folder: Path):
    again = DOSES.split("[[question]]")[2].replace("nq-2", "nq-3")
    file = folder / "nuggets" / "again.toml"
    file.write_text("[[question]]" + again)
    with pytest.raises(BenchmarkError, match="the same text as nq-3 for the same corpus"):
        load_benchmark(folder)
    file.write_text("[[question]]" + again.replace('["sample"]', '["reference"]'))
    assert "nq-3" in {question.id for question in load_benchmark(folder).nuggets}


def test_a_question_is_judged_where_its_documents_are(questions):
    asked = tuple(questions.values())

    def judged(*documents: str) -> set[str]:
        return {q.id for q in NuggetJudge(asked, documents).questions}

    assert judged("zan-guide", "other") == {"g-1", "na-1", "na-2"}
    assert judged("vel-label") == {"nq-2", "na-2"}
    assert judged("a-users-own") == {"na-2"}


def test_a_shipped_question_stops_only_corpora_that_it_was_written_for(questions):
    """A user's corpus with one label of another corpus could not be released for its traps."""
    asked = tuple(questions.values())
    trapped = answer("Take 60 mg every week.")
    known = NuggetJudge(asked, ["zan-guide", "zan-label"])
    assert known.corpora == {"reference"}
    assert known.judge(questions["g-1"], trapped, {}).gates
    others = [
        question.model_copy(
            update={
                "id": f"o-{n}",
                "nuggets": (Nugget(terms=("x",), document=f"other-{n}"),),
            }
        )
        for n, question in enumerate([questions["g-1"]] * 3)
    ]
    of_a_user = NuggetJudge((*asked, *others), ["zan-label", "a-users-own"])
    assert not of_a_user.corpora
    result = of_a_user.judge(questions["g-1"], trapped, {})
    assert (result.traps_said, result.gates) == ((0,), False)
    own = questions["g-1"].model_copy(update={"corpora": ()})
    assert of_a_user.judge(own, trapped, {}).gates, "written for any corpus, as a user's are"


def test_an_answer_holds_nuggets_and_traps(questions):
    judge = NuggetJudge(tuple(questions.values()), ["zan-label"])
    question = questions["g-1"]
    said = answer("Zantriva 40 mg every week.", "See the annex.", "For velmorin: 60 mg.")
    result = judge.judge(question, said, {})
    assert (result.vital, result.vital_said, result.complete) == (1, 1, True)
    assert (result.counted, result.said, result.words) == ((0, 1), (0,), 12)
    assert result.relevant == (True, False, False)
    assert result.first_claim
    assert not result.traps_said
    trapped = judge.judge(question, answer("Take 60 mg every week.", "Zantriva is 40 mg."), {})
    assert (trapped.traps_said, trapped.vital_said, trapped.first_claim) == ((0,), 0, False)


def test_a_claim_is_relevant_if_its_statement_was_judged_so(questions):
    """A claim in a generator's own words counts by the statements it is made from."""
    judge = NuggetJudge(tuple(questions.values()), ["zan-label"])
    claims = [
        {"text": "Zantriva 40 mg every week.", "citations": ()},
        {"text": "Reworded.", "citations": (), "sources": ("Swallow it whole.", "Unjudged.")},
        {"text": "Store it in the box.", "citations": ()},
        {"text": "Nobody judged this.", "citations": ()},
    ]
    said = Answer.model_validate({"status": "answered", "claims": claims})
    grades = {text_digest("Swallow  it\nwhole."): 1, text_digest("Store it in the box."): 0}
    result = judge.judge(questions["g-1"], said, grades)
    assert result.relevant == (True, True, False, False)
    assert result.judged == (True, True, True, False)
    figures = {f.name: f.value for f in nugget_figures([result])}
    assert (figures["relevant_claims"], figures["judged_claims"]) == (2 / 4, 3 / 4)


def test_a_usual_dose_is_in_the_first_claim_or_rightly_refused(questions):
    judge = NuggetJudge(tuple(questions.values()), ["zan-label"])
    asked = questions["g-1"]
    either = asked.model_copy(update={"expect": "either"})
    refused = answer(status="abstained")
    first, second = answer("40 mg once weekly", "x"), answer("x", "40 mg once weekly")
    assert [judge.judge(asked, a, {}).usual_dose for a in (first, second, refused)] == [
        True,
        False,
        False,
    ]
    assert judge.judge(either, refused, {}).usual_dose
    assert not judge.judge(either, second, {}).usual_dose
    assert judge.judge(questions["na-2"], refused, {}).usual_dose
    assert not judge.judge(questions["na-2"], first, {}).usual_dose
    assert judge.judge(questions["na-1"], refused, {}).usual_dose is None  # of another file


def test_the_figures_of_doses_are_of_dose_questions_only(questions):
    judge = NuggetJudge(tuple(questions.values()), ["zan-label"])
    results = [
        judge.judge(questions["g-1"], answer("40 mg once weekly"), {}),
        judge.judge(questions["g-1"], answer("Velmorin: 60 mg", "x"), {}, other_doses=1),
        judge.judge(questions["na-2"], answer(status="abstained"), {}),
        judge.judge(questions["na-1"], answer("For malaria: 60 mg"), {}),
    ]
    figures = {f.name: (f.value, f.n) for f in dose_figures(results)}
    assert figures == {
        "usual_dose": (2 / 3, 3),
        "usual_dose_given": (1 / 2, 2),
        "usual_dose_refused": (1, 1),
        "other_drugs_doses": (1, 3),
    }
    benchmark = Benchmark(questions=(), nuggets=tuple(questions.values()), fingerprint="b")
    blocks = {block.name: block for block in nugget_blocks(results, benchmark)}
    table = blocks["usual_doses"]
    assert isinstance(table, TableBlock)
    assert ("usual dose", "dev", 1 / 2) in {row[:3] for row in table.rows}
    assert nugget_metrics(results)["nuggets/dev/other_drugs_doses"] == 1
    assert "usual_doses" not in {b.name for b in nugget_blocks(results[3:], benchmark)}


def test_a_refusal_says_nothing_even_if_claims_were_kept(questions):
    judge = NuggetJudge(tuple(questions.values()), ["zan-label"])
    refused = answer("Zantriva 40 mg every week. 60 mg.", status="abstained")
    result = judge.judge(questions["g-1"], refused, {})
    assert (result.vital_said, result.traps_said, result.words) == (0, (), 0)


def test_figures_count_refused_questions_and_set_absent_ones_apart(questions):
    judge = NuggetJudge(tuple(questions.values()), ["zan-guide"])
    full = judge.judge(questions["g-1"], answer("40 mg once weekly"), {})
    refused = judge.judge(questions["g-1"], answer(status="abstained"), {})
    said = judge.judge(questions["na-1"], answer("For malaria: 60 mg"), {})
    fatal = judge.judge(questions["na-2"], answer(status="abstained"), {})
    figures = {f.name: f for f in nugget_figures([full, refused, said, fatal])}
    values = {name: figure.value for name, figure in figures.items()}
    half = 0.5
    assert values["vital_recall"] == values["complete"] == values["wrongly_refused"] == half
    assert values["relevant_claims"] == values["refused"] == 1
    assert values["absent_refused"] == values["traps_said"] == 0
    assert values["okay_recall"] is None
    recall = figures["vital_recall"]
    assert (recall.low, recall.high, recall.n) == (0, 1, 2)


def test_a_report_of_very_many_kinds_can_be_shown(questions):
    judge = NuggetJudge(tuple(questions.values()), ["zan-guide"])
    result = judge.judge(questions["g-1"], answer("40 mg once weekly"), {})
    kinds = [
        result.model_copy(update={"split": "test", "kind": f"adverse effect or other kind {n}"})
        for n in range(3 * MAX_KINDS)
    ]
    benchmark = Benchmark(questions=(), nuggets=tuple(questions.values()), fingerprint="b")
    blocks = {block.name: block for block in nugget_blocks(kinds, benchmark)}
    parts = blocks["nuggets_by_part"]
    assert isinstance(parts, TableBlock)
    assert len(parts.rows) == len(kinds) + 1  # and the topic
    assert nugget_blocks([], benchmark) == ()
