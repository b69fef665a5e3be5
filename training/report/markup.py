"""HTML as a tree. Texts and attributes are escaped when it is written, so no label can break the page."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any
from xml.etree.ElementTree import Element, tostring

Node = Element | str


def tag(name: str, /, *children: Node, **attributes: object) -> Element:
    """An element. `class_` is `class`, `aria_label` is `aria-label`; attributes that are None are left out."""
    element = Element(name)
    for key, value in attributes.items():
        if value is not None:
            element.set(key.rstrip("_").replace("_", "-"), f"{value:g}" if isinstance(value, float) else str(value))
    return put(element, *children)


def put(element: Element, *children: Node) -> Element:
    """Append texts and elements; returns the element."""
    for child in children:
        if not isinstance(child, str):
            element.append(child)
        elif len(element):
            element[-1].tail = (element[-1].tail or "") + child
        else:
            element.text = (element.text or "") + child
    return element


def paragraph(*children: Node, class_: str | None = None) -> Element:
    """A paragraph."""
    return tag("p", *children, class_=class_)


def missing(what: str, command: str = "") -> Element:
    """The sentence that stands where an ingredient is not there."""
    return paragraph(what, *([tag("code", command)] if command else []), class_="missing")


def table(caption: str, head: Iterable[str], rows: Iterable[Iterable[Node]], class_: str = "") -> Element:
    """A table whose first column names the row; `head` may be empty where there is but one more."""
    titles = [tag("th", title, scope="col") for title in head]
    top = [tag("thead", tag("tr", *titles))] if titles else []
    body = tag("tbody", *(_row(list(row)) for row in rows))
    inner = tag("table", tag("caption", caption), *top, body, class_=class_ or None)
    return tag("div", inner, class_="wide", tabindex="0", role="region", aria_label=caption)


def _row(cells: list[Node]) -> Element:
    rest = (cell if isinstance(cell, Element) and cell.tag == "td" else tag("td", cell) for cell in cells[1:])
    return tag("tr", tag("th", cells[0], scope="row"), *rest)


def embedded_json(identifier: str, value: Any) -> Element:
    """Data for scripts and tests. `<` is written as an escape of JSON: nothing in it can end the element."""
    text = json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")
    return tag("script", text, type="application/json", id=identifier)


def written(root: Element) -> str:
    """The document as text. What is not a character of Unicode, such as half of a file name's bytes, becomes `?`."""
    text = "<!doctype html>\n" + tostring(root, encoding="unicode", method="html") + "\n"
    return text.encode("utf-8", "replace").decode("utf-8")
