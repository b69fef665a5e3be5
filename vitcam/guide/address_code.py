"""An address as a QR code, for a phone's camera: on the page, and on a terminal."""

import io

import segno

_MOST = 500
"""Characters of an address; a longer one makes a code that phones do not read from a screen."""


def svg_code(address: str) -> str:
    """As a picture of modules that are black on white, with the quiet zone that readers need."""
    out = io.BytesIO()
    segno.make_qr(address[:_MOST]).save(out, kind="svg", scale=4, border=4, light="#ffffff", xmldecl=False)
    return out.getvalue().decode("utf-8")


def text_code(address: str) -> str:
    """As lines of half blocks for a terminal."""
    out = io.StringIO()
    segno.make_qr(address[:_MOST]).terminal(out, border=2, compact=True)
    return out.getvalue().rstrip("\n")
