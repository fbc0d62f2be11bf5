"""The words that a question turns on must be met by the statements shown. Invented sources."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from clinrag_core.answer.question.asking import asked_words, asking_sentences, told_apart
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.rank.topic_words import (
    has_own_document,
    says_every_word,
    topic_words,
    unsaid,
)
from clinrag_core.answer.rank.unspoken import Unspoken, asked_or_drug, unmentioned, unspoken
from clinrag_core.answer.sources import Sources
from clinrag_core.facts.drugs import DrugLexicon
from clinrag_core.model.statement import IndexedStatement

DRUGS = DrugLexicon()
IDF = {"tuberculosis": 1.0, "capsule": 3.0, "rash": 5.0, "driving": 6.5, "sauna": 8.0}
SOURCES = Sources([], DRUGS, IDF)


def statement(said: str) -> IndexedStatement:
    return IndexedStatement.model_construct(
        kind="label",
        document_id="linezolid",
        document_title="Linezolid",
        headings=("Warnings",),
        run_in="",
        caption="",
        said=said,
    )


def silence(question: str, *said: str) -> Unspoken:
    """Return the words of a question that texts do not say, where these are all there is."""
    shown = [statement(one) for one in said]
    return unspoken(question, shown, shown, SOURCES, read_slots(question, DRUGS))


def refusing(
    question: str, shown: list[IndexedStatement], near: list[IndexedStatement]
) -> tuple[str, ...]:
    return unspoken(question, shown, near, SOURCES, read_slots(question, DRUGS)).refusing


def test_what_a_dose_prevents_is_no_outcome_that_it_must_say():
    shown = [statement("Linezolid: one tablet daily for 14 days.")]
    listed = [*shown, statement("Linezolid prevents relapse.")]
    assert refusing("Linezolid dose to prevent relapse?", shown, listed) == ()
    assert refusing("Is relapse rarer with linezolid?", shown, listed) == ("relapse",)


def test_the_usual_site_of_tuberculosis_need_not_be_said():
    dose = "Linezolid: 600 mg daily for children of 16 to 24 kg."
    silent = silence("Child of 18 kg with lung TB: how many linezolid tablets?", dose)
    assert "lung" not in silent.refusing + silent.named


def test_where_somebody_has_a_pain_is_nothing_that_a_dose_must_say():
    said = "Linezolid: 600 mg twice daily."
    assert "arm" not in silence("Woman with arm pain on linezolid, max per day?", said).refusing


def test_what_is_said_of_another_test_is_not_said_of_the_initials_asked_about():
    shown = statement("The test is recommended to screen people with HIV for tuberculosis.")
    near = statement("A cut-off of the QZP was compared with it.")
    question = "How sensitive is QZP to screen people with HIV for tuberculosis?"
    assert refusing(question, [shown], [shown, near]) == ("qzp",)
    assert refusing(question, [shown, near], [shown, near]) == ()
    found = "Linezolid in QZP-confirmed fever?"
    assert refusing(found, [statement("Linezolid helps in fever.")], [shown, near]) == ()
    # Documents may say "drugs against tuberculosis".
    assert refusing("Which ATT drugs are given to people with HIV?", [shown], [shown]) == ()


def test_what_a_drug_is_told_apart_from_is_asked_of_no_source():
    assert told_apart("Linezolid (not Contezolid) for a rash?") == [(9, 26)]
    assert told_apart("Linezolid, not Contezolid, for a rash?") == [(9, 26)]
    assert told_apart("Is linezolid not for a rash?") == []


def test_a_test_need_not_be_called_a_blood_test():
    shown = "Creatinine clearance should be known before linezolid."
    assert not refusing("Which blood test before linezolid?", [statement(shown)], [])
    assert refusing("Which urine test before linezolid?", [statement(shown)], []) == ("urine",)


def test_a_swap_is_no_topic_and_an_asthmatic_has_asthma():
    assert not silence("Can I swap to linezolid in sepsis?", "Linezolid helps in sepsis.").refusing
    assert not silence("Linezolid in asthmatics?", "Linezolid is used in asthma.").refusing


def test_a_mantoux_is_said_by_skin_test():
    question = "BCG as a baby and a positive mantoux: linezolid?"
    assert not silence(question, "Linezolid: BCG turns skin tests positive.").refusing
    assert silence(question, "Linezolid: BCG turns blood tests positive.").refusing


def test_a_low_bp_is_said_by_hypotension():
    question = "He has a low BP, does linezolid carry on?"
    assert silence(question, "Linezolid is withheld in hypotension.").named == ()


def test_an_effect_on_mortality_is_in_no_text_that_does_not_say_it():
    shown = statement("Of those on linezolid 10% had a positive test, of the others 5%.")
    assert refusing("Linezolid against vancomycin: mortality?", [shown], [shown]) == ("mortality",)


def words_of(question: str) -> list[str]:
    return [one.word for one in topic_words(question, DRUGS, IDF)]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What is the dose of linezolid in children with tuberculosis?", []),
        ("Side effects of rifampicin, 600 mg daily?", []),
        ("linezolid dose w/o references please", []),
        ("Linezolid after a sauna?", ["sauna"]),
        ("Can I crush linezolid tablets?", ["crush"]),
        ("What does linezolid cost?", ["cost"]),
        ("linezolid in restless-legs", ["restless", "legs"]),
        ("Does linezolid interact with grapefruit juice?", ["grapefruit", "juice"]),
        ("UTI on linezolid?", ["uti"]),
        ("linezolid in the sauna yesterday?", ["sauna"]),
        ("rostered, sauna rechecked: linezolid?", ["sauna"]),
    ],
)
def test_a_question_turns_on_what_no_slot_reads(question, words):
    assert words_of(question) == words


def test_only_the_sentences_of_a_case_that_ask_are_read():
    story = "Crohn patient, 27 F, after a sauna. Linezolid? She is well."
    assert asking_sentences(story) == "Linezolid?"
    assert asking_sentences("Linezolid after a sauna") == "Linezolid after a sauna"


def test_a_word_that_nothing_near_says_keeps_the_statements_from_answering():
    shown = [statement("Linezolid may cause a rash.")]
    assert refusing("Is linezolid allowed in the sauna?", shown, shown) == ("sauna",)
    assert refusing("Does linezolid cause a rash?", shown, shown) == ()


def test_a_word_of_the_same_sense_or_family_answers():
    shown = [statement("Reactions of the skin: exanthem, and problems when operating a vehicle.")]
    for question in ("Linezolid and rashes?", "linezolid: drive?", "dermal harm of linezolid"):
        assert refusing(question, shown, shown) == ()


def test_nothing_answers_on_a_cost_that_does_not_say_it():
    said = [statement("Linezolid comes in a carton of 28 vials.")]
    assert refusing("What does a carton of linezolid cost?", said, said) == ("cost",)
    assert refusing("Cartons of linezolid in Peru?", said, said) == ("peru",)


def test_a_route_that_is_not_mentioned_is_answered_by_the_one_that_is():
    said = [statement("Linezolid is given by intramuscular injection.")]
    assert not refusing("Linezolid as an IV drip?", said, said)
    assert refusing("Linezolid as an IV drip?", [statement("Linezolid.")], [])


def test_a_word_said_nearby_counts_half():
    shown = [statement("Linezolid may cause a rash.")]
    near = [*shown, statement("Linezolid was studied after a sauna.")]
    assert refusing("Linezolid and sauna?", shown, near) == ()


def test_a_common_word_alone_refuses_nothing():
    shown = [statement("Linezolid may cause a rash.")]
    assert refusing("Rash on a linezolid capsule, red?", shown, shown) == ()


def test_the_refusal_names_the_drug_and_the_words():
    slots = read_slots("Is linezolid allowed in a Finnish sauna?", DRUGS)
    said = unmentioned(slots, ("finnish", "sauna"))
    assert said.endswith(
        'on linezolid nearest to the question do not mention "Finnish" or "sauna".'
    )


def test_what_no_passage_says_is_named(passage):
    passages = [passage("Linezolid may cause a rash.")]
    said = unsaid("Linezolid rash after a sauna", passages, SOURCES)
    assert said == 'They do not mention "sauna".'
    assert unsaid("Rash after linezolid?", passages, SOURCES) == ""


@pytest.mark.parametrize(
    ("question", "has"),
    [("Is a sauna good for the lungs?", True), ("Is swimming good for the lungs?", False)],
)
def test_a_document_with_a_rare_word_of_the_question_in_its_title_is_its_own(question, has):
    documents = [SimpleNamespace(title="Pneumonia after a sauna", id="sauna")]
    base = SimpleNamespace(manifest=SimpleNamespace(kind="guideline"), documents=documents)
    engine = SimpleNamespace(knowledge_bases={"guideline": base})
    assert has_own_document(question, Sources([engine], DRUGS, IDF)) is has


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("The waitress is on linezolid: with food?", "the waitress is on linezolid with food"),
        ("A waitress, off to the sea, can she drink?", "can she drink"),
        ("She works nights. He drives - is a rash likely?", "is a rash likely"),
        ("Can she drink, or is a rash likely?", "can she drink or is a rash likely"),
    ],
)
def test_the_clauses_of_a_story_do_not_ask(question, asked):
    assert asked_words(question) == frozenset(asked.split())


SAID = ("Linezolid may cause a rash. Avoid alcohol with linezolid.",)


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("The waitress on linezolid has a rash, is it linezolid?", ()),
        ("She booked a caravan on linezolid, can she have the alcohol?", ()),
        ("Curry every night, on linezolid: can he have the alcohol?", ("curry",)),
        ("Can he have alcohol with linezolid in the caravan?", ("caravan",)),
    ],
)
def test_a_circumstance_is_named_or_passed_over_where_something_else_is_met(question, named):
    assert silence(question, *SAID) == Unspoken((), named)


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("Is linezolid allowed in the caravan?", "caravan"),  # nothing else is asked
        ("The waitress, on linezolid: is curry all right?", "curry"),
        ("She eats parsnips on linezolid, any interaction?", "parsnips"),
        ("She drinks alcohol. Linezolid for caravans?", "caravans"),
        ("Hiccups, dose of linezolid?", "hiccups"),  # the dose is for them
        ("Is linezolid given to a waitress?", "waitress"),
        ("How is linezolid dosed for young waitresses?", "waitresses"),
    ],
)
def test_what_is_asked_about_keeps_the_statements_from_answering(question, word):
    assert word in silence(question, *SAID).refusing


def test_an_illness_of_the_story_is_named_where_no_dose_is_asked():
    question = "He has hiccups, when is linezolid given?"
    assert silence(question, *SAID) == Unspoken((), ("hiccups",))


def test_unknown_words_of_a_story_refuse_only_what_depends_on_them():
    def left(question: str) -> tuple[str, ...]:
        return asked_or_drug(("zolumitis", "fantomycin"), read_slots(question, DRUGS))

    assert left("On fantomycin with zolumitis, when is linezolid given?") == ("fantomycin",)
    assert left("On fantomycin with zolumitis, what dose of linezolid?") == (
        "zolumitis",
        "fantomycin",
    )


def test_unknown_words_of_a_story_refuse_only_a_dose_for_them():
    def left(question: str) -> tuple[str, ...]:
        return asked_or_drug(("zolumitis", "fantomycin"), read_slots(question, DRUGS))

    story = "Snowed in at the farm all week and now zolumitis too, nurse is worried. "
    assert left(f"{story} May he have a scan?") == ("fantomycin",)
    assert left(f"{story} Is a scan of use in zolumitis?") == ("zolumitis", "fantomycin")
    assert left(f"{story} He has linezolid for zolumitis. What dose?") == (
        "zolumitis",
        "fantomycin",
    )


def test_an_everyday_word_after_a_story_is_named_where_another_is_met():
    story = "A potter on linezolid, far from home, had a long and tiring week. "
    asked = f"{story} When does a rash end and is a capsule still dodgy?"
    assert silence(asked, "A rash ends by day 7, then give a capsule.") == Unspoken((), ("dodgy",))
    assert silence(asked, "Linezolid is a tablet.").refusing
    assert silence(f"{story} When is it dodgy?", "Linezolid is taken daily.").refusing == ("dodgy",)


def test_a_month_is_nobody_that_something_is_for():
    assert silence("He flies in June, when is linezolid given?", *SAID) == Unspoken()


def test_the_site_of_a_disease_does_not_refuse_how_two_drugs_go_together():
    pair = "Linezolid with rifampin for TB of the spine, any interaction?"
    assert silence(pair, "Rifampin lowers linezolid in plasma.") == Unspoken()
    assert "spine" in silence("Linezolid for TB of the spine?", "Linezolid in TB.").refusing


def test_initials_that_are_asked_about_are_no_circumstance():
    story = "A potter on linezolid, far from home, had a long and tiring week. "
    said = "A rash ends by day 7."
    assert silence(f"{story}Is a rash worse with art?", said) == Unspoken((), ("art",))
    assert silence(f"{story}Is a rash worse with ART?", said).refusing == ("art",)


def test_an_unknown_word_refuses_no_pair_of_drugs():
    def left(question: str) -> tuple[str, ...]:
        return asked_or_drug(("zolumitis", "fantomycin"), read_slots(question, DRUGS))

    assert left("With zolumitis, which dose has linezolid with rifampin?") == ("fantomycin",)
    assert left("With zolumitis, which dose has linezolid?") == ("zolumitis", "fantomycin")


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("May linezolid go into the deltoid?", "Linezolid is given as a slow intravenous drip."),
        ("Can linezolid be pushed as a bolus?", "Infuse linezolid intravenously over an hour."),
        ("Woman, IGRA positive: dose of linezolid?", "Linezolid 600 mg is taken once daily."),
    ],
)
def test_another_way_of_giving_and_a_test_that_was_done_refuse_nothing(question: str, said: str):
    assert silence(question, said).refusing == ()


def test_a_way_of_giving_is_silent_where_nothing_says_how():
    assert silence("May linezolid go into the deltoid?", "Linezolid is for pneumonia.").refusing


def test_the_result_of_another_test_is_not_passed_over():
    question = "Woman, HTLV positive: dose of linezolid?"
    unsaid = silence(question, "Linezolid 600 mg is taken once daily.")
    assert "htlv" in {*unsaid.refusing, *unsaid.named}


def test_every_word_is_said_only_with_the_plain_ones_and_the_disease_is_free():
    said = statement("Nutritional care is given to people with tuberculosis who lose weight.")
    assert says_every_word("nutrition for TB, care", said)
    assert not says_every_word("Is nutrition cheap in TB?", said)
    assert not says_every_word("in TB?", said)


def test_initials_that_are_taken_or_have_a_value_are_not_what_is_asked():
    shown = statement("Zolumycin is given at 40 mg in the first weeks of a severe reaction.")
    for remark in ("patient on QZP", "QZP 0.05"):
        assert (
            refusing(f"Severe reaction, {remark}: zolumycin in the first weeks?", [shown], [shown])
            == ()
        )
    asked = "Is QZP stopped in a severe reaction, zolumycin in the first weeks?"
    assert refusing(asked, [shown], [shown]) == ("qzp",)


def test_a_regimen_that_no_document_names_is_none_of_its_drugs():
    shown = statement("Treatment of the infection uses isoniazid or rifapentine (3HP).")
    question = "1HP regimen: isoniazid dose for the infection?"
    sources = Sources([], DRUGS, {"3hp": 4.0, "infection": 2.0})
    found = unspoken(question, [shown], [shown], sources, read_slots(question, DRUGS))
    assert found.refusing == ("1HP",)
    known = question.replace("1HP", "3HP")
    assert not unspoken(known, [shown], [shown], sources, read_slots(known, DRUGS)).refusing


def test_where_on_the_body_it_happened_refuses_nothing_where_its_matter_is_met():
    asked = "Linezolid extravasated in the forearm, what now?"
    met = silence(asked, "If extravasation occurs, terminate the infusion of linezolid.")
    assert "forearm" not in met.refusing
    assert "forearm" in silence("Dose of linezolid for forearm?", "Linezolid 600 mg.").refusing


def test_an_opinion_in_what_is_to_be_confirmed_refuses_nothing():
    said = "A sauna is not advised on linezolid."
    opinion = "Sauna with linezolid is a gizmo, it is not advised, right?"
    assert not silence(opinion, said).refusing


def test_an_age_group_is_no_topic():
    words = topic_words("May an adolescent use a sauna on linezolid?", DRUGS, IDF)
    assert [one.word for one in words] == ["sauna"]


@pytest.mark.parametrize(
    ("question", "refusing"),
    [
        ("Who approves linezolid in the sauna?", False),
        ("Is linezolid given in the sauna?", True),
    ],
)
def test_a_formulary_has_one_rule_whatever_a_drug_is_for(question: str, *, refusing: bool):
    row = statement("Drug: linezolid; Status: restricted to approval of the ward")
    row = row.model_copy(update={"statement_kind": "row"})
    slots = read_slots(question, DRUGS)
    assert bool(unspoken(question, [row], [row], SOURCES, slots).refusing) is refusing


def test_what_stands_before_a_colon_is_asked_about():
    slots = read_slots(
        "Brimoxil: how far apart are doses and can I give it to a 35 yo on linezolid", DRUGS
    )
    assert asked_or_drug(["brimoxil"], slots) == ("brimoxil",)


@pytest.mark.parametrize(
    ("question", "refuses"),
    [
        ("Skin test indeterminate before zolumycin. Do I repeat it?", ("indeterminate",)),
        ("Skin test negative before zolumycin. Do I repeat it?", ()),
    ],
)
def test_an_unclear_result_is_no_positive_or_negative_one(
    question: str, refuses: tuple[str, ...]
) -> None:
    said = statement("Repeat no skin test before zolumycin after a positive or negative result.")
    slots = read_slots(question, DRUGS)
    assert unspoken(question, [said], [said], SOURCES, slots).refusing == refuses
    unclear = statement("Repeat a skin test that was indeterminate before zolumycin.")
    assert not unspoken(question, [unclear], [unclear], SOURCES, slots).refusing


def test_what_became_of_patients_is_said_by_the_first_statements_or_none_answers():
    asked = "Linezolid or another drug: mortality in pneumonia?"
    others = [statement("Linezolid was tried in pneumonia.")] * 2
    found = statement("Mortality in pneumonia was 5% with linezolid.")
    assert refusing(asked, [*others, found], [*others, found]) == ("mortality",)
    assert refusing(asked, [others[0], found], [*others, found]) == ()


@pytest.mark.parametrize(
    ("question", "turns_on"),
    [
        ("Week 3, rash, no sauna. What now?", False),
        ("Week 3, rash after a sauna. What now?", True),
    ],
)
def test_what_a_patient_lacks_is_nothing_that_a_question_turns_on(
    question: str, turns_on: bool
) -> None:
    words = {one.word for one in topic_words(question, DRUGS, IDF)}
    assert ("sauna" in words) is turns_on
