"""The audit trail of answers: its file, its records and its anchors."""
