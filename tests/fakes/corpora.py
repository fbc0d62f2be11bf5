"""Manifests, labels and listings of a small corpus, as a test writes them."""

from __future__ import annotations

import json

PDF = b"%PDF-1.7\n1 0 obj\n%%EOF\n"
QUERY = 'query = { drug_name = "isoniazid" }'
HEAD = '[corpus]\nname = "c"\n'
GUIDELINE = """
[[guideline]]
id = "{id}"
title = "T"
organisation = "WHO"
topics = ["tb"]
format = "{form}"
licence = "CC BY"
{more}
"""


def guideline(more, slug="g-1", form="pdf"):
    return GUIDELINE.format(id=slug, more=more, form=form)


def label(drug, more, form="spl"):
    return f'\n[[label]]\ndrug = "{drug}"\nformat = "{form}"\n{more}\n'


def set_id(n):
    return f"00000000-0000-0000-0000-{n:012d}"


def spl(n=1, version=1, type_code="34391-3"):
    return (
        f'<document xmlns="urn:hl7-org:v3"><id root="x"/><code code="{type_code}"/>'
        f'<setId root="{set_id(n)}"/><versionNumber value="{version}"/></document>'
    ).encode()


def listing(*rows):
    data = [
        {"setid": set_id(n), "spl_version": v, "title": t, "published_date": "Aug 09, 2023"}
        for n, v, t in rows
    ]
    meta = {"total_elements": len(data), "total_pages": 1, "current_page": 1}
    return json.dumps({"data": data, "metadata": meta}).encode()


def ledger(workspace):
    path = workspace.files / "ledger.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def entry(acquirer, slug="g-1"):
    return next(one for one in acquirer._manifest.guidelines if one.id == slug)


def files_of(acquirer, drug):
    return acquirer.files(acquirer._manifest.drugs[drug])


def get(acquirer, slug="g-1"):
    return acquirer.acquire(entry(acquirer, slug))
