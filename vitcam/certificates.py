"""Certificates of other machines, known by their SHA-256: for those that no authority has signed.

`ssl` takes 8 ms, so it is imported where a connection is made: settings are checked without it.
"""

import re
from typing import TYPE_CHECKING

from vitcam.errors import UsageError
from vitcam.text import shortened

if TYPE_CHECKING:
    import socket
    import ssl

FINGERPRINT_WORDS = "the SHA-256 of a certificate: 64 hexadecimal digits, with or without colons"
_FINGERPRINT = re.compile(r"[0-9a-f]{64}")


def read_fingerprint(text: str) -> str:
    """64 hexadecimal digits in lower case, of a text as openssl prints it; or nothing of an empty one.

    raises  UsageError for anything else
    """
    digits = text.rpartition("=")[2].replace(":", "").strip().lower()
    if digits and not _FINGERPRINT.fullmatch(digits):
        raise UsageError(
            f"{shortened(text)!r} is no SHA-256 of a certificate; give 64 hexadecimal digits, as "
            "`openssl x509 -in certificate.pem -noout -fingerprint -sha256` prints them at the other camera"
        )
    return digits


def is_fingerprint(text: str) -> bool:
    """Whether `read_fingerprint` takes it."""
    try:
        return bool(read_fingerprint(text))
    except UsageError:
        return False


def unverified() -> "ssl.SSLContext":
    """TLS that takes every certificate, for those who look at it themselves."""
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def fingerprint_of(line: "ssl.SSLSocket") -> str:
    """SHA-256 of the certificate that the other side has shown, in hexadecimal digits; empty if it has shown none."""
    import hashlib

    certificate = line.getpeercert(binary_form=True)
    return hashlib.sha256(certificate).hexdigest() if certificate else ""


def fingerprint_shown(line: "socket.socket", host: str) -> str:
    """SHA-256 of the certificate that is shown on a new connection, whoever shows it. Closes it. Raises OSError."""
    with line, unverified().wrap_socket(line, server_hostname=host) as secured:
        return fingerprint_of(secured)
