"""An address as a QR code, for a phone's camera: on the page, and on a terminal."""

import io
from typing import Any

_MOST = 500
"""Characters of an address; a longer one makes a code that phones do not read from a screen."""


def svg_code(address: str) -> str:
    """As a picture of modules that are black on white, with the quiet zone that readers need."""
    out = io.BytesIO()
    _code(address).save(out, kind="svg", scale=4, border=4, light="#ffffff", xmldecl=False)
    return out.getvalue().decode("utf-8")


def text_code(address: str) -> str:
    """As lines of half blocks for a terminal."""
    out = io.StringIO()
    _code(address).terminal(out, border=2, compact=True)
    return out.getvalue().rstrip("\n")


def _code(address: str) -> Any:
    import segno  # 0.7 MB with the parts of `xml` that it needs; few daemons are ever asked for a code

    return segno.make_qr(address[:_MOST])
