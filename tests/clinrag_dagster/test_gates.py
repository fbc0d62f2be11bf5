"""What may be released, and what needs an operator's decision."""

from pathlib import Path

import dagster as dg
import pytest

from clinrag_core.errors import ReleaseError
from clinrag_core.index.release import ReleaseStore
from clinrag_core.index.release_record import Release
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.users.answering import open_answering
from clinrag_dagster.defs.evaluation import reports
from clinrag_dagster.defs.release.jobs import RELEASE_JOB
from clinrag_dagster.metadata import MAX_TRENDS
from clinrag_dagster.runs import ChainFailedError, execute


def test_a_first_release_serves_unreviewed_until_a_person_promotes(unreviewed_chain):
    """An own corpus could hardly ever be released: its first run always stopped."""
    chain = unreviewed_chain
    first = chain.store.open()
    assert (first.release.sequence, first.unreviewed) == (1, True)
    answering = open_answering(chain.settings)
    assert answering.ask("What is the usual adult dose of isoniazid?").unreviewed
    assert "unreviewed" in (chain.settings.home / "reports" / "index.html").read_text()
    chain.promote()
    assert not chain.store.open().unreviewed, "a promotion needs no further run"
    assert "unreviewed" not in (chain.settings.home / "reports" / "index.html").read_text()
    chain.run()
    assert chain.store.current() == first.release


def test_regressions_are_gated_from_the_second_run_on_though_nobody_promoted(
    unreviewed_chain, tiny_corpus
):
    chain = unreviewed_chain
    served = chain.store.current()
    del tiny_corpus.labels["pyrazinamide"]
    tiny_corpus.write()
    with pytest.raises(ChainFailedError, match="1 questions lost"):
        chain.run()
    assert chain.store.current() == served


def test_a_first_release_that_breaks_a_limit_is_not_served(
    unaccepted_chain, monkeypatch: pytest.MonkeyPatch
):
    from clinrag_core.evaluate import evaluation

    monkeypatch.setattr(evaluation, "_problems", lambda *_: ["not_verbatim"])
    with pytest.raises(ChainFailedError, match="citations_valid"):
        unaccepted_chain.run()
    with pytest.raises(ReleaseError, match="nothing has been released"):
        unaccepted_chain.store.current()


@pytest.mark.slow
def test_a_failed_first_publication_can_be_re_executed(
    unaccepted_chain, monkeypatch: pytest.MonkeyPatch
):
    """The provisional baseline that the failed attempt kept is no change since its checks."""
    fails_once(monkeypatch)
    with pytest.raises(ChainFailedError, match="no space left"):
        unaccepted_chain.run()
    assert unaccepted_chain.retry_from_failure().status == dg.DagsterRunStatus.SUCCESS
    assert unaccepted_chain.store.open().unreviewed


def test_a_promotion_without_a_reason_is_refused(unreviewed_chain):
    with pytest.raises(ChainFailedError, match="an author and a reason"):
        unreviewed_chain.promote(reason=" ")


def test_the_release_alone_releases_nothing(released_chain):
    """Every user of the UI can materialise one asset alone."""
    chain = released_chain
    served = chain.store.current()
    alone = dg.define_asset_job("alone", selection=dg.AssetSelection.assets("release"))
    defs = dg.Definitions.merge(chain.defs, dg.Definitions(jobs=[alone]))
    with pytest.raises(ChainFailedError, match="have not passed in this run"):
        execute(defs, chain.instance, "alone", {})
    assert chain.store.current() == served


def test_reports_name_what_was_evaluated_and_are_kept_per_release(released_chain):
    chain = released_chain
    folder = chain.settings.home / "reports"
    release = chain.store.current()
    assert (folder / f"release-{release.id}.html").read_bytes()
    assert release.id in (folder / "index.html").read_text()
    for asset in ("retrieval_report", "answer_report", "safety_report", "latency_report"):
        metadata = chain.materialized(asset)
        assert list(metadata)[:3] == ["verdict", "overview", "report"]
        assert all(len(str(metadata[key])) < 1_000 for key in ("verdict", "overview"))
        assert metadata["evaluation"] == release.evaluation
        assert {"git_commit", "baseline", "benchmark"} <= metadata.keys()
        assert sum(isinstance(value, int | float) for value in metadata.values()) <= MAX_TRENDS
    assert "- since: the first release" in chain.materialized("corpus_report")["report"]


def test_what_another_run_built_meanwhile_is_not_released(chain, monkeypatch: pytest.MonkeyPatch):
    """The checks of this run say nothing about candidates that came after them."""
    sound = reports.make_report_page

    def meanwhile(pipeline: Pipeline) -> Path:
        written = sound(pipeline)
        output = pipeline.candidate("guideline")
        manifest = output.read().value
        output.keep((), "another run", lambda: manifest.model_copy(update={"documents": 99}))
        return written

    monkeypatch.setattr(reports, "make_report_page", meanwhile)
    with pytest.raises(ChainFailedError, match="changed since the checks of this run"):
        chain.run()
    with pytest.raises(ReleaseError, match="nothing has been released"):
        chain.store.current()


def fails_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first attempt to publish a release fails, as on a full disk."""
    sound = ReleaseStore.publish
    attempts: list[None] = []

    def publish(self: ReleaseStore, *args: object, **kwargs: object) -> Release:
        attempts.append(None)
        if len(attempts) == 1:
            raise OSError("no space left on device")
        return sound(self, *args, **kwargs)

    monkeypatch.setattr(ReleaseStore, "publish", publish)


def test_a_run_re_executed_from_its_failure_releases(chain, monkeypatch: pytest.MonkeyPatch):
    """The checks passed in the run that failed; the retry repeats only what failed."""
    fails_once(monkeypatch)
    with pytest.raises(ChainFailedError, match="no space left"):
        chain.run()
    assert chain.retry_from_failure().status == dg.DagsterRunStatus.SUCCESS
    assert chain.store.current().sequence == 1


def test_a_retry_releases_nothing_that_changed_after_its_checks(
    unaccepted_chain, monkeypatch: pytest.MonkeyPatch
):
    """Checks of the failed run say nothing about candidates or baselines that came later."""
    chain = unaccepted_chain
    fails_once(monkeypatch)
    with pytest.raises(ChainFailedError, match="no space left"):
        chain.run()
    chain.promote(accept_loss=True, reason="a baseline, accepted meanwhile")
    failed = next(run for run in chain.instance.get_runs() if run.job_name == RELEASE_JOB)
    retried = chain.retry_from_failure(failed)
    assert retried.status == dg.DagsterRunStatus.FAILURE
    with pytest.raises(ReleaseError, match="nothing has been released"):
        chain.store.current()


def test_a_retry_does_not_release_past_a_failed_check(released_chain, tiny_corpus):
    chain = released_chain
    served = chain.store.current()
    del tiny_corpus.labels["pyrazinamide"]
    tiny_corpus.write()
    with pytest.raises(ChainFailedError, match="1 questions lost"):
        chain.run()
    assert chain.retry_from_failure().status == dg.DagsterRunStatus.FAILURE
    assert chain.store.current() == served


def test_a_corpus_without_labels_is_released_and_shows_what_is_not_judged(
    unaccepted_chain, tiny_corpus
):
    """Checks once failed with '0 of 0 figures' where a corpus has no labels."""
    tiny_corpus.labels = {}
    tiny_corpus.write()
    unaccepted_chain.run()
    assert unaccepted_chain.store.current().sequence == 1
    assert unaccepted_chain.store.open().unreviewed
    report = unaccepted_chain.materialized("safety_report")["report"]
    assert "not judged" in report
