"""A folder of small documents as a person might have it: PDFs, a label in SPL, one of openFDA."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pymupdf

if TYPE_CHECKING:
    from pathlib import Path

PDFS = {
    "tb-treatment.pdf": (
        "Treatment of tuberculosis in adults",
        "Standard regimen",
        "Adults with drug-susceptible pulmonary tuberculosis take isoniazid, rifampicin, "
        "pyrazinamide and ethambutol for two months, then isoniazid and rifampicin for four "
        "months. The whole treatment lasts six months. Isoniazid 300 mg is taken once daily.",
    ),
    "tb-testing.pdf": (
        "Testing for tuberculosis",
        "Sputum",
        "A sputum culture confirms pulmonary tuberculosis. A rapid molecular test is done first in "
        "every adult with a cough of two weeks or more. A chest radiograph is done as well.",
    ),
    "tb-isolation.pdf": (
        "Infection control in tuberculosis",
        "Isolation",
        "Patients with infectious pulmonary tuberculosis are cared for in a single room with good "
        "ventilation. Health workers who enter the room wear a particulate respirator.",
    ),
}
SPL = """<?xml version="1.0" encoding="UTF-8"?>
<document xmlns="urn:hl7-org:v3">
  <id root="99999999-0000-4000-8000-000000000001"/>
  <code code="34391-3" codeSystem="2.16.840.1.113883.6.1"/>
  <title>PYRAZINAMIDE tablets</title>
  <effectiveTime value="20240131"/>
  <setId root="0f1e2d3c-0000-4000-8000-00000000000a"/>
  <versionNumber value="7"/>
  <component><structuredBody>
    <component><section><id root="11111111-2222-4333-8444-555555555551"/>
      <subject><manufacturedProduct><manufacturedProduct>
        <name>Pyrazinamide</name><formCode displayName="TABLET"/>
        <ingredient classCode="ACTIB"><ingredientSubstance><name>PYRAZINAMIDE</name>
          <activeMoiety><activeMoiety><name>PYRAZINAMIDE</name></activeMoiety></activeMoiety>
        </ingredientSubstance></ingredient>
      </manufacturedProduct></manufacturedProduct></subject>
    </section></component>
    <component><section><id root="11111111-2222-4333-8444-555555555552"/>
      <code code="34068-7" codeSystem="2.16.840.1.113883.6.1"/>
      <title>DOSAGE AND ADMINISTRATION</title>
      <text><paragraph>The usual dose of pyrazinamide in adults is 15 to 30 mg/kg once daily. Do not
      exceed 3 g per day.</paragraph></text>
    </section></component>
  </structuredBody></component>
</document>
"""
OPENFDA = {
    "results": [
        {
            "set_id": "0f1e2d3c-0000-4000-8000-00000000000b",
            "version": "3",
            "effective_time": "20230401",
            "indications_and_usage": [
                "INDICATIONS AND USAGE Isoniazid tablets are indicated for tuberculosis in adults."
            ],
            "dosage_and_administration": [
                "DOSAGE AND ADMINISTRATION The recommended dose of isoniazid in adults is 5 mg/kg "
                "up to 300 mg daily in a single dose."
            ],
            "openfda": {"generic_name": ["ISONIAZID"], "substance_name": ["ISONIAZID"]},
        }
    ]
}


def write_own_folder(folder: Path) -> None:
    """Write three PDFs, two labels and a file that cannot be used."""
    folder.mkdir(parents=True)
    for name, (title, heading, text) in PDFS.items():
        with pymupdf.open() as document:
            page = document.new_page()
            page.insert_text((72, 100), title, fontsize=24)
            page.insert_text((72, 160), heading, fontsize=16)
            page.insert_textbox((72, 180, 520, 500), text, fontsize=11)
            document.save(folder / name)
    (folder / "pyrazinamide.xml").write_text(SPL)
    (folder / "isoniazid.json").write_text(json.dumps(OPENFDA))
    (folder / "photo.jpg").write_bytes(b"\xff\xd8\xff\xe0\0\0\0\0")
