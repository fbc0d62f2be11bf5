"""Thesauri are read in the formats they are published in, compiled, opened and recognised."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from clinrag_core.errors import ThesaurusError
from clinrag_core.lexicon.concepts.mesh import MeshSource
from clinrag_core.lexicon.concepts.obo import OBOSource
from clinrag_core.lexicon.concepts.open import open_thesaurus, source_of
from clinrag_core.lexicon.concepts.own import OwnSource
from clinrag_core.lexicon.concepts.recognise import ConceptRecogniser
from clinrag_core.lexicon.concepts.rows import ConceptLink, ConceptName, ConceptRow, ConceptType
from clinrag_core.lexicon.concepts.rrf import RRFSource
from clinrag_core.lexicon.concepts.tables import DrugBankSource, MeshTableSource
from clinrag_core.lexicon.concepts.thesaurus import Thesaurus, compile_thesaurus

VOCAB = Path(__file__).resolve().parents[5] / "shared" / "vocab"


class Rows:
    """A thesaurus of given rows."""

    def __init__(self, *rows: ConceptRow, name: str = "given") -> None:
        self.given = rows
        self.name = name

    def rows(self) -> Iterator[ConceptRow]:
        yield from self.given


def atom(cui: str, text: str, **changes: str) -> str:
    named = dict.fromkeys(["lui", "stt", "sui", "ispref", "aui", "saui", "scui", "sdui", "sab"], "")
    columns = {"cui": cui, "lat": "ENG", "ts": "P", **named, "tty": "PT", "code": "1", "str": text,
               "srl": "0", "suppress": "N", "cvf": ""} | {"stt": "PF", "ispref": "Y"}  # fmt: skip
    return "|".join((columns | changes).values()) + "|"


def relation(one: str, rel: str, other: str, suppress: str = "N") -> str:
    return f"{one}|A1|CUI|{rel}|{other}|A2|CUI||R1||X|X|||{suppress}||"


@pytest.fixture
def rrf(tmp_path: Path) -> Path:
    folder = tmp_path / "rrf"
    folder.mkdir()
    atoms = [
        atom("C1", "zebrine fever", ispref="N"),
        atom("C1", "Zebra fever"),
        atom("C1", "Zebrafieber", lat="GER"),
        atom("C1", "old zebra fever", suppress="O"),
        atom("C2", "Febrile illness"),
        atom("C3", "Stripe rash"),
    ]
    (folder / "MRCONSO.RRF").write_text("\n".join(atoms) + "\n")
    links = [
        relation("C1", "PAR", "C2"),
        relation("C2", "CHD", "C1"),
        relation("C1", "RO", "C3"),
        relation("C1", "PAR", "C3", suppress="Y"),
        relation("C1", "SIB", "C3"),
        relation("C1", "PAR", "C1"),
    ]
    (folder / "MRREL.RRF").write_text("\n".join(links) + "\n")
    (folder / "MRSTY.RRF").write_text("C1|T047|B2|Disease or Syndrome|AT1||\n")
    return folder


def test_rrf_takes_english_rows_that_are_not_suppressed(rrf: Path):
    rows = list(RRFSource(rrf).rows())
    assert [(r.name, r.preferred) for r in rows if isinstance(r, ConceptName)] == [
        ("zebrine fever", False),
        ("Zebra fever", True),
        ("Febrile illness", True),
        ("Stripe rash", True),
    ]
    assert {r for r in rows if isinstance(r, ConceptLink)} == {
        ConceptLink("C1", "is_a", "C2"),
        ConceptLink("C1", "related", "C3"),
    }
    assert [r for r in rows if isinstance(r, ConceptType)] == [
        ConceptType("C1", "Disease or Syndrome")
    ]


def test_rrf_names_the_file_and_line_of_a_short_row(rrf: Path):
    with (rrf / "MRCONSO.RRF").open("a") as file:
        file.write("C9|ENG|P\n")
    with pytest.raises(ThesaurusError, match=r"MRCONSO\.RRF, line 7: 3 columns instead of 18"):
        list(RRFSource(rrf).rows())


def test_obo_takes_exact_synonyms_and_living_terms(tmp_path: Path):
    file = tmp_path / "x.obo"
    file.write_text(
        "format-version: 1.2\n\n[Term]\nid: X:1\nname: zebra fever\nnamespace: fevers\n"
        'synonym: "fever, \\"striped\\"" EXACT []\nsynonym: "fever" BROAD []\n'
        "is_a: X:2 ! febrile illness\nrelationship: has_symptom X:3 ! rash\n\n"
        "[Term]\nid: X:4\nname: gone\nis_obsolete: true\n\n[Typedef]\nid: has_symptom\nname: no\n"
    )
    assert list(OBOSource(file).rows()) == [
        ConceptName("X:1", "zebra fever", preferred=True),
        ConceptName("X:1", 'fever, "striped"'),
        ConceptLink("X:1", "is_a", "X:2"),
        ConceptLink("X:1", "related", "X:3"),
        ConceptType("X:1", "fevers"),
    ]


def descriptor(ui: str, name: str, trees: str, *terms: str) -> str:
    entries = "".join(f"<Term><String>{term}</String></Term>" for term in terms)
    numbers = "".join(f"<TreeNumber>{number}</TreeNumber>" for number in trees.split())
    return (
        f"<DescriptorRecord><DescriptorUI>{ui}</DescriptorUI><DescriptorName><String>{name}"
        f"</String></DescriptorName><TreeNumberList>{numbers}</TreeNumberList><ConceptList>"
        f"<Concept><TermList>{entries}</TermList></Concept></ConceptList></DescriptorRecord>"
    )


def test_mesh_reads_entry_terms_and_the_tree(tmp_path: Path):
    file = tmp_path / "desc.xml"
    child = descriptor("D2", "Zebra Fever", "C01.5", "Zebra Fever", "Fever, Striped")
    file.write_text(
        f"<DescriptorRecordSet>{child}{descriptor('D1', 'Fevers', 'C01', 'Fevers')}"
        "</DescriptorRecordSet>"
    )
    rows = list(MeshSource(file).rows())
    assert ConceptName("D2", "Fever, Striped") in rows
    assert [r for r in rows if isinstance(r, ConceptLink)] == [ConceptLink("D2", "is_a", "D1")]


def test_tables_of_mesh_and_drugbank_are_read(tmp_path: Path):
    (tmp_path / "terms.tsv").write_text("mesh_id\tmesh_name\nD1\tFevers\nD2\tZebra Fever\n")
    (tmp_path / "tree-numbers.tsv").write_text(
        "mesh_id\tmesh_name\tmesh_tree_number\nD1\tFevers\tC01\nD2\tZebra Fever\tC01.5\n"
    )
    assert ConceptLink("D2", "is_a", "D1") in list(MeshTableSource(tmp_path).rows())
    drugs = tmp_path / "drugbank_vocabulary.csv"
    drugs.write_text("DrugBank ID,Common name,Synonyms\nDB1,Zebramycin,Stripicin | Zebramycine\n")
    assert [r.name for r in DrugBankSource(drugs).rows() if isinstance(r, ConceptName)] == [
        "Zebramycin", "Stripicin", "Zebramycine",
    ]  # fmt: skip


def test_a_folder_of_no_known_format_is_refused(tmp_path: Path):
    with pytest.raises(ThesaurusError, match="no RRF"):
        source_of(tmp_path)


@pytest.fixture
def compiled(tmp_path: Path):
    def make(*sources: Rows) -> ConceptRecogniser:
        return ConceptRecogniser(Thesaurus(compile_thesaurus(sources, tmp_path)))

    return make


def names_in(recogniser: ConceptRecogniser, text: str) -> list[tuple[str, list[str]]]:
    ids = recogniser.thesaurus.id
    return [
        (text[m.start : m.end], sorted(map(ids, m.concepts))) for m in recogniser.recognise(text)
    ]


def test_the_longest_name_is_recognised_in_any_spelling(compiled):
    recogniser = compiled(
        Rows(
            ConceptName("fever", "Fever"),
            ConceptName("zebra", "zebra fever"),
            ConceptName("turned", "Pneumonia, Striped"),
        )
    )
    assert names_in(recogniser, "Zebra fevers, then fever. Striped PNEUMONIAS!") == [
        ("Zebra fevers", ["zebra"]),
        ("fever", ["fever"]),
        ("Striped PNEUMONIAS", ["turned"]),
    ]


def test_no_name_is_found_across_clauses(compiled):
    recogniser = compiled(Rows(ConceptName("x", "zebra fever")))
    assert names_in(recogniser, "We saw a zebra. Fever came, zebra, fever; zebra\nfever") == []


def test_short_forms_need_capitals_and_context(compiled):
    recogniser = compiled(
        Rows(
            ConceptName("scler", "MS"),
            ConceptName("scler", "multiple sclerosis"),
            ConceptName("stenosis", "MS"),
            ConceptName("stenosis", "mitral valve narrowing"),
            ConceptName("relapse", "relapsing gait"),
            ConceptLink("relapse", "related", "scler"),
        )
    )
    assert names_in(recogniser, "60 ms after MS") == []
    assert names_in(recogniser, "MS (mitral valve narrowing)")[0] == ("MS", ["stenosis"])
    assert names_in(recogniser, "relapsing gait in MS")[1] == ("MS", ["scler"])


def test_short_forms_of_the_projects_own_field_need_no_context(tmp_path: Path):
    recogniser = ConceptRecogniser(Thesaurus(compile_thesaurus([OwnSource()], tmp_path)))
    assert [text for text, _ in names_in(recogniser, "TB or CAP? Not CAPS, caps, tb.")] == [
        "TB", "CAP",
    ]  # fmt: skip


def test_codes_common_words_and_rests_are_no_names(compiled):
    recogniser = compiled(
        Rows(
            ConceptName("a", "role"),
            ConceptName("b", "News"),
            ConceptName("c", "fever, unspecified"),
            ConceptName("d", "C10H15N"),
            ConceptName("e", "ab"),
            ConceptName("f", "zebra fever"),
        )
    )
    assert recogniser.thesaurus.record.dropped == 5
    assert names_in(recogniser, "the role of new fever unspecified ab, zebra fever") == [
        ("zebra fever", ["f"])
    ]


def test_concepts_of_two_sources_with_a_long_name_in_common_are_one(compiled):
    one = Rows(ConceptName("a", "zebra fever"), ConceptName("a", "striped fever"), name="one")
    other = Rows(
        ConceptName("x", "zebra fever"),
        ConceptName("x", "savannah fever"),
        ConceptName("y", "SF"),
        ConceptName("y", "sand flux"),
        name="other",
    )
    recogniser = compiled(one, other)
    assert len(recogniser.thesaurus) == 2
    assert recogniser.concepts("savannah fever") == recogniser.concepts("striped fever")


def test_concepts_of_one_source_stay_apart(compiled):
    recogniser = compiled(
        Rows(ConceptName("class", "zebramycin"), ConceptName("drug", "zebramycin"))
    )
    assert names_in(recogniser, "zebramycin") == [("zebramycin", ["class", "drug"])]


def test_relations_go_both_ways(compiled):
    thesaurus = compiled(
        Rows(
            ConceptName("fever", "fever"),
            ConceptName("zebra", "zebra fever"),
            ConceptLink("zebra", "is_a", "fever"),
        )
    ).thesaurus
    ids = list(thesaurus.ids())
    found = {
        (ids[c], r.relation, ids[r.concept])
        for c in range(len(thesaurus))
        for r in thesaurus.related(c)
    }
    assert found == {("zebra", "is_a", "fever"), ("fever", "narrower", "zebra")}


def test_equal_sources_give_equal_bytes_and_a_compiled_one_is_used_again(tmp_path: Path):
    first, again = (compile_thesaurus([OwnSource()], tmp_path / n) for n in "ab")
    assert first.name == again.name
    for file in first.iterdir():
        assert file.read_bytes() == (again / file.name).read_bytes()
    opened = open_thesaurus((), tmp_path / "c")
    assert open_thesaurus((), tmp_path / "c").record == opened.record
    assert opened.record.fingerprint == first.name


def test_a_damaged_thesaurus_is_refused(tmp_path: Path):
    directory = compile_thesaurus([OwnSource()], tmp_path)
    hashes = np.load(directory / "hashes.npy")
    np.save(directory / "hashes.npy", hashes[:-1])
    with pytest.raises(ThesaurusError, match="do not agree"):
        Thesaurus(directory)
    (directory / "hashes.npy").unlink()
    with pytest.raises(ThesaurusError, match="cannot be read"):
        Thesaurus(directory)


@pytest.mark.skipif(not VOCAB.is_dir(), reason="../shared/vocab is absent")
@pytest.mark.parametrize(
    ("path", "concepts", "text"),
    [
        ("rrf-open", 767, "isoniazid"),
        ("disease-ontology/DO_infectious_disease_slim.obo", 536, "tuberculosis"),
        ("symptom-ontology/symp.obo", 895, "night sweat"),
    ],
)
def test_published_thesauri_are_read_whole(path: str, concepts: int, text: str, tmp_path: Path):
    thesaurus = Thesaurus(compile_thesaurus([source_of(VOCAB / path)], tmp_path))
    named = [c for c in range(len(thesaurus)) if thesaurus.names(c)]
    assert len(named) == concepts
    assert ConceptRecogniser(thesaurus).concepts(f"on {text} today")


@pytest.mark.skipif(not VOCAB.is_dir(), reason="../shared/vocab is absent")
def test_a_mesh_file_that_ends_early_is_reported_after_its_records():
    rows = MeshSource(VOCAB / "mesh2015" / "subset.xml").rows()
    read: list[ConceptRow] = []

    def read_all() -> None:
        for row in rows:
            read.append(row)  # noqa: PERF402 - what came before the error is kept

    with pytest.raises(ThesaurusError, match=r"subset\.xml: Premature end"):
        read_all()
    preferred = [r.name for r in read if isinstance(r, ConceptName) and r.preferred]
    assert preferred == ["Calcimycin", "Temefos"]
