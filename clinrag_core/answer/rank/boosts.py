"""What is added to the score of a statement on exactly what a question asks, and what is near."""

SPECIFIC = 0.3
"""Added to the score of a statement that names all that narrows the question."""
ALL = 2.0
"""Times `SPECIFIC` where a statement names each of several things that narrow the question, by
judgement: "smear positive, amplification negative" is nearer than either."""
BOTH = 2.0
"""Added where a statement speaks of both diseases of one patient, by judgement: what is said of one
of them alone need not hold."""
DECISIVE = 0.6
"""Added instead where a statement gives the very people their dose, or decides whether they may
have it; by judgement: what to measure before a dose comes after it."""
CONCLUSIVE = 1.2
"""Added where a statement forbids the route asked about, or gives the limit of the measure asked
for, by judgement: before doses by other routes and all that only names the measure."""
RESISTANT = 0.75
"""Taken from what is said of resistant disease where that is not asked about: more than `DECISIVE`,
since a disease of the field adds to it; by judgement."""
OTHER_FORM = 1.5
"""Taken from what is said of tablets where capsules are asked about, by judgement: it is of another
product, however near to the words of the question."""
FIRST = 4.0
"""Times `SPECIFIC` that is added where a statement says what comes first, and that is asked for, by
judgement: "highest priority" is far from "who comes first" for an encoder."""
CHOSEN = 6.0
"""Times `SPECIFIC` where a statement says which of two tests is preferred for the people asked
about, by judgement."""
TOPIC = 0.6
"""Added to a dose for the share of a question's other words that it or its headings say: as much as
`DECISIVE`, by judgement."""
USUAL_ADULT = 3.0
"""Added where a label says that this is the usual dose of adults and nobody is asked about, by
judgement: rows of weights are nearer to "what is the dose" for an encoder."""
COVERED = 0.4
"""Share of the weight of a question's words that a statement says which decides what it asks."""
NEAR = 0.85
"""Share of the best score from which a statement next to another, or a newer one, counts with it:
on dev, joined sentences gain .01 of the vital facts from .75 to .85, with ten words more."""
