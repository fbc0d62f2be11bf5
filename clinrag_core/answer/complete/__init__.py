"""Joins what belongs to a statement and says with it: a list, a table, the next sentence."""
