"""The statements that an answer is made from, part by part of the question."""
