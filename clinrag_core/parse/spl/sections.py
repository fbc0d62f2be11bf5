"""SPL sections: the tree flattened in reading order, each with its own text only.

`loinc` is the effective code: the section's own where it says something, else that of the nearest
section around it. Inside patient labelling it is always the patient document's, whatever codes the
parts carry. A boxed warning is believed only at the top level of a label that is not OTC: deeper
ones are dose lines, tamper seals and lay summaries that carry the code by mistake.

Path: titles from the top down to the section's own. An untitled section takes the path of the
section around it; at the top level, the plain name of its code; a path holds no empty string.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
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
from clinrag_core.parse.spl.narrative import line_of, read_pieces
from clinrag_core.parse.spl.xml import V3, attribute, children, flat_text, hl7_date, path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clinrag_core.model.section import Audience, SectionGroup, SectionRole
    from clinrag_core.parse.spl.xml import Element

_ROLES: dict[SectionGroup, SectionRole] = {
    "product_data": "product_data",
    "recent_changes": "highlights",
    "references": "references",
}


@dataclass(frozen=True)
class _Context:
    """What a section takes over from the sections around it."""

    otc: bool
    path: tuple[str, ...] = ()
    loinc: str | None = None
    group: SectionGroup = "other"
    audience: Audience = "clinician"
    top: bool = True


class SectionReader:
    """Reads sections as a flow, and what is odd about them.

    Args:
        images: pictures of the label, see `read_images`.
    """

    def __init__(self, images: dict[str, Image]) -> None:
        self._images = images
        self.items: list[Item] = []
        self.warnings: list[ParseWarning] = []
        self.has_boxed_warning = False

    def read(self, element: Element, around: _Context) -> None:
        """Emit a section, its highlights, then its subsections."""
        code = attribute(element, "code", "code")
        xml_id = element.get("ID") or attribute(element, "id", "root")
        title_element = element.find(f"{V3}title")
        aside: list[Piece] = []
        title = line_of(title_element, aside) if title_element is not None else ""
        context = self._context(element, around, code, title, xml_id)
        start = SectionStart(
            path=context.path,
            role=_ROLES.get(context.group, "body"),
            place=Place(xml_id=xml_id),
            own_loinc=code,
            loinc=context.loinc,
            group=context.group,
            audience=context.audience,
            effective=hl7_date(attribute(element, "effectiveTime", "value")),
        )
        own = [piece for text in children(element, "text") for piece in read_pieces(text)]
        self._emit(start, [*aside, *own])
        for excerpt in children(element, "excerpt"):
            highlights = [p for t in excerpt.iter(f"{V3}text") for p in read_pieces(t)]
            self._emit(replace(start, role="highlights"), highlights)
        inner = context if _is_wrapper(element, code, title) else replace(context, top=False)
        for child in _subsections(element):
            self.read(child, inner)

    def _emit(self, start: SectionStart, pieces: list[Piece]) -> None:
        self.items.append(start)
        self.items += [self._with_picture(p) if p.kind == "image" else p for p in pieces]

    def _with_picture(self, piece: Piece) -> Piece:
        name = piece.place.xml_id
        image = self._images.get(name or "")
        if image is None:
            self._warn("missing_image", "a picture that the file does not describe", name)
        return replace(piece, image=image)

    def _context(
        self, element: Element, around: _Context, code: str | None, title: str, xml_id: str | None
    ) -> _Context:
        info = section_info(code)
        if is_meaningful(code) and info is None:
            self._warn("unknown_section_code", f"section code {code} is not in the table", xml_id)
        believed = is_meaningful(code) and self._believed(element, around, code, xml_id)
        own = code if believed else None
        names = (title,) if title else ()
        if not names and around.top and own and info:
            names = (plain_name(info.name),)
        context = replace(around, path=(*around.path, *names))
        if around.audience == "patient" and not (info and info.audience == "patient"):
            return context
        if own is None:
            return context
        group = section_group(own)
        return replace(
            context,
            loinc=own,
            group=around.group if group == "other" else group,
            audience=info.audience if info else around.audience,
        )

    def _believed(
        self, element: Element, around: _Context, code: str | None, xml_id: str | None
    ) -> bool:
        """Whether a section is what its code says; only boxed warnings are doubted."""
        if code != BOXED_WARNING:
            return True
        if not around.top or around.otc or around.audience == "patient":
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


def _subsections(element: Element) -> Iterator[Element]:
    for component in children(element, "component"):
        yield from children(component, "section")


def _is_wrapper(element: Element, code: str | None, title: str) -> bool:
    """A section that only holds others, without title, text or meaning: not a level of its own."""
    return code in {None, UNCLASSIFIED} and not title and not flat_text(element.find(f"{V3}text"))


def _has_words(element: Element) -> bool:
    return any(
        flat_text(text)
        for text in element.iter(f"{V3}text")
        if text.getparent() is not None and not _is_alternative(text)
    )


def _is_alternative(text: Element) -> bool:
    """Whether a `text` is the alternative text of an image."""
    parent = text.getparent()
    return parent is not None and parent.tag == f"{V3}observationMedia"


def read_images(root: Element) -> dict[str, Image]:
    """Pictures of a label by the id their places in the text refer to."""
    found: dict[str, Image] = {}
    for media in root.iter(f"{V3}observationMedia"):
        xml_id, file = media.get("ID"), attribute(media, "value/reference", "value")
        if xml_id and file:
            found[xml_id] = Image(reference=file, alt=flat_text(media.find(f"{V3}text")))
    return found


def read_sections(root: Element, *, otc: bool) -> SectionReader:
    """Sections of a document in reading order: every section, also those without text.

    Args:
        root: the `document` element.
        otc: whether it is an over-the-counter label, which has no boxed warning.
    """
    reader = SectionReader(read_images(root))
    for component in root.iterfind(path("component/structuredBody/component")):
        for section in children(component, "section"):
            reader.read(section, _Context(otc=otc))
    return reader
