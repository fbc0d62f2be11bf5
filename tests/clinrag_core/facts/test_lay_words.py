"""What patients say is read as what labels write for it. Invented sentences."""

from __future__ import annotations

import pytest

from clinrag_core.facts.lay_words import in_clinical_words


@pytest.mark.parametrize(
    ("asked", "read"),
    [
        ("Pt handout: what is zolumycin?", "public handout: what is zolumycin?"),
        ("Can latent be contagious?", "Can latent TB be contagious?"),
        ("Cut H, R and Z?", "Cut isoniazid, rifampicin and pyrazinamide?"),
        ("Strep IM 1 g: for how long?", "streptomycin IM 1 g: for how long?"),
        ("On the pill, no voice", "On oral contraceptives, no voice"),
        ("She is tearful on zolumycin", "She is depressed on zolumycin"),
        ("Shingles pain, zolumycin?", "postherpetic neuralgia, zolumycin?"),
        ("Cola coloured urine on zolumycin", "darkening of the urine on zolumycin"),
        ("The print has gone wavy", "The blurred vision (a change in vision)"),
        (
            "I add a third month of RHZE, right?",
            "I prolong the initial phase of tuberculosis treatment by a month, right?",
        ),
        ("Back after 3 months off his drugs", "interrupted treatment for 3 months with his drugs"),
        ("First choice and the backups?", "First choice and second choice?"),
        ("Backup contraception on zolumycin?", "Backup contraception on zolumycin?"),
        ("Zolumycin for a bladder infection", "Zolumycin for a lower urinary tract infection"),
        ("He says we'd be better off without him", "He says suicidal ideation"),
        ("Yellow fever jab on zolumycin?", "live vaccine on zolumycin?"),
        ("Forgot this morning's zolumycin", "missed the dose of zolumycin"),
        ("Forgot two active pills in week 2", "missed two active pills in week 2"),
        ("Zolumycin with a mimosa, ok?", "Zolumycin with alcohol, ok?"),
        ("Latent TB: can she give it to patients?", "Latent TB: can she spread germs to patients?"),
        ("Can I give it to the patient?", "Can I give it to the patient?"),
        ("Is he allowed a drink at the weekend?", "Is he allowed alcohol at the weekend?"),
        ("Splashed zolumycin on my wrist", "contact of zolumycin with the skin"),
        ("Swallowed a whole bottle of zolumycin", "took an overdose of zolumycin"),
        ("A teen got into her box of zolumycin", "A adolescent took an overdose of zolumycin"),
        ("Zolumycin 400 q12, oral dose?", "Zolumycin 400 every 12 hours, oral dose?"),
        ("Zolumycin 400 q12h, oral dose?", "Zolumycin 400 q12h, oral dose?"),
        ("Admit her or send home?", "Admit her or discharged home (outpatient)?"),
        ("Stomach cramps on zolumycin", "abdominal pain on zolumycin"),
        ("May I keep her on half?", "May I continue a temporary dose reduction?"),
        ("Two hypos on zolumycin", "Two hypoglycemia on zolumycin"),
        ("Her eyes are yellow on zolumycin", "Her jaundice on zolumycin"),
        ("He vanished for 3 months", "He interrupted treatment for 3 months"),
        ("Hb dropped 3 g on zolumycin", "anemia (a fall of hemoglobin) on zolumycin"),
        ("Hb 9.2 g/dl on zolumycin", "Hb 9.2 g/dl on zolumycin"),
        ("Zolumycin, liver resection next week", "Zolumycin, elective surgery next week"),
        ("Zolumycin after a resection", "Zolumycin after a resection"),
        ("Does he need heparin in between?", "Does he need bridging anticoagulation in between?"),
        ("Only zolumycin sensitive: dose?", "to be treated with zolumycin: dose?"),
        ("Can't stomach the full dose", "does not tolerate the full dose"),
        ("Can I drop it for a bit?", "Can I have a temporary dose reduction?"),
        ("Can it be crushed for a PEG?", "Can it be crushed?"),
        (
            "Stretch her zolumycin to every 6 weeks to cut the PML risk?",
            "give her zolumycin every 6 weeks?",
        ),
        ("Trough taken before the second dose came back 3.8", "Trough 3.8"),
        ("Took about 30 of her mum's zolumycin 50s", "took an overdose of zolumycin 50s"),
        ("She took 20 mg of zolumycin", "She took 20 mg of zolumycin"),
        ("He took zolumycin for 20 days", "He took zolumycin for 20 days"),
        ("He had his zolumycin this morning", "He takes zolumycin this morning"),
        ("He had his operation this morning", "He had his operation this morning"),
        ("Pig valve, INR goal?", "bioprosthetic valve, target INR on warfarin?"),
        ("Warfarin: INR goal?", "Warfarin: INR goal?"),
        ("Apixaban: target INR?", "Apixaban: target INR?"),
        ("A 600 calorie shake diet?", "A very low-calorie diet?"),
        ("A 1200 calorie diet?", "A 1200 calorie diet?"),
        (
            "And how long does she have to sit afterwards?",
            "And how long is observation after the infusion?",
        ),
        ("Zolumycin outside of a trial?", "Zolumycin only in research settings?"),
        ("How many lb a week should he lose?", "what rate of weight loss per week?"),
        (
            "Trying for baby, on zolumycin",
            "planning pregnancy (females of reproductive potential), on zolumycin",
        ),
        (
            "Pneumonia on 4 L nasal cannula: zolumycin?",
            "Pneumonia on supplemental oxygen: zolumycin?",
        ),
        ("Patient on 4 L O2, is it 20 mg?", "Patient on supplemental oxygen, is it 20 mg?"),
        ("On 2 L fluid restriction", "On 2 L fluid restriction"),
        (
            "After heparin, when is the INR true?",
            "After heparin, when is the INR on warfarin true?",
        ),
        ("Heparin and warfarin: INR?", "Heparin and warfarin: INR?"),
        ("Zolumycin in a man with a PEG", "Zolumycin in a man with a feeding tube"),
        ("Is it for the PEG?", "Is it through a nasogastric tube?"),
        ("Is a drink of water allowed?", "Is a drink of water allowed?"),
        ("TST in somebody with BCG vaccination", "TST in somebody with BCG vaccination"),
    ],
)
def test_patients_words_are_read_as_clinical_ones(asked: str, read: str) -> None:
    assert in_clinical_words(asked) == read
