import pyarrow as pa

from clinrag_core.evaluate.benchmark import Benchmark, BenchmarkQuestion, Locator
from clinrag_core.evaluate.judge import RelevanceJudge
from clinrag_core.index.chunk_table import to_table
from clinrag_core.model.chunk import Chunk


def chunk(number: int, text: str, **more: object) -> Chunk:
    fields = {
        "id": f"{number:024d}", "document_id": "sample-tb", "document_title": "TB", "kind": "label",
        "section_ordinal": 0, "section_path": ("2 Dosage", "2.1 Adults"), "ordinal": number,
        "start": 0, "end": len(text), "text": text, "embed_title": "TB", "embed_text": text,
        "tokens": 5, "file_sha256": "0" * 64, "drug": "isoniazid", "loinc": "34068-7",
        "drug_names": ("isoniazid", "nydrazid"),
    }  # fmt: skip
    return Chunk.model_validate(fields | more)


CHUNKS = [
    chunk(1, "Give 300\u00a0mg once daily."),
    chunk(2, "Give 1300 mg once daily."),
    chunk(3, "Give 300 mg once daily.", loinc="34084-4"),
    chunk(4, "Give 300 mg once daily.", drug_names=("rifampin",)),
    chunk(5, "300 mg", embed_text="Drug: isoniazid; Dose: 300 mg; How often: once daily"),
]
TABLES: dict[str, pa.Table] = {"labels": to_table(CHUNKS)}


def judged(
    expect: str = "answer",
    reason: str | None = None,
    absent: tuple[str, ...] = (),
    **locator: object,
):
    relevant = (Locator.model_validate({"grade": 2, **locator}),) if locator else ()
    question = BenchmarkQuestion.model_validate(
        {"id": "l-001", "family": "f", "split": "dev", "intent": "DOSAGE", "text": "dose?",
         "knowledge_bases": ("labels",), "expect": expect, "reason": reason, "absent": absent,
         "relevant": relevant}
    )  # fmt: skip
    return RelevanceJudge(TABLES).judge(Benchmark(questions=(question,), fingerprint="f"))


def found(**locator: object) -> set[int]:
    return {int(i) for i in judged(**locator).relevant.get("l-001", {})}


def test_every_condition_must_be_met_and_terms_are_whole_words():
    assert found(drug="isoniazid", loinc=("34068-7",), terms=("300 mg", "once daily")) == {1, 5}


def test_alternatives_brand_names_and_the_joined_table_text_count():
    assert found(drug="nydrazid", terms=("300mg|0.3 g", "dose")) == {5}


def test_section_and_document_patterns_narrow():
    assert found(section="adults$", document="sample-*", terms=("1300 mg",)) == {2}
    assert found(document="who-*", terms=("1300 mg",)) == set()


def test_a_question_this_corpus_cannot_judge_is_reported_not_scored():
    judgements = judged(terms=("bedaquiline",))
    assert judgements.unjudged == ("l-001",)
    assert judgements.relevant == {}


def test_a_refusal_whose_absent_term_is_here_is_reported():
    def refusal(term: str):
        return judged(expect="refuse", reason="not_in_corpus", absent=(term,)).answerable

    assert refusal("isoniazid|inh") == ("l-001",)
    assert refusal("cefiderocol") == ()
