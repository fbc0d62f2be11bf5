"""Statements of prose: what heads and introduces them, and what is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clinrag_core.chunk.drafts import SectionDrafts
from clinrag_core.chunk.statements import cut_statements
from clinrag_core.model.section import Block, Section
from clinrag_core.model.source import DocumentSource, SourceFile
from clinrag_core.parse.registry import parse_document
from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    from clinrag_core.model.statement import Statement

PAGE = """<html><head><title>Invented label</title></head><body><main><h1>Invented label</h1>
<h2>Use in special groups</h2>
<p>Kidney Disease</p>
<p>Half of the usual dose is given. The weight is measured first.</p>
<p>Women who ask for it may be told: • take it with food; • avoid grapes.</p>
<p>The aims are to:</p>
<ul><li>stop the cough;</li><li>The whole course is six months for adults.</li></ul>
<p>All children under five years:</p>
<p>Those who have had contact are screened.</p>
<p>Interruption is not wise:</p>
<ul><li>If fewer than 4 doses are missed:</li><li>resume where it stopped;</li>
<li>If 4 or more doses are missed:</li><li>begin again.</li>
<li>The nurse is always told about it.</li></ul>
<p>At least 5 mg (or less.</p>
</main></body></html>"""

FLAT = """Invented regimens

Overview

Regimens of the invented drugs

Invented Regimen Table

Drug(s)

Duration

Dose

Frequency

Alfadrug (ALF)*

3 months

Adults:

15 mg/kg

Children: 25 mg/kg

Daily

Betadrug (BET)

4 months

Adults:

10 mg/kg

Daily

* Alfadrug (ALF) is given with food by a nurse who watches the patient swallow it every day.
"""


GRADED = """# Invented guideline

## Recommendation 3.

3. We recommend alfadrug for adults. (Strong recommendation, low certainty of evidence)
"""


def cut(text: str, form: str) -> dict[str, Statement]:
    """Return the statements of a document by their own words."""
    data = text.encode()
    source = DocumentSource(
        id="invented",
        kind="guideline",
        format=form,  # pyright: ignore[reportArgumentType] - a format of the registry
        title="Invented",
        topics=("tb",),
        file=SourceFile(name="invented", sha256=sha256_hex(data), size=len(data)),
    )
    return {" ".join(s.text.split()): s for s in cut_statements(parse_document(data, source))}


def test_a_line_without_a_verb_heads_what_comes_after_it() -> None:
    statements = cut(PAGE, "html")
    assert "incomplete" in statements["Kidney Disease"].unfit
    for own in ("Half of the usual dose is given.", "The weight is measured first."):
        assert [p.kind for p in statements[own].frame] == ["run_in"]


def test_a_term_that_refers_to_its_section_is_no_heading() -> None:
    terms = "<p>Nursing mothers (4.4).</p><p>Hypersensitivity to any component (4.2).</p>"
    page = PAGE.replace("<p>Kidney Disease</p>", f"{terms}<p>Kidney Disease</p>")
    unfit = {text: one.unfit for text, one in cut(page, "html").items()}
    assert (
        unfit["Nursing mothers (4.4)."] == unfit["Hypersensitivity to any component (4.2)."] == ()
    )


@pytest.mark.parametrize(("words", "is_said_again"), [(5, True), (60, False)])
def test_what_only_adds_to_a_long_sentence_is_said_without_it(
    words: int, is_said_again: bool
) -> None:
    long = "Zolumycin" + " slowly" * words + " heals."
    page = PAGE.replace("<p>Kidney Disease</p>", f"<p>{long} In addition, it is cheap.</p>")
    (found,) = (one for text, one in cut(page, "html").items() if "cheap" in text)
    assert ("heals" in found.said) == is_said_again


@pytest.mark.parametrize(
    ("said", "points_back"),
    [
        ("Use of zolumycin should be avoided in patients with these conditions.", True),
        ("No other dose is advised for such patients.", True),
        ("Patients with asthma need more, as many of these patients smoke.", False),
        ("Bolamine is contraindicated for those patients who are allergic.", False),
        ("For the same reason, it is not given at night.", True),
        ("As a result, the dose is halved.", True),
        ("For the same dose, more water is needed.", False),
        ("Ruritania recommends the test in children.", True),
        ("Ruritania recommends the skin test in children.", False),
        ("Typically, they are mild.", True),
        ("In most cases these heal within a week.", True),
        ("If concomitant use with bolamine cannot be avoided, give less.", True),
        ("If use is necessary, give less.", True),
        ("If bolamine is necessary, it is given at night.", False),
        ("Rarely, it is advisable to give more.", False),
        ("Typically, patients feel nothing.", False),
    ],
)
def test_what_points_back_in_other_words_needs_the_sentence_before(
    said: str, points_back: bool
) -> None:
    before = "Rashes are seen with zolumycin."
    page = PAGE.replace("<p>Kidney Disease</p>", f"<p>{before} {said}</p><p>Kidney Disease</p>")
    statement = cut(page, "html")[said]
    assert statement.said == (f"{before} {said}" if points_back else said)


def test_bullets_inside_a_paragraph_have_the_words_before_them() -> None:
    item = cut(PAGE, "html")["• avoid grapes."]
    assert item.said == "Women who ask for it may be told: avoid grapes."
    assert item.kind == "item"


def test_a_sentence_is_no_item_of_a_list_whose_lead_in_wants_a_verb() -> None:
    statements = cut(PAGE, "html")
    assert statements["• stop the cough;"].said == "The aims are to: stop the cough;"
    own = "• The whole course is six months for adults."
    assert statements[own].said == own


def test_whom_a_colon_announces_is_said_once() -> None:
    said = "Those who have had contact are screened."
    assert cut(PAGE, "html")[said].said == f"All children under five years: {said}"


def test_an_item_that_ends_in_a_colon_introduces_those_after_it() -> None:
    statements = cut(PAGE, "html")
    few = "If fewer than 4 doses are missed:"
    assert statements["• resume where it stopped;"].said == f"{few} resume where it stopped;"
    assert statements["• begin again."].said == "If 4 or more doses are missed: begin again."
    nurse = "The nurse is always told about it."
    assert statements[f"• {nurse}"].said == f"Interruption is not wise: {nurse}"


def test_text_with_an_open_bracket_is_not_quoted() -> None:
    assert "incomplete" in cut(PAGE, "html")["At least 5 mg (or less."].unfit


def test_lines_of_a_flattened_table_stay_with_their_drug() -> None:
    rows = [s for s in cut(FLAT, "text").values() if s.kind == "row"]
    assert [row.said for row in rows] == [
        "Alfadrug (ALF)*; 3 months; Adults: 15 mg/kg; Children: 25 mg/kg; Daily",
        "Betadrug (BET); 4 months; Adults: 10 mg/kg; Daily",
    ]
    assert all(row.unfit == () for row in rows)


def test_cells_of_a_flattened_table_that_no_drug_heads_are_not_quoted() -> None:
    cells = ("Dose", "Peak", "Mean", "250", "1.2", "4.8", "500", "2.4", "11.6")
    page = ("Levels", "Table 4: Levels of alfadrug", *cells, "The drug is given once a day.")
    statements = cut("\n\n".join(page), "text")
    assert [statements[cell].unfit for cell in cells] == [("unsure_binding",)] * len(cells)
    assert statements["The drug is given once a day."].unfit == ()


def test_a_recommendation_keeps_its_number_and_grade() -> None:
    statements = [s for s in cut(GRADED, "markdown").values() if s.kind == "recommendation"]
    assert [s.unfit for s in statements] == [()]
    assert "low certainty" in statements[0].text


def test_the_drug_of_one_item_does_not_head_the_next() -> None:
    """A regimen lists a drug an item; one without a colon took the dose for the drug above it."""
    page = """<html><head><title>T</title></head><body><main><h1>Regimens</h1>
<p>The child regimen is:</p><ul><li>Vortazole: 450 mg once a month</li>
<li>Mirudine 150 mg once a month and 50 mg every other day</li></ul></main></body></html>"""
    item = cut(page, "html")["• Mirudine 150 mg once a month and 50 mg every other day"]
    assert [part.kind for part in item.frame] == ["lead_in"]


LAST = (
    "<h1>Stopping</h1><p>Stop zolumycin and all other drugs like it if the patient develops:</p>"
    "<ul><li>Grave arrhythmia</li><li>A short interval of the tracing</li></ul>"
    "<p>After a faint, take another tracing.</p>"
)


def test_the_last_item_of_a_list_is_no_heading_of_what_follows() -> None:
    statements = cut(LAST, "html")
    item = next(s for s in statements.values() if "short interval" in s.said)
    assert item.kind == "item"
    assert item.said.startswith("Stop zolumycin and all other drugs like it")
    assert item.unfit == ()


GROUPS = """<html><head><title>T</title></head><body><main><h1>Zolumycin</h1>
<h2>Doses by age</h2><p>Adults and Children 12 Years of Age and Above</p>
<p>Give 300 mg a day.</p><p>Recommended Premedication</p>
<p>Give 50 mg of mirudine first.</p><p>Not for infants</p><p>Keep the vial cold.</p>
<p>Kidney Disease</p><p>Halve it.</p><p>MedicineZolumycinRisk of harm</p>
<p>Nobody fainted.</p><p>Storage of the Vials:</p><p>A cold room will do.</p>
<p>Heart Disease [see Zolumycin (4.1)].</p><p>A tracing is taken.</p>
</main></body></html>"""


@pytest.mark.parametrize(
    ("own", "heading"),
    [
        ("Give 300 mg a day.", "Adults and Children 12 Years of Age and Above"),
        ("Give 50 mg of mirudine first.", "Recommended Premedication"),
        ("Keep the vial cold.", None),  # a line that may be a title ends the heading before it
        ("Nobody fainted.", None),
        ("A cold room will do.", "Storage of the Vials"),
        ("A tracing is taken.", "Heart Disease [see Zolumycin (4.1)]."),
    ],
)
def test_an_age_is_part_of_a_title_and_a_line_like_a_title_ends_the_one_before(
    own: str, heading: str | None
) -> None:
    """The dose of a child was quoted without the line above it, or under the one before that."""
    parts = cut(GROUPS, "html")[own].frame
    assert [part.kind for part in parts] == (["run_in"] if heading else [])
    assert heading is None or all(part.end - part.start == len(heading) for part in parts)


def test_the_title_of_a_section_is_no_heading_below_it() -> None:
    page = PAGE.replace("<p>Kidney Disease</p>", "<p>Use in special groups</p>")
    assert cut(page, "html")["The weight is measured first."].frame == ()


def test_what_a_bullet_opens_with_heads_the_rest_of_the_bullet_only() -> None:
    text = (
        "• Children of 3 Months: Give it once a day. Doses are by body weight. "
        "• See the table. Adults take 600 mg."
    )
    blocks = (Block(kind="paragraph", start=0, end=len(text)),)
    section = Section(ordinal=0, path=("Doses",), text=text, blocks=blocks)
    heads = {draft.said: draft.run_in for draft in SectionDrafts(section).drafts()}
    start, end = heads["Doses are by body weight."] or (0, 0)
    assert text[start:end] == "Children of 3 Months"
    assert heads["Adults take 600 mg."] is None


def test_a_title_above_the_rest_of_its_block_heads_it() -> None:
    """A line break parts a title from its paragraph; the title before it headed the text."""
    text = "Kidney Disease\n\nHalve it.\n\nLiver Disease\nThe dose stays as it is."
    starts = (0, text.index("Halve"), text.index("Liver"))
    blocks = tuple(
        Block(kind="paragraph", start=start, end=text.index("\n\n", start) if n < 2 else len(text))
        for n, start in enumerate(starts)
    )
    section = Section(ordinal=0, path=("Groups",), text=text, blocks=blocks)
    drafts = {draft.said: draft for draft in SectionDrafts(section).drafts()}
    head = drafts["The dose stays as it is."].run_in
    assert head is not None
    assert text[slice(*head)] == "Liver Disease"
    assert not drafts["Liver Disease"].is_whole


@pytest.mark.parametrize(
    ("said", "unfit"),
    [
        ("Patients 1, 2, and 4 received zolumycin for 30 days at a time.", ("narrative",)),
        ("The guideline panel noted that masks may frighten a child.", ("apparatus",)),
        (
            "The guideline panel noted that masks may frighten; nevertheless, children should be"
            " given masks.",
            (),
        ),
    ],
)
def test_reports_of_patients_and_panels_are_no_advice(said: str, unfit: tuple[str, ...]) -> None:
    assert cut(f"# Masks\n\n{said}\n", "text")[said].unfit == unfit


@pytest.mark.parametrize(
    "said",
    [
        "Geneva: Office of Invented Health; 2011 (OIH/7.2).",
        "Invented Weekly Report, 2013; 62 (No. 41) on masks",
        "3 Oyelaran P , Brandt DD, Ilic W (2008) Efficacious masks in zolum fever, a review.",
        "ZOLUM and MIRU are registered trademarks of Zolum Invented Works.",
        "AB Oyelaran, MD, K Brandt, P Ilic, Univ of Zolum Medical School, Zolum.",
        "Models of care for patients have been described elsewhere (45).",
        "For more information on masks, see the section on them.",
        "Table 8 shows the levels of zolumycin after one dose.",
        "Figure 5: Weeks to the first relapse",
        "The structure of zolumycin is shown below.",
    ],
)
def test_references_names_and_pointers_are_no_answer(said: str) -> None:
    assert "furniture" in cut(f"# Masks\n\n{said}\n", "text")[said].unfit


@pytest.mark.parametrize(
    "said",
    [
        "Nausea and rash are reactions that are not described elsewhere and need a stop.",
        "Serious reactions are described elsewhere in the label: liver failure, coma, and rash.",
        "Table salt is given with water after a heat stroke.",
        "In 2020; 12 of the patients took 5 mg a day.",
    ],
)
def test_sentences_that_look_like_references_stay_quotable(said: str) -> None:
    assert "furniture" not in cut(f"# Masks\n\n{said}\n", "text")[said].unfit


def test_titles_and_addresses_between_sentences_say_nothing() -> None:
    page = "# Care\n\n## Packs\n\nIt is kept cold.\n\nNDC 0000-1111-22 bottle of 9\n\nKeep it dry."
    statements = cut(page, "markdown")
    assert "incomplete" in statements["NDC 0000-1111-22 bottle of 9"].unfit
    assert statements["Keep it dry."].unfit == ()


FLATTENED = (
    "<html><head><title>T</title></head><body><main><h1>Missed doses</h1><p>"
    "Planned Missed Doses for Patients on the Monthly Schedule If a patient plans to skip, give "
    "tablets. The tablets are taken with a meal. The first is taken a month after the last dose. "
    "Planned Missed Doses for Patients on the Weekly Schedule If a patient plans to skip, wait. "
    "The first is taken a week after the last dose. Vertigo Advise patients to sit."
    "</p></main></body></html>"
)


def test_a_title_that_runs_into_its_sentence_heads_those_after_it() -> None:
    statements = cut(FLATTENED, "html")

    def headed(text: str) -> list[int]:
        return [p.end - p.start for p in statements[text].frame if p.kind == "run_in"]

    monthly, weekly = (
        len(f"Planned Missed Doses for Patients on the {how} Schedule")
        for how in ("Monthly", "Weekly")
    )
    assert headed("The first is taken a month after the last dose.") == [monthly]
    assert headed("The first is taken a week after the last dose.") == [weekly]
    assert headed("Vertigo Advise patients to sit.") == []
