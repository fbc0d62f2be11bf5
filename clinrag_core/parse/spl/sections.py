"""SPL sections: the tree flattened in reading order, each with its own text only.

`loinc` is the effective code: the section's own if it is meaningful, else that of the nearest
section around it. Inside patient labelling it is always the patient document's, whatever codes the
parts have. A boxed warning is accepted only at the top level of a label that is not OTC: deeper
ones are dose lines, tamper seals and lay summaries that have the code by mistake. An untitled
section takes the path of the section around it; at the top level, the plain name of its code.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clinrag_core.lexicon.sections import (
    BOXED_WARNING,
    UNCLASSIFIED,
    is_meaningful,
    plain_name,
    section_group,
    section_info,
)
from clinrag_core.model.document import ParseWarning
from clinrag_core.model.section import Image
from clinrag_core.parse.assemble.flow import Item, Piece, Place, SectionStart
from clinrag_core.parse.assemble.section_roles import ROLES
from clinrag_core.parse.spl.narrative import line_of, read_pieces
from clinrag_core.parse.spl.xml import V3, attribute, children, flat_text, hl7_date, path

if TYPE_CHECKING:
    from clinrag_core.acquire.spl_header import Element


class SectionReader:
    """Reads sections as a flow, and what is odd about them.

    Args:
        images: pictures of the label by the id that the text refers to.
        otc: True for an over-the-counter label, which has no boxed warning.
    """

    def __init__(self, images: dict[str, Image], *, otc: bool) -> None:
        self._images = images
        self._otc = otc
        self.items: list[Item] = []
        self.warnings: list[ParseWarning] = []
        self.has_boxed_warning = False

    def read(self, element: Element, around: SectionStart, *, top: bool) -> None:
        """Emit a section, its highlights, then its subsections.

        `around` is the section that it is in; `top` is True at the top level.
        """
        title_element = element.find(f"{V3}title")
        aside: list[Piece] = []
        title = line_of(title_element, aside) if title_element is not None else ""
        start = self._start(element, around, title, top=top)
        pieces = [piece for text in children(element, "text") for piece in read_pieces(text)]
        self._emit(start, [*aside, *pieces])
        role = start.role if _has_bare_title(element) else "highlights"
        for excerpt in children(element, "excerpt"):
            highlights = [p for t in excerpt.iter(f"{V3}text") for p in read_pieces(t)]
            self._emit(replace(start, role=role), highlights)
        # A section without title, text or meaningful code is no level.
        bare = not title and not flat_text(element.find(f"{V3}text"))
        top = top and bare and start.own_loinc in {None, UNCLASSIFIED}
        for component in children(element, "component"):
            for child in children(component, "section"):
                self.read(child, start, top=top)

    def _emit(self, start: SectionStart, pieces: list[Piece]) -> None:
        self.items.append(start)
        self.items += [self._with_picture(p) if p.kind == "image" else p for p in pieces]

    def _with_picture(self, piece: Piece) -> Piece:
        name = piece.place.xml_id
        image = self._images.get(name or "")
        if image is None:
            self._warn("missing_image", "a picture that the file does not describe", name)
        return replace(piece, image=image)

    def _start(
        self, element: Element, around: SectionStart, title: str, *, top: bool
    ) -> SectionStart:
        """Return the path, code, group and audience of a section, inherited if it has none."""
        code = attribute(element, "code", "code")
        xml_id = element.get("ID") or attribute(element, "id", "root")
        info = section_info(code)
        meaningful = is_meaningful(code)
        if meaningful and info is None:
            self._warn("unknown_section_code", f"section code {code} is not in the table", xml_id)
        believed = meaningful and (
            code != BOXED_WARNING or self._is_box(element, around, xml_id, top=top)
        )
        if not title and top and believed and info:
            title = plain_name(info.name)
        start = replace(
            around,
            path=(*around.path, title) if title else around.path,
            role=ROLES.get(around.group, "body"),
            place=Place(xml_id=xml_id),
            own_loinc=code,
            effective=hl7_date(attribute(element, "effectiveTime", "value")),
        )
        outranked = around.audience == "patient" and not (info and info.audience == "patient")
        if outranked or not believed or code is None:
            return start
        group = section_group(code)
        group = around.group if group == "other" else group
        return replace(
            start,
            loinc=code,
            group=group,
            role=ROLES.get(group, "body"),
            audience=info.audience if info else around.audience,
        )

    def _is_box(
        self, element: Element, around: SectionStart, xml_id: str | None, *, top: bool
    ) -> bool:
        """Return True if a section coded as a boxed warning is one."""
        if not top or self._otc or around.audience == "patient":
            self._warn(
                "miscoded_boxed_warning",
                "coded as a boxed warning but not at the top level of a prescription label",
                xml_id,
            )
            return False
        if _has_words(element):
            self.has_boxed_warning = True
        else:
            self._warn("empty_boxed_warning", "the boxed warning section has no text", xml_id)
        return True

    def _warn(self, code: str, message: str, place: str | None) -> None:
        self.warnings.append(ParseWarning(code=code, message=message, place=place))


def _has_words(element: Element) -> bool:
    """Return True if a section has text other than the alternative text of images."""
    return any(
        flat_text(text)
        for text in element.iter(f"{V3}text")
        if (parent := text.getparent()) is not None and parent.tag != f"{V3}observationMedia"
    )


def _has_bare_title(element: Element) -> bool:
    """Return True if a section in another one has a title and no words below it.

    "4.2 Hypersensitivity to any component" is all that the body says: its highlights say it in
    words, and repeat nothing.
    """
    return any(
        flat_text(one.find(f"{V3}title")) and not _has_words(one)
        for one in element.iter(f"{V3}section")
        if one is not element and one.find(f"{V3}component") is None
    )


def read_sections(root: Element, *, otc: bool) -> SectionReader:
    """Return the sections of a document in reading order, also those without text."""
    images: dict[str, Image] = {}
    for media in root.iter(f"{V3}observationMedia"):
        xml_id, file = media.get("ID"), attribute(media, "value/reference", "value")
        if xml_id and file:
            images[xml_id] = Image(reference=file, alt=flat_text(media.find(f"{V3}text")))
    reader = SectionReader(images, otc=otc)
    for component in root.iterfind(path("component/structuredBody/component")):
        for section in children(component, "section"):
            reader.read(section, SectionStart((), group="other"), top=True)
    return reader
