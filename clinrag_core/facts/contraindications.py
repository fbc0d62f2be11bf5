"""Reads the cell of a table row that lists whom a drug is not for."""

from __future__ import annotations

import re

from clinrag_core.text.expressions import lazy_re

CONTRAINDICATIONS = lazy_re(r"\bcontra-?indications?:\s*(?P<cell>[^;]*)", re.IGNORECASE)
"""The heading with its cell, of a row written as "Heading: cell; heading: cell".

It forbids the drug to those it lists and to nobody else.
"""
