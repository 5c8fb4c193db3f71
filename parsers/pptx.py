"""PowerPoint decks: slide by slide in the deck's order, shapes as they are read, notes after their slide."""

from __future__ import annotations

from kprep.core.errors import CorruptDocument
from kprep.core.models import Element, Locator, ParsedDocument, ParserSpec, RawDocument, SourceUnit
from parsers.attachments import embedded_in
from parsers.comments import comment_elements, comments_beside
from parsers.docx_charts import chart_elements
from parsers.docx_xml import Node, Package, attribute, child, local
from parsers.office_properties import core_properties
from parsers.omml import latex

NAME = "pptx"
VERSION = 6
MAIN = "ppt/presentation.xml"
MAX_SLIDES = 5000
_MAIN_PART = "application/vnd.openxmlformats-officedocument.presentationml."


def parse(raw: RawDocument) -> ParsedDocument:
    """Elements in reading order with `slide` (from 1, hidden slides counted) and a `SourceUnit` for each slide.

    Of a slide: title, shapes from top to bottom and left to right (groups as wholes), charts as the tables behind
    them, then the speaker's notes, then comments (fragments `comment`). What stands on a slide that is not shown is
    `hidden`. Raises: TooLarge, EncryptedDocument, CorruptDocument."""
    from parsers.pptx_slide import SlideReader

    package = Package(raw.content, raw.uri, MAIN)
    elements: list[Element] = []
    units: list[SourceUnit] = []
    for number, part in enumerate(slide_parts(package), 1):
        found = [
            *SlideReader(package, part, number).elements(),
            *comment_elements(package, part, Locator(slide=number)),
        ]
        elements.extend(found)
        units.append(SourceUnit("slide", number, "ok" if found else "no_text", sum(len(e.text) for e in found)))
    return ParsedDocument(
        uri=raw.uri,
        media_type=raw.media_type,
        parser=f"{NAME}@{VERSION}",
        elements=tuple(elements),
        units=(*units, *embedded_in(package.names())),
        metadata=core_properties(package.xml("docProps/core.xml")),
    )


def slide_parts(package: Package) -> list[str]:
    """Names of the slides' parts in the order of the deck. Raises: CorruptDocument when one is missing."""
    targets = package.relations(package.main)
    listed = child(package.document(), "sldIdLst")
    parts: list[str] = []
    for entry in listed if listed is not None else ():
        kind, target = targets.get(_relation(entry), ("", ""))
        if kind != "slide" or target not in package.names():
            raise CorruptDocument(f"{package.uri}: slide {len(parts) + 1} is missing", uri=package.uri)
        parts.append(target)
    if len(parts) > MAX_SLIDES:
        raise CorruptDocument(f"{package.uri}: {len(parts)} slides, at most {MAX_SLIDES} are read", uri=package.uri)
    return parts


def _relation(entry: Node) -> str:
    """The relation id: the `id` in the namespace of relations, not the slide's own."""
    return next((str(value) for key, value in entry.attrib.items() if "}" in key and key.endswith("}id")), "")


def quote(content: bytes, locator: Locator) -> str:
    """All words of the slide, its charts, drawings and notes, read afresh; without a slide, of all slides."""
    package = Package(content, "the document", MAIN)
    parts = slide_parts(package)
    chosen = parts if locator.slide is None else parts[locator.slide - 1 : locator.slide]
    said: list[str] = []
    for part in chosen:
        related = [(kind, target) for kind, target in package.relations(part).values() if kind in _QUOTED]
        for kind, name in (("slide", part), *related):
            root = package.xml(name)
            if root is not None:
                drawn = chart_elements(root, locator) if kind == "chart" else []
                said += [*_words(root), *(element.text for element in drawn)]
        said.extend(text for _, text in comments_beside(package, part))
    return "\n".join(said)


_QUOTED = {"notesSlide", "chart", "diagramData"}


def _words(root: Node) -> list[str]:
    """Paragraphs, values of charts and descriptions of pictures."""
    said: list[str] = []
    for node in root.iter():
        name = local(node)
        if name == "p":
            said.append("".join(inner.text or "" for inner in node.iter() if local(inner) == "t"))
        elif name == "v":
            said.append(node.text or "")
        elif name == "cNvPr":
            said.append(attribute(node, "descr") or "")
        elif name == "oMath":
            said.append(latex(node))
    return said


PARSER = ParserSpec(
    NAME,
    VERSION,
    (
        _MAIN_PART + "presentation",
        _MAIN_PART + "slideshow",
        _MAIN_PART + "template",
        "application/vnd.ms-powerpoint.presentation.macroenabled.12",
        "application/vnd.ms-powerpoint.slideshow.macroenabled.12",
    ),
    parse,
    quote,
)
