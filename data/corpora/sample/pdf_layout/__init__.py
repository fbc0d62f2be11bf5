"""Layout library of the sample corpus: light markup in, PDF pages like a guideline's out."""
