"""The address of a picture as somebody typed it, or as a server leads to it: checked before anything is asked."""

from dataclasses import dataclass
from typing import Self
from urllib.parse import SplitResult, quote, urljoin, urlsplit

from vitcam.errors import UsageError

PORTS = (80, 443)
_USUAL = {"http": 80, "https": 443}
_LONGEST = 2048  # characters
_EXAMPLE = "give one like https://example.org/cat.jpg"
_KEPT = "%/:;=@!$&'()*+,~?"  # of a path and a query, beside letters and digits


@dataclass(frozen=True, slots=True)
class PictureUrl:
    """An address by http or https, without user and password."""

    parts: SplitResult
    """Its host in ASCII, its path and query as a request sends them."""

    @classmethod
    def of(cls, text: str, ports: tuple[int, ...] = PORTS) -> Self:
        """Raises UsageError for anything else.

        ports  that may be asked
        """
        text = text.strip()
        if len(text) > _LONGEST:
            raise UsageError(f"the address has {len(text):,} characters; at most {_LONGEST:,} are allowed")
        if any(character.isspace() or not character.isprintable() or character == "\\" for character in text):
            raise UsageError(f"the address has a space, a backslash or a control character in it; {_EXAMPLE}")
        try:
            parts = urlsplit(text)
            host, port = parts.hostname or "", parts.port
        except ValueError:
            raise UsageError(f"this is not a valid address; {_EXAMPLE}") from None
        if parts.scheme not in _USUAL:
            raise UsageError(f"the address begins with {parts.scheme[:20]!r}; only http and https are allowed")
        if "@" in parts.netloc:
            raise UsageError("the address has a user or a password in it; only pictures that need none can be fetched")
        host = _ascii(host)
        port = _USUAL[parts.scheme] if port is None else port
        if port not in ports:
            allowed = " and ".join(map(str, ports))
            raise UsageError(f"the address names port {port}; only {allowed} are allowed")
        netloc = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        path, query = quote(parts.path or "/", _KEPT), quote(parts.query, _KEPT)
        return cls(SplitResult(parts.scheme, netloc, path, query, ""))

    def leads_to(self, location: str, ports: tuple[int, ...] = PORTS) -> "PictureUrl":
        """Where a redirect of this address leads. Raises UsageError, as `of` does."""
        try:
            target = urljoin(self.parts.geturl(), location)
        except ValueError:
            raise UsageError(f"{self.host} leads to something that is not an address; {_EXAMPLE}") from None
        return PictureUrl.of(target, ports)

    @property
    def host(self) -> str:
        return self.parts.hostname or ""

    @property
    def target(self) -> str:
        """What the request's first line asks for."""
        return f"{self.parts.path}?{self.parts.query}" if self.parts.query else self.parts.path


def _ascii(host: str) -> str:
    """A host's name as it is looked up. Wide digits and other dots become usual ones, so it is looked at only then."""
    try:
        name = host.encode("ascii").decode() if host.isascii() else host.encode("idna").decode()
    except UnicodeError:
        name = ""
    if not name or "%" in name:
        raise UsageError(f"the address names no host; {_EXAMPLE}")
    return name
