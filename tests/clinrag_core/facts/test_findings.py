"""What is found in a patient: conditions, and values compared as numbers."""

from __future__ import annotations

import math

import pytest

from clinrag_core.facts.findings import finding_name, read_findings


@pytest.mark.parametrize(
    ("text", "name", "low", "high"),
    [
        ("QTcF 520 ms today", "qt", 520, 520),
        ("QTc of 510 and syncope", "qt", 510, 510),
        ("stop it above a QT interval of greater than 500 msec", "qt", 500, math.inf),
        ("AST 8 times the upper limit", "aminotransferases", 8, 8),
        ("ALT 6x ULN", "aminotransferases", 6, 6),
        ("transaminases exceed five times the upper limit of normal", "aminotransferases", 5,
         math.inf),
        ("ALT 230 (normal up to 40)", "aminotransferases", 5.8, 5.8),
        ("AST 100 IU/L (ULN 50)", "aminotransferases", 2, 2),
        ("trough of 3 mg / l", "trough", 3, 3),
        ("trough levels above 2 mcg/mL", "trough", 2, math.inf),
        ("a trough of 4, is that safe", "trough", 4, 4),
        ("pre-dose level of 3", "trough", 3, 3),
        ("a trough of 3 mcg/mL or more", "trough", 3, math.inf),
        ("platelets 50,000 or less", "platelets", -math.inf, 50_000),
        ("the trough has come back 4.1", "trough", 4.1, 4.1),
        ("platelets are down to 45", "platelets", 45_000, 45_000),
        ("her peak came back at 14", "peak", 14, 14),
        ("prolonged peak concentrations above 9 mcg/mL", "peak", 9, math.inf),
        ("fasting sugar 260 mg/dl", "fasting_glucose", 260, 260),
        ("LVEF <50%", "ejection_fraction", -math.inf, 50),
        ("platelet count 30,000", "platelets", 30_000, 30_000),
        ("platelets 45 x 10^9/L", "platelets", 45_000, 45_000),
        ("neuts 0.6 and afebrile", "neutrophils", 600, 600),
        ("neutrophils of 800", "neutrophils", 800, 800),
        ("neutrophils 600/mm3, CrCl 44", "neutrophils", 600, 600),
        ("plts 31", "platelets", 31_000, 31_000),
        ("platelets 999", "platelets", 999_000, 999_000),
        ("platelets of 1500", "platelets", 1500, 1500),
        ("platelets 45/mm3", "platelets", 45, 45),
        ("neuts 12", "neutrophils", 12_000, 12_000),
        ("neutrophils below 50", "neutrophils", -math.inf, 50),
        ("resting heart rate less than or equal to 55 bpm", "heart_rate", -math.inf, 55),
    ],
)  # fmt: skip
def test_a_value_is_read_with_its_range(text: str, name: str, low: float, high: float) -> None:
    (found,) = [one for one in read_findings(text) if one.is_measured]
    assert (found.name, found.low, found.high) == (name, low, high)


@pytest.mark.parametrize(
    "text",
    ["the peak is at 2 h", "peak expiratory flow of 300", "peak at 4 mg", "peaks 2-3 h later",
     "the trough at 8 am", "trough at 8:30", "trough at 4th dose",
     "trough of 5 samples", "a peak in 3 of them", "he peaked at 12"],
)  # fmt: skip
def test_a_time_a_flow_and_a_dose_are_no_concentration(text: str) -> None:
    assert not any(one.is_measured for one in read_findings(text))


@pytest.mark.parametrize(
    "text",
    ["neutrophils 62%", "neutrophils 62 percent", "it neutralised 2", "platelets for 2 weeks"],
)
def test_a_share_a_time_and_another_word_are_no_count(text: str) -> None:
    assert not any(one.is_measured for one in read_findings(text))


def test_a_value_meets_the_limit_that_it_exceeds_only() -> None:
    (limit,) = [one for one in read_findings("QTcF of more than 500 ms") if one.is_measured]
    over, under = (read_findings(f"QTcF {ms} ms")[0] for ms in (520, 480))
    assert over.meets(limit)
    assert not under.meets(limit)


def test_a_second_limit_in_a_sentence_goes_on_with_the_comparison_of_the_first() -> None:
    text = "ALT that exceeds three times the upper limit, or five times the upper limit without"
    limits = [(one.low, one.high) for one in read_findings(text)]
    assert limits == [(3, math.inf), (5, math.inf)]


def test_a_figure_belongs_to_the_value_named_before_it() -> None:
    text = "ALT rises together with a bilirubin of more than two times the upper limit"
    found = {one.name: one.is_measured for one in read_findings(text)}
    assert found == {"aminotransferases": False, "bilirubin": True}


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("QTc 510 ms", "qt_prolongation"),
        ("potassium 2.8 mmol/L", "low_potassium"),
        ("K 6.2 this morning", "high_potassium"),
        ("K+ = 5.9", "high_potassium"),
        ("a progressive increase of serum potassium", "high_potassium"),
        ("Na 124, confused", "low_sodium"),
        ("his lips look blue", "methemoglobinemia"),
        ("LVEF 30%", "heart_failure"),
        ("platelets 40,000/mm3", "thrombocytopenia"),
        ("her platelets have dropped", "thrombocytopenia"),
        ("white count has dropped on day 3", "leukopenia"),
        ("falling white cells", "leukopenia"),
        ("second-degree atrioventricular (AV) block", "heart_block"),
        ("a mechanical aortic valve", "prosthetic_valve"),
        ("mitral valve replaced in 2020", "prosthetic_valve"),
        ("a UTI, just started on antibiotics", "active_infection"),
        ("G6PD-deficient man", "g6pd_deficiency"),
        ("takes the birth control pill, an oral contraceptive", "hormonal_contraception"),
        ("history of epilepsy", "seizures"),
    ],
)
def test_a_condition_is_read_from_its_words_or_its_value(text: str, condition: str) -> None:
    assert condition in {one.name for one in read_findings(text)}


@pytest.mark.parametrize(
    "text",
    [
        "Low platelets: velotrib versus zolumycin in 3 studies",
        "the QT interval after 5 mg",
        "heart rate for 7 days",
        "vitamin K 2.5 mg",
        "takes potassium 40 mEq a day",
        "sodium 130 mg in a tablet",
    ],
)
def test_a_figure_of_something_else_is_no_value(text: str) -> None:
    assert not any(one.is_measured for one in read_findings(text))


def test_normal_values_are_no_condition() -> None:
    names = {one.name for one in read_findings("QTc 420 ms, potassium 4.1 mmol/L, LVEF 60%")}
    assert names == {"qt", "potassium", "ejection_fraction"}


def test_a_value_is_named_with_its_unit() -> None:
    assert finding_name(read_findings("qtcf 520ms")[0]) == "QT interval 520 ms"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("her great toe is red and very painful", "gout"),
        ("urate was high", "gout"),
        ("his eyes have turned yellow", "jaundice"),
        ("pins and needles in both feet", "neuropathy"),
        ("reds look washed out to him", "optic_neuritis"),
        ("there is ringing in one ear", "hearing_loss"),
    ],
)
def test_what_a_patient_notices_is_read_as_the_condition(text: str, name: str) -> None:
    assert name in {one.name for one in read_findings(text)}


@pytest.mark.parametrize("text", ["normal G6PD", "G6PD normal", "G6PD level is normal"])
def test_a_normal_test_is_no_finding(text: str):
    assert not read_findings(f"A pregnant woman with {text}.")
    assert read_findings("A pregnant woman with G6PD deficiency.")


@pytest.mark.parametrize(
    ("text", "low"),
    [
        ("total bilirubin 2.4 mg/dL today", 2.0),
        ("bilirubin of 41 µmol/L", 2.0),
        ("bilirubin 0.6 mg/dl", 0.5),
        ("bilirubin 2 mg/dl", 1.7),
    ],
)
def test_a_bilirubin_in_its_units_is_a_multiple_of_the_limit(text: str, low: float):
    """A bilirubin of 2.4 mg/dL had not been seen, and the rule that it ends treatment not shown."""
    (value,) = (one for one in read_findings(text) if one.name == "bilirubin")
    assert (value.low, value.high) == (low, low)


@pytest.mark.parametrize(
    "text",
    ["new hemiparesis", "weakness on one side", "weak down the left side", "one-sided weakness"],
)
def test_weakness_of_one_side_may_be_pml(text: str):
    """For a hemiparesis on such a drug "withhold it" had not been shown."""
    assert [one.name for one in read_findings(text)] == [
        "progressive_multifocal_leukoencephalopathy"
    ]


def test_a_bilirubin_above_normal_is_a_value():
    (above,) = read_findings("the bilirubin is above normal")
    assert (above.name, above.low) == ("bilirubin", 1.0)
    (times,) = read_findings("bilirubin 3 times above normal")
    assert times.low == 3.0
    assert not any(one.is_measured for one in read_findings("pulse above normal"))


def test_pain_in_the_achilles_is_one_of_a_tendon() -> None:
    assert [one.name for one in read_findings("Now has Achilles pain.")] == ["tendon_disorder"]
