"""Reads a question: what asks in it, of which drugs, for whom, and its parts."""
