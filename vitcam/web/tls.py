"""TLS with the user's certificate, which is read again when its files change."""

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from vitcam.errors import ConfigError
from vitcam.storage.files import Stamp, stamp_of
from vitcam.storage.reading import read_file

_MOST_BYTES = 2**20

if TYPE_CHECKING:
    import ssl

HANDSHAKE_TIMEOUT_S = 10.0
SHUTDOWN_TIMEOUT_S = 2.0  # for a client to say that it has understood the end

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CertificateFiles:
    """PEM files."""

    certificate: Path
    """The certificate, followed by those that lead to a known authority."""
    key: Path | None
    """The private key; None: it is in the file of the certificate."""

    @classmethod
    def named(cls, certificate: str, key: str) -> Self | None:
        """As settings name them; None without any. Raises ConfigError if there is only a key."""
        if certificate:
            return cls(Path(certificate), Path(key) if key else None)
        if key:
            raise ConfigError("web.key is set, and web.certificate is not; set both for https, or none for http")
        return None

    def context(self) -> "ssl.SSLContext":
        """For a server. Raises ConfigError if the files cannot be used."""
        import ssl  # few daemons serve https

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        for path in (self.certificate, self.key):
            if path is not None:
                _check_readable(path)
        try:
            # an encrypted key would make OpenSSL ask on the terminal
            context.load_cert_chain(self.certificate, self.key, password=_no_password)
        except ValueError as error:
            raise ConfigError(f"{self._key_file} is encrypted; remove its passphrase with `openssl pkey`") from error
        except ssl.SSLError as error:
            raise ConfigError(
                f"{self.certificate} and {self._key_file} are not a PEM certificate and its private key "
                f"({error.reason or 'not readable'}); check web.certificate and web.key"
            ) from error
        return context

    def stamp(self) -> Stamp:
        """Changes whenever one of the files does. Asks the disk."""
        return stamp_of((self.certificate, self._key_file))

    @property
    def _key_file(self) -> Path:
        return self.key or self.certificate


class Certificate:
    """The certificate in force: `context` serves each new connection with the newest one.

    raises  ConfigError if the files cannot be used at the start
    """

    def __init__(self, files: CertificateFiles) -> None:
        self._files = files
        self._seen = files.stamp()
        self.context = self._newest = files.context()
        # Loading files into a context that is in use would refuse who connects between certificate and key.
        self.context.sni_callback = self._take_newest

    def refresh(self) -> None:
        """Take a new certificate if its files changed. One that cannot be used is logged, and the old one stays."""
        seen = self._files.stamp()
        if seen == self._seen:
            return
        self._seen = seen
        try:
            self._newest = self._files.context()
        except ConfigError as error:
            log.warning("%s; the old certificate stays in use", error)
        else:
            log.info("the certificate in %s is in use for new connections", self._files.certificate)

    def _take_newest(self, connection: "ssl.SSLObject", _name: str | None, _context: "ssl.SSLContext") -> None:
        """Called in each handshake, before a certificate is sent; also for a client that names no server."""
        connection.context = self._newest


def _check_readable(path: Path) -> None:
    try:
        read_file(path, _MOST_BYTES)
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}; check web.certificate and web.key") from error


def _no_password() -> str:
    raise ValueError("encrypted")
