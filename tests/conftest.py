"""Fixtures every test may use."""

import os
import shutil
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import settings

# The gate on changes gives the same answer twice; `--hypothesis-profile=search` looks further.
settings.register_profile("gate", max_examples=50, derandomize=True, deadline=None)
settings.register_profile("search", max_examples=300, deadline=None)
settings.load_profile("gate")

pytest_plugins = ["fakes.tiny_models"]

SHARED = Path(__file__).resolve().parents[2] / "shared"


def _shared(folder: str) -> Path:
    path = SHARED / folder
    if not path.is_dir():
        pytest.skip(f"real documents not available: ../shared/{folder} is absent")
    return path


@pytest.fixture(scope="session")
def reference_corpus() -> Path:
    """Folder of real guidelines and labels; the test skips where it is absent."""
    return _shared("corpus")


@pytest.fixture(scope="session")
def reference_bench() -> Path:
    """Folder of published test sets; the test skips where it is absent."""
    return _shared("bench")


@pytest.fixture(scope="session")
def reference_notes() -> Path:
    """Folder of published clinical notes; the test skips where it is absent."""
    return _shared("notes")


GUIDELINE = """Tuberculosis care: a test page

For software testing, not for clinical use.

Treatment of tuberculosis in adults

Adults with tuberculosis take isoniazid and rifampin daily for six months. Isoniazid 300 mg once
daily is the usual adult dose.

Testing for tuberculosis

A sputum culture is the test that confirms tuberculosis. A chest radiograph comes first.
"""

MANIFEST_HEAD = '[corpus]\nname = "tiny"\n'
GUIDELINE_ENTRY = """
[[guideline]]
id = "{id}"
title = "Tuberculosis care"
organisation = "Test"
year = 2026
topics = ["tb"]
format = "text"
licence = "Apache-2.0"
path = "{id}.txt"
"""
LABEL_ENTRY = """
[[label]]
drug = "{drug}"
format = "spl"
path = "{file}"
"""
PARAPHRASES = 20
"""Enough for a mutant of every critical kind; all of them cost seconds per evaluation."""
TINY_BENCHMARK = """
[[question]]
id = "g-001"
family = "inh-dose"
split = "test"
intent = "DOSAGE"
knowledge_bases = ["guidelines"]
text = "isoniazid dose in adults"
expect = "answer"
relevant = [{ grade = 2, terms = ["300 mg"] }]

[[question]]
id = "g-002"
family = "tb-test"
split = "test"
intent = "DIAGNOSIS"
knowledge_bases = ["guidelines"]
text = "which test confirms tuberculosis"
expect = "answer"
relevant = [{ grade = 2, terms = ["sputum culture"] }]

[[question]]
id = "l-001"
family = "pza-dose"
split = "test"
intent = "DOSAGE"
knowledge_bases = ["labels"]
text = "pyrazinamide dose"
expect = "answer"
relevant = [{ grade = 2, drug = "pyrazinamide", terms = ["mg"] }]

[[question]]
id = "l-002"
family = "inh-label-dose"
split = "test"
intent = "DOSAGE"
knowledge_bases = ["labels"]
text = "isoniazid dose"
expect = "answer"
relevant = [{ grade = 2, drug = "isoniazid", terms = ["mg"] }]

[[question]]
id = "l-003"
family = "inh-liver"
split = "test"
intent = "SAFETY"
knowledge_bases = ["labels"]
text = "isoniazid and the liver"
expect = "answer"
relevant = [{ grade = 2, drug = "isoniazid", terms = ["liver"] }]

[[question]]
id = "x-001"
family = "diabetes"
split = "test"
intent = "TREATMENT"
knowledge_bases = ["guidelines", "labels"]
text = "metformin in type 2 diabetes"
expect = "refuse"
reason = "out_of_domain"

[[question]]
id = "x-002"
family = "migraine"
split = "test"
intent = "TREATMENT"
knowledge_bases = ["guidelines", "labels"]
text = "sumatriptan for migraine"
expect = "refuse"
reason = "out_of_domain"
"""


class TinyCorpus:
    """A corpus folder of two text guidelines and two sample labels, to change as a test needs."""

    def __init__(self, folder: Path, sample: Path) -> None:
        self.folder = folder
        self.guidelines = ["tb-care", "tb-tests"]
        self.labels = {"isoniazid": "isoniazid.xml", "pyrazinamide": "pyrazinamide.xml"}
        for guideline in self.guidelines:
            (folder / f"{guideline}.txt").write_text(f"{guideline}\n\n{GUIDELINE}")
        for file in self.labels.values():
            (folder / file).write_bytes((sample / "labels" / file).read_bytes())
        self.write()

    def write(self) -> None:
        """Write the manifest for what there is now."""
        entries = [GUIDELINE_ENTRY.format(id=guideline) for guideline in self.guidelines]
        entries += [LABEL_ENTRY.format(drug=d, file=f) for d, f in self.labels.items()]
        (self.folder / "corpus.toml").write_text(MANIFEST_HEAD + "".join(entries))

    def change_dose(self, old: bytes = b"300 mg", new: bytes = b"310 mg") -> None:
        """Write another dose of the same length into the label of isoniazid."""
        label = self.folder / self.labels["isoniazid"]
        label.write_bytes(label.read_bytes().replace(old, new))

    def add_to_entry(self, line: str) -> None:
        """Add a line to the manifest's entry of isoniazid."""
        path = f'path = "{self.labels["isoniazid"]}"'
        manifest = self.folder / "corpus.toml"
        manifest.write_text(manifest.read_text().replace(path, f"{path}\n{line}"))


@pytest.fixture(scope="session")
def make_tiny_settings(tiny_encoder: Path):
    """Makes the tiny corpus in a folder, and settings over it with the tiny random encoder."""
    from clinrag_core.settings import Settings, data_folder

    def make(folder: Path) -> tuple[TinyCorpus, Settings]:
        (folder / "corpus").mkdir()
        corpus = TinyCorpus(folder / "corpus", data_folder() / "corpora" / "sample")
        benchmark = folder / "benchmark"
        benchmark.mkdir()
        (benchmark / "tiny.toml").write_text(TINY_BENCHMARK)
        claims = (data_folder() / "benchmark" / "claims" / "paraphrases.toml").read_text()
        (benchmark / "claims").mkdir()
        few = "[[paraphrase]]".join(claims.split("[[paraphrase]]")[: PARAPHRASES + 1])
        (benchmark / "claims" / "paraphrases.toml").write_text(few)
        settings = {
            "profile": "tiny",
            "home": folder / "home",
            "corpus": {"manifest": corpus.folder},
            "benchmark": benchmark,
            "encoder": {
                "name": "tiny",
                "model": str(tiny_encoder),
                "pooling": "mean",
                "max_tokens": 400,
            },
            "acceptance": {"minimum_questions": 2},
        }
        return corpus, Settings.model_validate(settings)

    return make


@pytest.fixture
def tiny_parts(make_tiny_settings, tmp_path: Path):
    """The tiny corpus and settings over it."""
    return make_tiny_settings(tmp_path)


@pytest.fixture
def tiny_corpus(tiny_parts) -> TinyCorpus:
    """See `TinyCorpus`."""
    return tiny_parts[0]


@pytest.fixture
def tiny_settings(tiny_parts):
    """Settings of a profile over the tiny corpus with the tiny random encoder."""
    return tiny_parts[1]


@pytest.fixture(scope="session")
def build_calibrated(make_tiny_settings, tmp_path_factory):
    """Builds candidates with thresholds from files, without orchestration; returns the pipeline.

    A new home of the tiny corpus starts from one that is built already: stages repeat only what
    differs, as `pipeline/test_reindex.py` compares with full builds.
    """
    from fakes.builds import chunk_documents

    from clinrag_core.pipeline import evaluation
    from clinrag_core.pipeline.candidates import make_candidate
    from clinrag_core.pipeline.corpus import make_corpus
    from clinrag_core.pipeline.embeddings import make_embeddings
    from clinrag_core.pipeline.pipeline import Pipeline
    from clinrag_core.pipeline.stages import KINDS

    built: list[Path] = []

    def run(settings) -> Pipeline:
        pipeline = Pipeline(settings)
        for kind in KINDS:
            chunk_documents(pipeline, kind, pipeline.keys(kind))
            make_corpus(pipeline, kind)
            make_embeddings(pipeline, kind)
            make_candidate(pipeline, kind)
        evaluation.make_benchmark(pipeline)
        evaluation.make_runs(pipeline)
        evaluation.make_thresholds(pipeline)
        return pipeline

    def build(settings) -> Pipeline:
        if settings.profile == "tiny" and not settings.home.exists():
            if not built:
                _, first = make_tiny_settings(tmp_path_factory.mktemp("built"))
                evaluation.make_answers(run(first))
                built.append(first.home)
            shutil.copytree(built[0], settings.home)
        return run(settings)

    return build


@pytest.fixture(scope="session")
def build_candidates(build_calibrated):
    """Builds and evaluates candidates from files, without orchestration; returns the pipeline."""
    from clinrag_core.pipeline.evaluation import make_answers

    def build(settings):
        pipeline = build_calibrated(settings)
        make_answers(pipeline)
        return pipeline

    return build


@pytest.fixture(scope="session")
def build_reports(build_candidates):
    """Builds candidates with every report, without orchestration; returns the pipeline."""
    from clinrag_core.pipeline import pages, reports

    def build(settings):
        pipeline = build_candidates(settings)
        reports.make_retrieval_report(pipeline)
        reports.make_answer_report(pipeline)
        reports.make_safety_report(pipeline)
        reports.make_latency_report(pipeline)
        reports.make_corpus_report(pipeline)
        pages.make_report_page(pipeline)
        return pipeline

    return build


@pytest.fixture(scope="session")
def build_release(build_calibrated):
    """Builds a release without answers and reports, without orchestration; returns its id."""
    from clinrag_core.index.release import ReleaseStore
    from clinrag_core.index.release_folder import CALIBRATION, ReleaseDraft
    from clinrag_core.index.scope_record import SCOPE
    from clinrag_core.pipeline.candidates import candidate_directory, read_candidates

    def build(settings) -> str:
        pipeline = build_calibrated(settings)
        manifests = [given.value for given in read_candidates(pipeline)]
        thresholds = pipeline.thresholds.read().value
        store = ReleaseStore(pipeline.workspace.releases)
        release = store.publish(
            ReleaseDraft(
                {m.name: candidate_directory(pipeline, m) for m in manifests},
                pipeline.workspace.models / manifests[0].encoder,
                profile=settings.profile,
                corpus=pipeline.manifest.name,
                evaluation=pipeline.retrieval_runs.read().value.evaluated.fingerprint,
                records={
                    CALIBRATION: thresholds.model_dump(mode="json"),
                    SCOPE: pipeline.scope.read().value.model_dump(mode="json"),
                },
            )
        )
        return release.id

    return build


@pytest.fixture(scope="session")
def built_home(make_tiny_settings, build_release, tmp_path_factory) -> Path:
    """A workspace with a release of the tiny corpus, built once; copy it to change it."""
    _, settings = make_tiny_settings(tmp_path_factory.mktemp("built"))
    build_release(settings)
    return settings.home


@pytest.fixture
def released(tiny_settings, built_home: Path):
    """Settings of a workspace with a release, a copy for each test."""
    shutil.copytree(built_home, tiny_settings.home)
    return tiny_settings


@pytest.fixture(scope="session")
def sample_settings(tmp_path_factory: pytest.TempPathFactory, build_release):
    """The sample profile with a release, built without orchestration; copy it to change it.

    The workers of one run share it: encoding its passages takes a minute.
    """
    from clinrag_core.settings import load_settings

    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    settings = load_settings("sample", {"CLINRAG_HOME": str(folder / "sample")})
    built = folder / "sample.built"
    with FileLock(folder / "sample.lock"):
        if not built.exists():
            build_release(settings)
            built.touch()
    return settings


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run one file that needs the sample release first and the others last.

    Then one worker builds the release while the other has something else to do.
    """
    needing = {
        item.path for item in items if "sample_settings" in getattr(item, "fixturenames", ())
    }
    first = min(needing, default=None)
    items.sort(key=lambda item: 0 if item.path == first else 1 + (item.path in needing))
