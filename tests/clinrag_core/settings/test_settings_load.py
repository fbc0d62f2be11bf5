"""Where settings come from, which source wins, and what is refused."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from pydantic import ValidationError
from typer.testing import CliRunner

from clinrag_core.cli.main import app
from clinrag_core.errors import ConfigurationError
from clinrag_core.settings import (
    RetrievalSettings,
    Settings,
    data_folder,
    load_settings,
    load_with_origins,
    preset_names,
)
from clinrag_core.settings.leaves import leaves
from clinrag_core.settings.render import toml_file


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """A user's own profile, with paths relative to it."""
    (tmp_path / "models" / "tiny").mkdir(parents=True)
    file = tmp_path / "mine.toml"
    file.write_text(
        'home = "built"\n[corpus]\nmanifest = "documents"\ntopics = ["hiv", "drug-safety"]\n'
        '[encoder]\nname = "tiny"\nmodel = "models/tiny"\n'
        "[retrieval]\nrrf_k = 20\n[retrieval.weights.keyword]\nbm25 = 0.9\n"
    )
    return file


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CLINRAG_HOME", "CLINRAG_PROFILE", "CLINRAG_CONFIG", "CLINRAG_CORPUS"):
        monkeypatch.delenv(name, raising=False)


def test_a_profile_is_any_toml_file_with_paths_relative_to_it(profile: Path):
    settings = load_settings(None, {"CLINRAG_CONFIG": str(profile)})
    assert settings.profile == "mine"
    assert settings.home == profile.parent / "built"
    assert settings.corpus.manifest == profile.parent / "documents"
    assert settings.corpus.topics == ("hiv", "drug-safety")
    assert settings.encoder.model == str(profile.parent / "models" / "tiny")
    weights = settings.retrieval.weights.keyword
    assert (weights.bm25, weights.splade) == (0.9, 0.3), "the other weights keep their defaults"


@pytest.mark.parametrize("name", preset_names())
def test_a_preset_is_a_profile_of_the_same_kind(name: str, tmp_path: Path):
    """Its paths are relative to the shipped data."""
    environ = {"CLINRAG_PROFILE": name}
    if name == "folder":
        environ["CLINRAG_CORPUS"] = str(tmp_path)
    settings = load_settings(None, environ)
    expected = tmp_path if name == "folder" else data_folder() / "corpora" / name
    assert settings.corpus.manifest == expected
    assert settings.benchmark == data_folder() / "benchmark"


def test_command_line_beats_environment_beats_file_beats_default(profile: Path):
    environ = {
        "CLINRAG_CONFIG": str(profile),
        "CLINRAG_HOME": "/env",
        "CLINRAG_RETRIEVAL__RRF_K": "30",
        "CLINRAG_RETRIEVAL__WEIGHTS__TABULAR__DENSE": "0.7",
        "CLINRAG_CORPUS__TOPICS": '["tb"]',
    }
    arguments = ["config", "show", "--json", "--set", "retrieval.rrf_k=40"]
    done = CliRunner().invoke(app, arguments, env=environ)
    assert done.exit_code == 0, done.output
    shown = json.loads(done.output)
    retrieval = shown["retrieval"]
    assert retrieval["rrf_k"] == {"value": 40, "origin": "command line"}
    assert retrieval["candidates"] == {"value": 100, "origin": "default"}
    assert retrieval["weights"]["keyword"]["bm25"] == {"value": 0.9, "origin": str(profile)}
    dense = retrieval["weights"]["tabular"]["dense"]
    origin = "environment CLINRAG_RETRIEVAL__WEIGHTS__TABULAR__DENSE"
    assert dense == {"value": 0.7, "origin": origin}
    assert shown["home"] == {"value": "/env", "origin": "environment CLINRAG_HOME"}
    assert shown["corpus"]["topics"]["value"] == ["tb"]
    again = CliRunner().invoke(app, ["config", "show", "--json"], env=environ)
    value = json.loads(again.output)["retrieval"]["rrf_k"]["value"]
    assert value == 30, "a command forgets what it was given"


def test_config_on_the_command_line_beats_the_environment(profile: Path, tmp_path: Path):
    other = tmp_path / "other.toml"
    other.write_text('[corpus]\nmanifest = "b"\n')
    environ = {"CLINRAG_CONFIG": str(profile)}
    arguments = ["config", "show", "--json", "--config", str(other)]
    shown = json.loads(CliRunner().invoke(app, arguments, env=environ).output)
    assert shown["corpus"]["manifest"]["value"] == str(tmp_path / "b")


def test_the_short_names_of_the_environment_work(tmp_path: Path):
    environ = {
        "CLINRAG_CORPUS": str(tmp_path),
        "CLINRAG_BENCH": "beir",
        "CLINRAG_HOME": "",
        "CLINRAG_RETRIEVAL__RERANKER": "medcpt-cross-encoder",
    }
    loaded = load_with_origins("folder", environ)
    assert loaded.settings.corpus.manifest == tmp_path
    assert loaded.settings.external_benchmarks == Path.cwd() / "beir"
    assert loaded.settings.home == Path.cwd() / ".clinrag", "an empty variable is no value"
    assert loaded.settings.retrieval.reranker == "medcpt-cross-encoder", "a name is no path"
    assert loaded.origins["corpus.manifest"] == "environment CLINRAG_CORPUS"


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        ({"CLINRAG_RETRIEVAL__RRFK": "1"}, "CLINRAG_RETRIEVAL__RRFK; did .*__RRF_K"),
        ({"CLINRAG_HOMES": "x"}, "did you mean CLINRAG_HOME"),
        ({"CLINRAG_RETRIEVAL__RRF_K": "many"}, r"retrieval\.rrf_k \(environment CLINRAG_.*'many'"),
        ({"CLINRAG_CORPUS__TOPICS": "tb"}, r"corpus\.topics .*lists are JSON"),
        ({"CLINRAG_CORPUS__TOPICS": '["T B"]'}, r"corpus\.topics .*'T B'"),
        ({"CLINRAG_PROFILE": "smaple"}, "did you mean sample"),
        ({"CLINRAG_PROFILE": "folder"}, "CLINRAG_CORPUS"),
        ({"CLINRAG_PROFILE": "sample", "CLINRAG_CONFIG": "x.toml"}, "unset one of them"),
    ],
)
def test_a_wrong_environment_is_refused_with_the_nearest_name(
    environ: dict[str, str], message: str
):
    with pytest.raises(ConfigurationError, match=message):
        load_settings(None, environ)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[retrieval]\nrrfk = 1\n", r"unknown setting retrieval\.rrfk; did .* retrieval\.rrf_k"),
        ("rrf_k = 1\n", r"unknown setting rrf_k; did .* retrieval\.rrf_k"),
        ("[retreival]\nrrf_k = 1\n", r"did you mean retrieval\.rrf_k"),
        ("[retrieval.timeouts_ms]\nbmm25 = 1\n", r"did you mean retrieval\.timeouts_ms\.bm25"),
        ("[retrieval]\nweights = 3\n", r"unknown setting retrieval\.weights"),
        ("[retrieval]\nrrf_k = -1\n", r"retrieval\.rrf_k \(.*mine\.toml\).*-1"),
        ("[encoder]\nruntime = 'onnx'\n", r"unknown setting encoder\.runtime"),
        ("[retrieval\n", r"mine\.toml: "),
    ],
)
def test_a_wrong_file_is_refused_with_file_and_nearest_name(profile: Path, text: str, message: str):
    profile.write_text('[corpus]\nmanifest = "."\n' + text if text[0] == "[" else text)
    with pytest.raises(ConfigurationError, match=message):
        load_settings(None, {"CLINRAG_CONFIG": str(profile)})


def test_a_missing_file_names_the_nearest_one(profile: Path):
    with pytest.raises(ConfigurationError, match=r"nine\.toml does not exist; .* mine\.toml"):
        load_settings(None, {"CLINRAG_CONFIG": str(profile.with_name("nine.toml"))})
    done = CliRunner().invoke(app, ["config", "show", "--config", "nowhere.toml"])
    assert done.exit_code == 1
    done = CliRunner().invoke(app, ["config", "show", "--set", "retrieval.rrf=1"])
    assert done.exit_code == 2
    assert "retrieval.rrf_k" in done.output


def test_secrets_are_neither_settings_nor_shown(profile: Path):
    """A key written where the name of its variable belongs is refused and not repeated."""
    with pytest.raises(ConfigurationError, match="api_key_env") as caught:
        load_settings(None, {"CLINRAG_VECTOR_STORE__API_KEY_ENV": "sk-secret"})
    assert "sk-secret" not in str(caught.value)
    environ = {
        "CLINRAG_CONFIG": str(profile),
        "CLINRAG_ANSWER__GENERATOR__API_KEY_ENV": "CLINRAG_MY_KEY",
        "CLINRAG_MY_KEY": "sk-secret",
        "CLINRAG_VECTOR_STORE__URL": "https://user:sk-secret@host:6333",
    }
    for arguments in (["config", "show"], ["config", "show", "--json"]):
        done = CliRunner().invoke(app, arguments, env=environ)
        assert done.exit_code == 0, done.output
        assert "CLINRAG_MY_KEY (set)" in done.output
        assert "sk-secret" not in done.output


@pytest.mark.parametrize("name", ["sample", "live"])
def test_an_initial_file_loads_back_to_the_same_settings(name: str, tmp_path: Path):
    path = tmp_path / "new" / "clinrag.toml"
    environ = {"CLINRAG_PROFILE": name, "CLINRAG_RETRIEVAL__RRF_K": "10"}
    done = CliRunner().invoke(app, ["config", "init", str(path)], env=environ)
    assert done.exit_code == 0, done.output
    settings = load_settings(None, environ)
    assert load_settings(None, {"CLINRAG_CONFIG": str(path)}) == settings
    assert "# rrf_k" not in path.read_text()
    again = CliRunner().invoke(app, ["config", "init", str(path)])
    assert again.exit_code == 1, "a file that exists is never overwritten"
    assert CliRunner().invoke(app, ["config", "init", str(path), "--force"]).exit_code == 0
    assert load_settings(None, {"CLINRAG_CONFIG": str(path)}) == load_settings("sample", {})


def test_an_initial_file_gives_every_setting_its_default_and_meaning(tmp_path: Path):
    settings = load_settings("sample", {"CLINRAG_ENCODER__NAME": "minilm"})
    text = toml_file(settings)
    live = text.replace("# ", "")
    values = [line for line in live.splitlines() if " = " in line or line.startswith("[")]
    file = tmp_path / "all.toml"
    file.write_text("\n".join(values))
    assert load_settings(None, {"CLINRAG_CONFIG": str(file)}) == settings
    tree = tomllib.loads(file.read_text())
    for name, leaf in leaves().items():
        assert leaf.field.description, f"{name} has no description"
        assert f"# {leaf.field.description}\n" in text
        if leaf.default is not None:
            section = tree
            for part in name.split("."):
                section = section[part]


def test_building_settings_reads_nothing_but_the_arguments(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setenv("CLINRAG_RETRIEVAL__RRF_K", "1")
    settings = Settings.model_validate(
        {"profile": "x", "home": tmp_path, "corpus": {"manifest": tmp_path}}
    )
    assert settings.retrieval == RetrievalSettings()
    with pytest.raises(ValidationError):
        RetrievalSettings(rrfk=1)  # pyright: ignore[reportCallIssue]
