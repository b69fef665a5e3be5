"""Which certificate a camera must have, and TLS with such a camera alone.

Every source has this setting, and few need `ssl`, which takes 8 ms: it is imported where a connection is made.
"""

import errno
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vitcam.certificates import fingerprint_of, fingerprint_shown, unverified

if TYPE_CHECKING:
    import ssl
    from socket import socket

OLD_TLS = ("UNSUPPORTED_PROTOCOL", "TLSV1_ALERT_PROTOCOL_VERSION", "NO_PROTOCOLS_AVAILABLE")
"""`ssl.SSLError.reason` where the other side knows only versions of TLS that are no longer safe."""
_NOT_YET, _EXPIRED, _OWN, _OTHER_NAMES = 9, 10, 18, (62, 64)  # X509_V_ERR_… of openssl/x509_vfy.h
_UNSIGNED = (2, 19, 20, 21)


class CertificateRefused(OSError):
    """A camera's certificate is not trusted. `strerror` is a clause, `advice` another one.

    why   the clause
    when  the beginning of the advice: when to do it
    seen  SHA-256 of the certificate that it has shown
    also  the end of the advice: what can be done instead
    """

    def __init__(self, why: str, seen: str, when: str = "to trust this one and no other", also: str = "") -> None:
        super().__init__(errno.EPROTO, why)
        self.advice = f'{when}, set camera.fingerprint = "{seen}"{also}'


@dataclass(frozen=True, slots=True)
class Trust:
    """The settings of a camera's certificate."""

    fingerprint: str = ""
    """SHA-256 of the only one that is accepted, as `read_fingerprint` gives it. Empty: an authority must have signed
    it, for this host."""
    authority: str = ""
    """PEM file with authorities, or with the certificate itself. Empty: those that this machine knows."""

    def context(self) -> "ssl.SSLContext":
        """For `secured`. Raises OSError where the authority's file cannot be used."""
        import ssl

        if self.fingerprint:
            return unverified()
        try:
            context = ssl.create_default_context(cafile=self.authority or None)
        except OSError as error:  # ssl.SSLError is one
            why = "it holds no certificate in PEM" if isinstance(error, ssl.SSLError) else error.strerror
            raise OSError(errno.EINVAL, f"camera.authority {self.authority} cannot be used: {why}") from error
        if self.authority:  # authorities of households lack what the public ones have
            context.verify_flags = context.verify_flags & ~ssl.VERIFY_X509_STRICT | ssl.VERIFY_X509_PARTIAL_CHAIN
        return context

    def secured(self, context: "ssl.SSLContext", connect: "Callable[[], socket]", host: str) -> "ssl.SSLSocket":
        """TLS with a camera whose certificate is trusted.

        connect  makes a new connection; it is called again to see a certificate that is not trusted
        raises   CertificateRefused; OSError
        """
        import ssl

        try:
            line = context.wrap_socket(connect(), server_hostname=host)
        except ssl.SSLCertVerificationError as error:
            raise _refusal(error, fingerprint_shown(connect(), host)) from error
        seen = fingerprint_of(line)
        if self.fingerprint and seen != self.fingerprint:
            line.close()
            why = "its certificate is not the one that camera.fingerprint names, and another machine may answer there"
            raise CertificateRefused(why, seen, "if the camera has got a new one")
        return line


BY_AUTHORITY = Trust()
"""Certificates that an authority of this machine has signed."""


def speaks_tls(line: "socket", host: str) -> bool:
    """Whether the other side of a new connection answers the beginning of TLS as TLS does. Closes it."""
    import ssl

    try:
        with line, unverified().wrap_socket(line, server_hostname=host):
            return True
    except ssl.SSLError as error:
        return "ALERT" in (error.reason or "") or error.reason in OLD_TLS
    except OSError:
        return False


def _refusal(error: "ssl.SSLCertVerificationError", seen: str) -> CertificateRefused:
    code = error.verify_code
    if code == _OWN:
        return CertificateRefused("its certificate is its own, and no authority has signed it", seen)
    if code in _UNSIGNED:
        also = ", or camera.authority to the PEM file of who has signed it"
        return CertificateRefused("no authority that this machine knows has signed its certificate", seen, also=also)
    if code == _NOT_YET:
        return CertificateRefused("its certificate is not valid yet by the clock of this machine", seen)
    if code == _EXPIRED:
        return CertificateRefused("its certificate has expired", seen)
    if code in _OTHER_NAMES:
        return CertificateRefused("its certificate is for another host name", seen)
    return CertificateRefused(f"its certificate is not accepted ({error.verify_message})", seen)
