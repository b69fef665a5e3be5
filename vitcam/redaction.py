"""Hides the secrets in a source's URI."""

import re
from urllib.parse import unquote

_ANY = re.IGNORECASE | re.DOTALL
_LOCAL = re.compile(r"(?!.*://)(?:/(?!/)|\.{1,2}/|~|(?:v4l2|picamera|video|images|demo):)", _ANY)
# to the last @: a password may contain unescaped /, #, ? and @; the scheme may be missing
_USER_INFO = re.compile(r"^(\W*[a-z][a-z0-9+.-]*:/+|(?:rtsps?|https?):|/*(?=[^/@]*:))(.*)@(.*)$", _ANY)
_WORDS = "user|usr|login|pass|pwd|psw|token|auth|key|secret|signature|cred|session"
_LETTERS = r"[\w.%\[\]-]*"
_SECRET = rf"({_LETTERS}(?:{_WORDS}){_LETTERS}|pw|sig|u|p)=.*?"
_IN_QUERY = re.compile(rf"(?<=[?&#]){_SECRET}(?=[&;#][a-z]{_LETTERS}=|$)", _ANY)
# cameras put name=value into the path as well, with any of these between; what ends a value is followed by a name
_IN_PATH = re.compile(rf"(?:^|(?<=[;_,/])){_SECRET}(?=[?&;_,/#][a-z][a-z0-9.-]*=[^=&;]|$)", _ANY)


def redacted(uri: str) -> str:
    """A source's URI as logs, predictions and pages may show it: user, password and tokens become `***`.

    A part that may be a secret is hidden. So a host may be missing, but a password never stays. An address inside
    another one, in %-escapes, is checked, too.
    """
    if _LOCAL.match(uri):
        return uri
    hidden = inner = _hidden(uri)
    while (plain := unquote(inner)) != inner:
        inner = _hidden(plain)
        if inner != plain:
            hidden = inner
    return hidden


def _hidden(text: str) -> str:
    return _without_named(_USER_INFO.sub(_without_user, text))


def _without_user(found: re.Match[str]) -> str:
    begin, user, rest = found.groups()
    # a secret with a name before the @ may hold the @: what follows is then its end, and no host
    return f"{begin}***" if _without_named(user) != user else f"{begin}***@{rest}"


def _without_named(text: str) -> str:
    return _IN_PATH.sub(r"\1=***", _IN_QUERY.sub(r"\1=***", text))
