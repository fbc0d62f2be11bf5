"""The whole chain through Dagster on a tiny corpus with a tiny random encoder."""

import dagster as dg
import numpy as np
import pytest

from clinrag_core.encode.vector_cache import VectorCache
from clinrag_core.errors import ReleaseError
from clinrag_core.retrieve.open import open_engine
from clinrag_core.retrieve.request import SearchRequest
from clinrag_dagster.metadata import MAX_TRENDS
from clinrag_dagster.runs import ChainFailedError


def test_from_files_to_a_release_that_answers(released_chain):
    chain = released_chain
    release = chain.store.current()
    assert set(release.knowledge_bases) == {"kb_guidelines_tiny", "kb_druglabels_tiny"}
    engine = open_engine(chain.settings)
    hit = engine.search(
        SearchRequest(query="isoniazid 300 mg dose", knowledge_bases=("kb_guidelines_tiny",))
    ).results[0]
    assert "300 mg" in hit.chunk.text
    assert set(hit.component_scores) == {"bm25", "dense"}


def test_a_second_run_does_nothing_and_releases_nothing_new(released_chain):
    chain = released_chain
    first = chain.store.current()
    assert chain.run() == 0
    assert chain.store.list() == [first]
    assert chain.materialized("kb_druglabels_tiny_embeddings")["embedded"] == 0


def test_one_changed_label_costs_one_partition_and_its_chunks(released_chain, tiny_corpus):
    chain = released_chain
    total = chain.materialized("kb_druglabels_tiny_corpus")["dagster/row_count"]
    label = tiny_corpus.folder / "isoniazid.xml"
    label.write_bytes(label.read_bytes().replace(b"tingling", b"numbness"))
    assert chain.run() == 1
    embedded = chain.materialized("kb_druglabels_tiny_embeddings")
    assert 0 < embedded["embedded"] < total
    how = [embedded[name] for name in ("device", "precision", "attention")]
    assert how == ["cpu", "fp32", "sdpa"]
    assert embedded["passages_per_s"] > 0
    assert chain.materialized("kb_guidelines_tiny_embeddings")["embedded"] == 0
    assert chain.store.current().sequence == 2


def test_one_broken_document_never_stops_the_others(unaccepted_chain, tiny_corpus):
    (tiny_corpus.folder / "tb-tests.txt").write_bytes(b"\x00\x01\x02")
    chain = unaccepted_chain
    chain.run()
    assert chain.store.current().sequence == 1
    metadata = chain.materialized("kb_guidelines_tiny_corpus")
    assert metadata["partitions"] == 1


def test_a_corpus_that_has_lost_everything_is_not_released(released_chain, tiny_corpus):
    chain = released_chain
    served = chain.store.current()
    for home in ("isoniazid.xml", "pyrazinamide.xml"):
        (tiny_corpus.folder / home).write_bytes(b"")
    for file in (chain.settings.home / "partitions" / "label").rglob("*"):
        if file.is_file():
            file.unlink()
    with pytest.raises(ChainFailedError):
        chain.run()
    assert chain.store.current() == served


def test_a_damaged_vector_is_stopped_by_a_check_and_the_release_stays(
    released_chain, tiny_corpus, monkeypatch: pytest.MonkeyPatch
):
    chain = released_chain
    served = chain.store.current()
    sound = VectorCache.get

    def shuffled(self: VectorCache, keys):
        return np.roll(sound(self, keys), 1, axis=0) * 2

    monkeypatch.setattr(VectorCache, "get", shuffled)
    (tiny_corpus.folder / "tb-care.txt").write_text("Care\n\nIsoniazid 300 mg daily for adults.")
    with pytest.raises(ChainFailedError, match="not normalised"):
        chain.run()
    assert chain.store.current() == served


def test_a_lexical_index_that_differs_from_rank_bm25_is_not_released(
    chain, monkeypatch: pytest.MonkeyPatch
):
    from clinrag_core.index.bm25 import BM25Index

    sound = BM25Index.scores
    monkeypatch.setattr(BM25Index, "scores", lambda self, tokens: sound(self, tokens) * 1.01)
    with pytest.raises(ChainFailedError, match="bm25_equals_rank_bm25"):
        chain.run()
    with pytest.raises(ReleaseError, match="nothing has been released"):
        chain.store.current()


@pytest.mark.slow
def test_a_retired_drug_leaves_the_index_once_a_person_accepts_the_loss(
    released_chain, tiny_corpus
):
    """A vanished document takes its questions along, so the remaining scores do not fall."""
    chain = released_chain
    served = chain.store.current()
    del tiny_corpus.labels["pyrazinamide"]
    tiny_corpus.write()
    with pytest.raises(ChainFailedError, match="1 questions lost"):
        chain.run()
    assert chain.store.current() == served
    with pytest.raises(ChainFailedError, match="promote with accept_loss"):
        chain.promote()
    chain.promote(accept_loss=True, reason="pyrazinamide was retired")
    chain.run()
    assert chain.store.current().sequence == 2
    assert chain.instance.get_dynamic_partitions("drug") == ["isoniazid"]
    assert chain.materialized("kb_druglabels_tiny_corpus")["partitions"] == 1


def test_no_question_text_reaches_dagster(released_chain):
    """Questions may contain patient data; metadata is stored twice and visible to every user."""
    chain = released_chain
    for record in chain.instance.get_run_records():
        for entry in chain.instance.all_logs(record.dagster_run.run_id):
            assert "metformin in type 2 diabetes" not in str(entry)


def test_reports_show_their_state_an_overview_the_report_and_trends(released_chain):
    """At 1,280 px the UI leaves 31 characters for a name and hides Markdown over 1,000."""
    chain = released_chain
    report = chain.materialized("retrieval_report")
    assert list(report)[:3] == ["verdict", "overview", "report"]
    assert len(report["verdict"]) < 1000
    assert len(report["overview"]) < 1000
    assert "![recall at k" in report["report"]
    trends = [name for name, value in report.items() if isinstance(value, float)]
    assert "labels/default/recall_at_10" in trends
    assert all(len(name) <= 31 for name in trends)
    assert len(trends) <= MAX_TRENDS


@pytest.mark.slow
def test_no_asset_and_no_check_draws_more_charts_than_fit_on_a_page(released_chain):
    """The UI draws one chart per number: 240 single-point charts hid what mattered."""
    chain = released_chain
    charts: dict[str, int] = {}
    for record in chain.instance.get_run_records():
        for entry in chain.instance.all_logs(record.dagster_run.run_id):
            event = entry.dagster_event
            if event is None:
                continue
            if event.event_type == dg.DagsterEventType.ASSET_MATERIALIZATION:
                source = event.step_materialization_data.materialization
            elif event.event_type == dg.DagsterEventType.ASSET_CHECK_EVALUATION:
                source = event.asset_check_evaluation_data
            else:
                continue
            name = getattr(source, "check_name", source.asset_key.to_user_string())
            numbers = (dg.IntMetadataValue, dg.FloatMetadataValue)
            charts[name] = sum(isinstance(value, numbers) for value in source.metadata.values())
    assert {"not_worse_than_accepted", "runs_not_empty", "retrieval_report"} <= charts.keys()
    assert {name: count for name, count in charts.items() if count > MAX_TRENDS} == {}
