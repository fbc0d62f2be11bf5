import os
import subprocess
import sys

import dagster as dg
from hypothesis import given
from hypothesis import strategies as st

from clinrag_core.pipeline.stages import BASELINE, stage_table
from clinrag_core.settings import Settings
from clinrag_dagster.definitions import build_defs
from clinrag_dagster.partitions import ranges

THREADS = "OPENBLAS_NUM_THREADS"
HEAVY = ("torch", "transformers", "faiss", "pymupdf", "ranx", "matplotlib", "onnxruntime", "numba")


def test_definitions_load_without_a_heavy_library():
    """Every step process and the code server import this module."""
    code = (
        "import sys, clinrag_dagster.definitions; "
        f"print([m for m in {HEAVY!r} if m in sys.modules])"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - fixed arguments
    assert done.stdout == "[]\n"


def test_the_graph_is_the_one_that_was_designed(tiny_settings: Settings):
    graph = build_defs(tiny_settings).resolve_asset_graph()
    keys = {key.to_user_string() for key in graph.get_all_asset_keys()}
    assert keys == {
        "guideline_file", "guideline_sections", "guideline_chunks",
        "label_files", "label_sections", "label_chunks",
        *(f"kb_{kb}_tiny_{stage}" for kb in ("guidelines", "druglabels")
          for stage in ("corpus", "embeddings", "candidate")),
        "benchmark", "retrieval_runs", "retrieval_report", "benchmark_answers", "answer_report",
            "thresholds", "safety_report", "latency_report", "corpus_report", "report_page",
            "accepted_baseline",
        "parse_audit", "release",
        "user_documents_maintenance", "external_benchmarks", "notes_report", "question_sets",
        "thesaurus", "audit_anchor",
    }  # fmt: skip


def test_the_graph_is_the_flow_of_stored_outputs(tiny_settings: Settings):
    """`test_stages` deletes each output and sees exactly the stages fail that name it as input."""
    graph = build_defs(tiny_settings).resolve_asset_graph()
    bases = {"guideline": "kb_guidelines_tiny", "label": "kb_druglabels_tiny"}
    for stage in stage_table(bases):
        parents = {k.to_user_string() for k in graph.get(dg.AssetKey(stage.name)).parent_keys}
        assert parents == {*stage.inputs, *({BASELINE} & set(stage.optional))}, stage.name


def test_every_asset_has_description_owner_code_version_and_kind(tiny_settings: Settings):
    graph = build_defs(tiny_settings).resolve_asset_graph()
    for key in graph.get_all_asset_keys():
        node = graph.get(key)
        assert node.description, key
        assert node.owners == ["team:clinrag"], key
        assert node.code_version, key
        assert node.kinds, key


def test_what_is_served_is_guarded_by_blocking_checks(tiny_settings: Settings):
    graph = build_defs(tiny_settings).resolve_asset_graph()
    blocking = {
        f"{key.asset_key.to_user_string()}:{key.name}"
        for key in graph.asset_check_keys
        if graph.get(key).blocking
    }
    for base in ("kb_guidelines_tiny", "kb_druglabels_tiny"):
        assert {
            f"{base}_corpus:corpus_not_empty",
            f"{base}_candidate:bm25_equals_rank_bm25",
            f"{base}_candidate:passages_find_themselves",
            f"{base}_candidate:bm25_keeps_figures",
        } <= blocking
    assert {
        "benchmark_answers:citations_valid",
        "benchmark_answers:no_wrong_drug",
        "report_page:gates_hold",
    } <= blocking


def test_embedding_runs_one_at_a_time(tiny_settings: Settings):
    graph = build_defs(tiny_settings).resolve_asset_graph()
    assert graph.get(dg.AssetKey("kb_guidelines_tiny_embeddings")).pools == {"gpu"}


keys = st.lists(st.text("abcdef", min_size=1, max_size=3), unique=True).map(sorted)


@given(keys, st.data())
def test_ranges_cover_exactly_the_wanted_partitions(all_keys: list[str], data: st.DataObject):
    wanted = data.draw(st.lists(st.sampled_from(all_keys), unique=True)) if all_keys else []
    covered = [
        key
        for start, end in ranges(all_keys, wanted)
        for key in all_keys[all_keys.index(start) : all_keys.index(end) + 1]
    ]
    assert covered == sorted(wanted)


def test_numpy_multiplies_with_one_thread_unless_somebody_chose_another_number():
    """A second thread of OpenBLAS takes a core while it waits for the next small product."""
    code = "import os, clinrag_dagster; print(os.environ['OPENBLAS_NUM_THREADS'])"
    without = {name: value for name, value in os.environ.items() if name != THREADS}
    for given_by, environment in (("1", without), ("3", without | {THREADS: "3"})):
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)  # noqa: S603 - fixed arguments
        assert done.stdout == f"{given_by}\n"
