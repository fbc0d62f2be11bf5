"""Words that a full stop belongs to, and words that begin sentences.

Data of the sentence splitter. A new entry needs a case in `golden_sentences.toml`.
"""

from __future__ import annotations


def _words(table: str) -> frozenset[str]:
    """Return the words of a table, without the full stops of its abbreviations."""
    return frozenset(word.rstrip(".") for word in table.split())


NEVER_END = _words("""
approx. ca. cf. circa e.g. eg. eq. esp. excl. fig. figs. i.e. ie. incl. ref. refs. resp. sec. sect.
tbl. v. viz. vol. vols. vs. w.
""")
"""Their stop never ends a sentence: what they introduce must follow ("vs. placebo")."""

TITLES = _words("Dr Drs Mr Mrs Ms Mt Prof St Messrs")
"""Before a name, with a capital ("Ms. Lee"; "60 ms." is a unit)."""

BEFORE_NUMBER = _words("""
app. apr. art. aug. ch. chap. dec. feb. jan. jul. jun. mar. no. nos. nov. oct. p. para. pp. reg.
sep. sept.
""")
"""Abbreviations only before a number ("No. 5"), else words."""

MAY_END = _words("""
al. amp. amt. appt. assoc. avg. b.i.d. bid. cap. caps. cc. cm. co. conc. cont. corp. d. d.o.t.
dept. diag. dil. dist. div. dx. ed. eds. equiv. est. etc. ext. fl. freq. ft. g. gen. gm. govt. gr.
gtt. h. hosp. hr. hrs. ht. hx. hyg. i.d. i.m. i.v. im. inc. inf. info. inj. inst. intl. iv. kg. l.
lab. lb. lbs. liq. ltd. m. max. mcg. med. meds. mg. min. mins. misc. ml. mm. mo. mos. mth. mths. n.
n.b. nat. natl. neg. o.d. oz. p.m. p.o. p.r.n. pos. pt. pts. q.d. q.h. q.i.d. q.o.d. qty. rec. rel.
rx. s.c. s.q. sc. sci. sol. soln. sp. spp. sq. subcut. subsp. supp. susp. sx. syr. t.i.d. tab.
tabs. temp. tid. tot. tsp. tx. univ. var. wk. wks. wt. x. y. yr. yrs.
""")
"""Their stop ends a sentence only before a capital letter."""

LETTERED = _words("""
annex appendix arm box category class factor figure grade group groups hepatitis influenza level
module panel part phase pugh regimen schedule stage step table type types vitamin vitamins
""")
"""Words after which a single capital is a name ("hepatitis B."), not an initial."""

STARTERS = _words("""
a about according add additional adjust administer administration adults adverse after all although
an and any are as ask assess at avoid based be because before both but by call can caution check
children clinical clinicians common consider continue contraindicated data decrease despite details
did discontinue discuss do doctors does dosage dose doses dosing drug drugs due during each early
educate either ensure even evidence examples except exclude finally first follow for from further
furthermore general give given giving guidelines had have he health healthcare her his how however
hypersensitivity i if in include increase indeed infants inform initiate instead instruct is
isolate it its keep later limit long many may measure mild moderate monitor monitoring more
moreover most multiple must nearly nevertheless next no none nor note obtain of often on once one
only or other others our over overall patients people perform physicians please pregnant prescribe
previous prior provide providers rare read recent recommended reduce refer regardless renal repeat
report reports resistance results review risk safety second see serious several severe she should
side similar since so some start stop store studies such swallow symptoms take tell test testing
that the their then there therefore these they third this those three thus to together treat
treatment two under unless until upon usage use using usually warn was we were what when where
whereas whether which while who why with within without women you your
""")
"""Words that, with a capital, show that a new sentence begins."""

JOINERS = _words("""
a about above after against all an and any are as at be been before below between both but by can
could did do does during each either every for from had has have if in including into is its may
might more must no not of on onto or our over per several shall should such than that the their
these this those through to under until upon versus via vs was were when where whether which while
who whose will with within without would your
""")
"""Words no line of prose ends with: the next line goes on with the sentence."""

CONTINUERS = _words("""
and as at because but by for from if in including into nor of on or per than that to unless until
when where which while who whose with within without
""")
"""Words that, in lower case at the start of a line, go on with the sentence above."""
