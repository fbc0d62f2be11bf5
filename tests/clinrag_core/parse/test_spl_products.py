"""Coded products: today's schema, that of 2005, kits and repackagers."""

from __future__ import annotations

import pytest

SALT = """<ingredient classCode="{cls}"><quantity><numerator value="300" unit="mg"/>
<denominator value="1" unit="1"/></quantity><ingredientSubstance><code code="UNII000001"/>
<name>TESTAZID SODIUM</name><activeMoiety><activeMoiety><name>TESTAZID</name></activeMoiety>
</activeMoiety></ingredientSubstance></ingredient>"""
INACTIVE = """<ingredient classCode="IACT"><ingredientSubstance><name>TALC</name>
</ingredientSubstance></ingredient>"""
APPROVAL = """<subjectOf><approval><id extension="{number}"/><code code="C73594" displayName="NDA"/>
</approval></subjectOf>"""
ROUTE = """<consumedIn><substanceAdministration><routeCode displayName="ORAL"/>
</substanceAdministration></consumedIn>"""


def product(inner: str, outer: str = "", tag: str = "manufacturedProduct") -> str:
    return (
        f"<subject><manufacturedProduct><{tag}>{inner}</{tag}>{outer}"
        "</manufacturedProduct></subject>"
    )


@pytest.fixture
def label(parse, section):
    def read(subjects: str):
        body = section("48780-1", extra=subjects)
        return parse(body + section("34067-9", "USES", "<paragraph>Uses.</paragraph>")).label

    return read


@pytest.mark.parametrize("cls", ["ACTIB", "ACTIM", "ACTIR"])
def test_product(label, cls):
    inner = (
        '<code code="0001-0002"/><name>Testaz <suffix>XR</suffix></name>'
        '<formCode displayName="TABLET"/><asEntityWithGeneric><genericMedicine><name>testazid'
        "</name></genericMedicine></asEntityWithGeneric>"
        + SALT.format(cls=cls)
        + INACTIVE
        + '<asContent><containerPackagedProduct><code code="0001-0002-03"/><asContent>'
        '<containerPackagedProduct><code code="0001-0002-04"/></containerPackagedProduct>'
        "</asContent></containerPackagedProduct></asContent>"
    )
    (found,) = label(product(inner, APPROVAL.format(number="NDA000001") + ROUTE)).products
    assert found.name == "Testaz XR"
    assert found.generic_names == ("testazid",)
    assert (found.ndc, found.form, found.routes) == ("0001-0002", "TABLET", ("ORAL",))
    assert found.package_ndcs == ("0001-0002-03", "0001-0002-04")
    assert found.applications == ("NDA000001",)
    (active,) = found.actives
    assert active.substance == "TESTAZID SODIUM"
    assert active.moieties == ("TESTAZID",)
    assert (active.unii, active.strength) == ("UNII000001", "300 mg / 1")


def test_schema_of_2005(label):
    inner = (
        '<code code="0001-0002"/><name>Testaz</name><activeIngredient><quantity><numerator '
        'value="2.5" unit="mg"/><denominator value="1" unit="mL"/></quantity>'
        '<activeIngredientSubstance><code code="U"/><name>Testazid</name>'
        "</activeIngredientSubstance></activeIngredient><inactiveIngredient>"
        "<inactiveIngredientSubstance><name>talc</name></inactiveIngredientSubstance>"
        "</inactiveIngredient><asContent><containerPackagedMedicine><code code='0001-0002-03'/>"
        "</containerPackagedMedicine></asContent>"
    )
    (found,) = label(product(inner, tag="manufacturedMedicine")).products
    assert [(a.substance, a.strength) for a in found.actives] == [("Testazid", "2.5 mg / 1 mL")]
    assert found.package_ndcs == ("0001-0002-03",)


def test_kit_has_the_ingredients_of_its_parts_and_its_own_application(label):
    wipe = SALT.format(cls="ACTIB").replace("TESTAZID SODIUM", "ISOPROPYL ALCOHOL")
    wipe = wipe.replace("TESTAZID", "ISOPROPYL ALCOHOL")
    parts = "".join(
        f"<part><partProduct><formCode displayName='SWAB'/>{ingredient}</partProduct>"
        f"{APPROVAL.format(number=number)}</part>"
        for ingredient, number in ((SALT.format(cls="ACTIM"), "NDA000001"), (wipe, "PART333"))
    )
    inner = (
        '<name>Testaz Kit</name><formCode displayName="KIT"/><asEntityWithGeneric>'
        "<genericMedicine><name>testazid</name></genericMedicine></asEntityWithGeneric>" + parts
    )
    found = label(product(inner, APPROVAL.format(number="NDA000001")))
    (kit,) = found.products
    assert kit.parts == 2
    assert [a.substance for a in kit.actives] == ["TESTAZID SODIUM", "ISOPROPYL ALCOHOL"]
    assert kit.applications == ("NDA000001",)
    assert "testazid" in found.names
    assert "isopropyl alcohol" not in found.names


def test_repackager_names_its_source(label):
    inner = (
        "<name>Testaz</name><asEquivalentEntity><code code='C64637'/><definingMaterialKind>"
        "<code code='0002-0003'/></definingMaterialKind></asEquivalentEntity>"
    )
    assert label(product(inner)).products[0].source_ndcs == ("0002-0003",)


def test_combination_lists_every_moiety(label):
    second = SALT.format(cls="ACTIB").replace("TESTAZID SODIUM", "RIFAMPIN")
    second = second.replace("TESTAZID", "RIFAMPIN")
    names = label(product("<name>Duo</name>" + SALT.format(cls="ACTIM") + second)).names
    assert {"duo", "testazid", "testazid sodium", "rifampin", "rifampicin"} <= set(names)
    assert list(names) == sorted(set(names))


def test_label_without_products_is_named_by_the_manifest(label):
    assert label("").names == ("testazid",)
