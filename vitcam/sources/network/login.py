"""How a camera wants to be logged in to: the challenges of its 401, the best of them, and the answer to it.

Of the libraries that were looked at none reads every challenge. aiohttp's DigestAuthMiddleware takes the first one of
the first header, and its `domain` may lead user and password to other hosts; requests and httpx are alike. So what is
offered is read here, and only the digests of RFC 7616 are computed.
"""

import hashlib
import re
import secrets
from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.request import parse_http_list

_HASHES = {"SHA-512-256": "sha512_256", "SHA-256": "sha256", "MD5": "md5"}  # the best first; names as hashlib's
_SESSION = "-SESS"
_UNDERSTOOD = ("auth", "auth-int")  # of `qop`; requests without a body gain nothing by the second
_KNOWN = "Digest with SHA-512-256, SHA-256 or MD5, and Basic"
_WORD = r"[!#$%&'*+.^_`|~\w-]+"
_PART = re.compile(rf"(?:({_WORD})(?!\s*=)(?:\s+|$))?(?:({_WORD})\s*=\s*(.*))?", re.ASCII | re.DOTALL)
_NO_NAME = re.compile(r"[^\w.-]", re.ASCII)
_MOST_NAMED, _LONGEST_NAME = 5, 30


@dataclass(frozen=True, slots=True)
class Challenge:
    """One way to log in that a camera offers (RFC 9110, 11.3)."""

    scheme: str
    """Such as `Digest`, as the camera writes it."""
    parameters: Mapping[str, str]
    """Names in lower case; values without quotes and escapes."""

    @property
    def name(self) -> str:
        """For people: it is untrusted, so it has letters, digits and signs of names only."""
        algorithm = _NO_NAME.sub("", self.parameters.get("algorithm", "")) if self._is("Digest") else ""
        return f"{self.scheme} {algorithm}"[:_LONGEST_NAME].strip()

    @property
    def rank(self) -> int | None:
        """The best has the least; None: it cannot be answered."""
        if self._is("Basic"):
            return len(_HASHES)
        algorithm = self.algorithm.removesuffix(_SESSION)
        if not self._is("Digest") or algorithm not in _HASHES or self.qop is None or not self.parameters.get("nonce"):
            return None
        return list(_HASHES).index(algorithm)

    @property
    def algorithm(self) -> str:
        """Of a digest, in capitals."""
        return self.parameters.get("algorithm", "MD5").upper()

    @property
    def qop(self) -> str | None:
        """What a digest protects: `auth`, `auth-int`, or nothing that is named; None: something unknown."""
        offered = [each.strip().lower() for each in self.parameters.get("qop", "").split(",") if each.strip()]
        return next((each for each in _UNDERSTOOD if each in offered), None if offered else "")

    @property
    def is_stale(self) -> bool:
        """Whether only the nonce was too old, and user and password may be right."""
        return self.parameters.get("stale", "").lower() == "true"

    def _is(self, scheme: str) -> bool:
        return self.scheme.lower() == scheme.lower()


def challenges_of(headers: Iterable[str]) -> list[Challenge]:
    """All that the headers `WWW-Authenticate` offer; one header may hold several challenges."""
    found: list[tuple[str, dict[str, str]]] = []
    for header in headers:
        for part in parse_http_list(_utf8(header)):  # it takes the escapes away
            scheme, name, value = _part(part.strip())
            if scheme:
                found.append((scheme[:_LONGEST_NAME], {}))
            if name and found:
                found[-1][1].setdefault(name.lower(), value.strip().removeprefix('"').removesuffix('"'))
    return [Challenge(scheme, parameters) for scheme, parameters in found]


def _part(text: str) -> tuple[str, str, str]:
    """Scheme, name and value of `SCHEME`, `SCHEME NAME=VALUE` or `NAME=VALUE`; what is missing is empty."""
    match = _PART.match(text)
    scheme, name, value = match.groups("") if match else ("", "", "")
    return scheme, name, value


def _utf8(header: str) -> str:
    """A header, which is read as Latin-1, as the text that was meant."""
    try:
        return header.encode("latin-1").decode()
    except UnicodeError:
        return header


class Login:
    """User and password, and the challenge that they answer.

    After `choose` every request may carry an answer, until the camera wants a new nonce.
    """

    def __init__(self, user: str, password: str) -> None:
        self._user, self._password = user, password
        self._challenge: Challenge | None = None
        self._count = 0

    def choose(self, challenges: list[Challenge]) -> Challenge | None:
        """Take the best challenge, from now on; None if none can be answered."""
        able = [(challenge.rank, challenge) for challenge in challenges if challenge.rank is not None]
        self._challenge = min(able, key=lambda ranked: ranked[0])[1] if able else None
        self._count = 0
        return self._challenge

    def answer(self, method: str, target: str) -> str | None:
        """The value of `Authorization` for a request without a body; None while nothing was asked.

        target  path and query, as they are sent
        """
        challenge = self._challenge
        if challenge is None:
            return None
        if challenge.scheme.lower() == "basic":
            return "Basic " + b64encode(f"{self._user}:{self._password}".encode()).decode()
        return self._digest(challenge, method, target)

    def _digest(self, challenge: Challenge, method: str, target: str) -> str:
        """RFC 7616, 3.4. Text is UTF-8, which `http.client` wants as Latin-1."""
        asked, qop = challenge.parameters, challenge.qop
        self._count += 1
        count, own = f"{self._count:08x}", secrets.token_hex(8)

        def hashed(*parts: str) -> str:
            kind = _HASHES[challenge.algorithm.removesuffix(_SESSION)]
            return hashlib.new(kind, ":".join(parts).encode(), usedforsecurity=False).hexdigest()

        realm, nonce = asked.get("realm", ""), asked["nonce"]
        secret = hashed(self._user, realm, self._password)
        if challenge.algorithm.endswith(_SESSION):
            secret = hashed(secret, nonce, own)
        body = [hashed("")] if qop == "auth-int" else []
        protected = [count, own, qop] if qop else []
        response = hashed(secret, nonce, *protected, hashed(method, target, *body))
        fields = {"username": self._user, "realm": realm, "nonce": nonce, "uri": target, "response": response}
        fields |= {"opaque": asked["opaque"]} if "opaque" in asked else {}
        fields |= {"cnonce": own} if qop or challenge.algorithm.endswith(_SESSION) else {}
        bare = {"algorithm": asked["algorithm"]} if "algorithm" in asked else {}  # old cameras do not know the word
        bare |= {"qop": qop, "nc": count} if qop else {}
        written = [f'{name}="{_escaped(value)}"' for name, value in fields.items()]
        written += [f"{name}={value}" for name, value in bare.items()]
        return ("Digest " + ", ".join(written)).encode().decode("latin-1")


def unknown_methods(challenges: list[Challenge]) -> str:
    """Why none of what a camera offers can be answered: the end of a sentence."""
    names = list(dict.fromkeys(challenge.name for challenge in challenges))[:_MOST_NAMED]
    if not names:
        return "answers 401 Unauthorized, and names no method of login"
    offered = " or ".join(names)
    return f"wants a login by {offered}, and vitcam knows {_KNOWN}; choose one of these in the camera's settings"


def _escaped(value: str) -> str:
    return re.sub(r'(["\\])', r"\\\1", value)
