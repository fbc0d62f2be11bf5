"""The diagnosis gate fires on questions about making a diagnosis, not on a diagnosis mentioned."""

import pytest

from clinrag_core.facts.drugs import DrugLexicon
from clinrag_core.retrieve.analyse import analyse

MAKING = (
    "How to diagnose latent TB?",
    "How is tuberculosis of the spine diagnosed?",
    "Diagnosis of TB in children",
    "Which test should be used first for pulmonary TB?",
    "What specimens are needed when pleural TB is suspected?",
    "Should contacts be screened for tuberculosis?",
    "Who should be tested for latent infection, and which tests for it?",
    "Can a chest X-ray rule out TB?",
    "Can TB meningitis be diagnosed from cerebrospinal fluid?",
    "Diagnostic accuracy of molecular tests",
    "How is rifampicin resistance detected?",
    "When is TB suspected in contacts?",
)
MADE = (
    "Treatment of newly diagnosed tuberculosis",
    "How soon after diagnosis of TB should antiretroviral therapy start?",
    "A man diagnosed with pneumonia: which antibiotic?",
    "How long are patients with confirmed TB isolated?",
    "What regimen is given at the time of diagnosis?",
    "When does treatment start after a diagnosis of multidrug-resistant TB?",
    "Regimen for people who were diagnosed with drug-resistant TB last year",
    "Duration of treatment of smear-positive pulmonary tuberculosis",
    "Confirm that rifampin 450 mg daily is right",
    "Which patients with culture-confirmed TB can go home?",
    "Baby, suspected meningitis: is ceftriaxone all right?",
    "PCR confirmed pneumonia: which antibiotic?",
)


@pytest.mark.parametrize("question", MAKING)
def test_a_question_about_making_a_diagnosis_is_gated(question):
    assert analyse(question, DrugLexicon()).diagnosis


@pytest.mark.parametrize("question", MADE)
def test_a_question_that_only_mentions_a_diagnosis_is_not_gated(question):
    assert not analyse(question, DrugLexicon()).diagnosis
