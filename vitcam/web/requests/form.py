"""A field of a form, found in the whole body (multipart/form-data, RFC 7578 and RFC 2046, 5.1).

Time grows with the body's length alone, whatever is in it: what a part holds is never looked into.
"""

from email.message import Message
from email.parser import BytesHeaderParser
from email.utils import collapse_rfc2231_value

from vitcam.errors import UsageError
from vitcam.web.requests.body import Body

MAX_PARTS = 16
MAX_HEAD = 2048  # bytes of one part's headers
MAX_BEFORE = 1024  # bytes before the first part
_MAX_BOUNDARY = 70  # characters, as RFC 2046 has it


def is_form(body: Body) -> bool:
    """Whether the body says that it is a form."""
    return body.content_type.strip().lower().startswith("multipart/")


def read_field(body: Body, name: str) -> bytes:
    """What the form's first field of that name holds. Raises UsageError for a form without it, or a broken one."""
    data, delimiter = body.data, b"\r\n--" + _boundary(body)
    at = len(delimiter) - 2 if data.startswith(delimiter[2:]) else _after(data, delimiter, 0, MAX_BEFORE)
    for _ in range(MAX_PARTS):
        if data.startswith(b"--", at):
            raise UsageError(f"the form has no field {name!r}; send the photo under that name")
        head_end = _after(data, b"\r\n\r\n", at, MAX_HEAD)
        part_end = _after(data, delimiter, head_end, len(data))
        if _name_of(data[at:head_end]) == name:
            return data[head_end : part_end - len(delimiter)]
        at = part_end
    raise UsageError(f"the form has more than {MAX_PARTS} fields; send the photo as its field {name!r} alone")


def _after(data: bytes, wanted: bytes, start: int, within: int) -> int:
    """Where `wanted` ends that stands at most `within` bytes after `start`."""
    found = data.find(wanted, start, start + within + len(wanted))
    if found < 0:
        raise UsageError("the form is cut off, or not as its headers say; send the photo as the body")
    return found + len(wanted)


def _boundary(body: Body) -> bytes:
    header = Message()
    header["Content-Type"] = body.content_type
    boundary = header.get_boundary() or ""
    if not (boundary.isascii() and 0 < len(boundary) <= _MAX_BOUNDARY):
        raise UsageError(f"the form's header names no boundary of 1 to {_MAX_BOUNDARY} ASCII characters; send one")
    return boundary.encode()


def _name_of(head: bytes) -> str | None:
    found = BytesHeaderParser().parsebytes(head.lstrip()).get_param("name", header="Content-Disposition")
    return None if found is None else collapse_rfc2231_value(found)
