"""One spelling per word: British and US forms, international and US drug names, plurals.

Every rule is applied to queries and passages alike, so a result only has to be the same for both
spellings; it need not be a word. No stemming beyond the plural.
"""

from __future__ import annotations

import re
from functools import lru_cache

from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.units import WORD_UNITS


def _pairs(table: str) -> dict[str, str]:
    return dict(pair.split("=") for pair in table.split())


# International nonproprietary name on the right; only pairs that name the same substance.
_DRUGS = _pairs("""
rifampin=rifampicin acetaminophen=paracetamol albuterol=salbutamol amoxycillin=amoxicillin
cephalexin=cefalexin cephazolin=cefazolin cephradine=cefradine cephalosporin=cefalosporin
cyclosporine=ciclosporin cyclosporin=ciclosporin epinephrine=adrenaline
norepinephrine=noradrenaline frusemide=furosemide lignocaine=lidocaine methicillin=meticillin
thiacetazone=thioacetazone thiacetazon=thioacetazone benzylpenicillin=penicilling
meperidine=pethidine
""")
_WORDS = _pairs("""
aluminium=aluminum ageing=aging analogue=analog caesarean=cesarean calibre=caliber
catalogue=catalog centre=center centred=centered defence=defense dialogue=dialog
enrolment=enrollment enrol=enroll fibre=fiber fulfil=fulfill fulfilment=fulfillment goitre=goiter
grey=gray homologue=homolog judgement=judgment licence=license manoeuvre=maneuver metre=meter
mould=mold practise=practice programme=program titre=titer vs=versus w/o=without
""")
IRREGULAR_PLURALS = _pairs("""
analyses=analysis appendices=appendix bacilli=bacillus bacteria=bacterium bronchi=bronchus
children=child cocci=coccus crises=crisis criteria=criterion diagnoses=diagnosis emboli=embolus
enterococci=enterococcus feet=foot fungi=fungus headaches=headache hypotheses=hypothesis
indices=index men=man metastases=metastasis mycobacteria=mycobacterium pneumococci=pneumococcus
prognoses=prognosis sequelae=sequela sinuses=sinus staphylococci=staphylococcus stenoses=stenosis
streptococci=streptococcus teeth=tooth thromboses=thrombosis viruses=virus women=woman
""")
"""Irregular and Latin plurals, each with its singular."""
_TABLE = _WORDS | IRREGULAR_PLURALS | _DRUGS | WORD_UNITS

SHORTEST = 3
"""Letters of "gas" and "was": words as short are no plurals."""
LONGEST_IE = 5
"""Letters of "tries": the -ies of words as short comes from -ie ("dies", "ties"), not from -y."""
_NOT_PLURAL = """
aids always ards ascites atlas bias caries diabetes facies gas herpes lens measles mers mumps
overseas pancreas perhaps pseudomonas rabies sars scabies series species trichomonas whereas
"""
_NOT_PLURAL_WORDS = frozenset(_NOT_PLURAL.split())
_OUR = "(?:anti)?tum|arb|behavi|col|fav|flav|harb|hon|hum|lab|neighb|od|rig|vap|vig"
_DOUBLE_L = "cancel|counsel|dial|label|level|model|signal|total|travel"
_RULES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (lazy_re(pattern), replacement)
    for pattern, replacement in (
        (r"sulph", "sulf"),
        (r"aem", "em"),  # anaemia, haemoptysis, bacteraemia, ischaemia, glycaemic
        (r"aetiolog", "etiolog"),
        (r"aesth", "esth"),
        (r"paed", "ped"),
        (r"caec", "cec"),
        (r"faec", "fec"),
        (r"gynaec", "gynec"),
        (r"paenia", "penia"),
        (r"(rrh|pn)oe(?=a|ic)", r"\1e"),  # diarrhoea, dyspnoea
        (r"oesoph", "esoph"),
        (r"(?<!i)oedem", "edem"),  # "angioedema" is right on both sides of the Atlantic
        (r"oestr", "estr"),
        (r"foet", "fet"),
        (r"coeliac", "celiac"),
        (r"leuco", "leuko"),
        (rf"^({_OUR})our", r"\1or"),
        (r"^((?:centi|milli|kilo|micro|deci|nano)?(?:lit|met)|tit|cent|fib)re$", r"\1er"),
        (rf"^({_DOUBLE_L})l(ed|ing|er|or)$", r"\1\2"),
        (r"(?<=[a-z]{3})isation", "ization"),
        (r"lys(e|ed|ing|er)$", r"lyz\1"),  # analyse, catalyse, paralyse
    )
)
# most words contain none of these, and no rule matches without one
_CANDIDATE = lazy_re(r"sulph|[ao]e|leuco|our|re$|ll|is|lys")
_ISE = lazy_re(r"^([a-z]{3,})is(e|ed|er|ing|able)$")
_NUMBERED = lazy_re(r"[a-z]+\d+s")
"""Plurals of names with a number."""
# "exercise", "advise", ...: the s belongs to the stem
_NOT_ISE = """
adv appra arr bru clockw compr comprom counterclockw cru dem dev disgu enterpr exc exerc expert
franch improv likew otherw parad pra prec prem prom rev superv surpr telev
"""
_NOT_ISE_STEMS = frozenset(_NOT_ISE.split())


def _british_to_us(word: str) -> str:
    if not _CANDIDATE.search(word):
        return word
    for pattern, replacement in _RULES:
        word = pattern.sub(replacement, word)
    if (match := _ISE.match(word)) and match[1] not in _NOT_ISE_STEMS:
        return f"{match[1]}iz{match[2]}"
    return word


def _singular(word: str) -> str:
    """Return a word without a plural s; never from -ss, -us, -is or words of three letters."""
    if len(word) <= SHORTEST or not word.endswith("s") or word in _NOT_PLURAL_WORDS:
        return word
    if word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > LONGEST_IE:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "shes", "ches")):
        return word[:-2]
    return word[:-1]


@lru_cache(maxsize=65536)
def unify_spelling(word: str) -> str:
    """Return the one spelling of a word folded by `normalise.fold`.

    "tumours" -> "tumor", "rifampin" -> "rifampicin", "haemoptysis" -> "hemoptysis",
    "randomised" -> "randomized", "studies" -> "study", "bacilli" -> "bacillus",
    "microgram" -> "mcg", "n95s" -> "n95". Other words with digits are left as they are.
    """
    if word in _TABLE:
        return _TABLE[word]
    if _NUMBERED.fullmatch(word):
        return word[:-1]
    if not word.isalpha() or not word.isascii():
        return word
    word = _singular(word)
    word = _TABLE.get(word, word)
    word = _british_to_us(word)
    return _TABLE.get(word, word)
