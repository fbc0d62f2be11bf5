"""Whether a statement is about what a question asks; what a statement says, as slots."""
