"""The password of the HTTP interface, kept as a hash by scrypt (RFC 7914)."""

import base64
import binascii
import hashlib
import hmac
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from vitcam.access.tokens import Scope
from vitcam.errors import ConfigError, UsageError
from vitcam.storage.state_file import StateFile

USER = "vitcam"
"""The user name of HTTP's Basic authentication; there is no other."""
VARIABLE = "VITCAM_WEB_PASSWORD"
"""Holds the password itself, for containers."""
_FILES = {Scope.CONTROL: "password", Scope.READ: "password_to_watch"}
LEAST, MOST = 8, 256
"""Characters of a password."""
_KIND = "scrypt"
_COST, _BLOCK, _LANES = 2**14, 8, 5  # OWASP's setting that takes 16 MB; on the machine of the benchmarks 0.2 s
_MOST_COST, _MOST_BLOCK, _MOST_LANES = 2**17, 32, 16  # a file that somebody else wrote must not take all memory
_SALT, _KEY = 16, 32  # bytes
_ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"  # without l, o, 0 and 1, which look like each other
_GROUPS, _IN_GROUP = 4, 4


@dataclass(frozen=True, slots=True)
class PasswordHash:
    """What is kept of a password."""

    salt: bytes
    key: bytes
    cost: int = _COST
    block: int = _BLOCK
    lanes: int = _LANES

    @classmethod
    def of_password(cls, password: str) -> Self:
        """With a new salt. Takes some tenths of a second."""
        salt = secrets.token_bytes(_SALT)
        return cls(salt, _derived(password, salt, _COST, _BLOCK, _LANES))

    @classmethod
    def parse(cls, text: str) -> Self:
        """What `str` wrote. Raises ValueError."""
        kind, cost, block, lanes, salt, key = text.strip().split("$")
        numbers = int(cost), int(block), int(lanes)
        most = _MOST_COST, _MOST_BLOCK, _MOST_LANES
        if kind != _KIND or not all(0 < found <= limit for found, limit in zip(numbers, most, strict=True)):
            raise ValueError("not a scrypt hash of a size that is used here")
        return cls(_decoded(salt), _decoded(key), *numbers)

    def __str__(self) -> str:
        texts = (base64.b64encode(data).decode() for data in (self.salt, self.key))
        return "$".join((_KIND, str(self.cost), str(self.block), str(self.lanes), *texts))

    def fits(self, password: str) -> bool:
        """Whether this is the password. Takes as long for a wrong one, and releases the GIL."""
        return hmac.compare_digest(_derived(password, self.salt, self.cost, self.block, self.lanes), self.key)


def _derived(password: str, salt: bytes, cost: int, block: int, lanes: int) -> bytes:
    needed = 128 * block * (cost + lanes + 2)
    data = password.encode("utf-8", "surrogatepass")
    return hashlib.scrypt(data, salt=salt, n=cost, r=block, p=lanes, maxmem=needed + 2**20, dklen=_KEY)


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError(str(error)) from None


def new_password() -> str:
    """80 random bits, easy to type: four groups of four letters and digits."""
    groups = ("".join(secrets.choice(_ALPHABET) for _ in range(_IN_GROUP)) for _ in range(_GROUPS))
    return "-".join(groups)


def check_password(password: str) -> None:
    """Raises UsageError for one that is too short, too long, or that a browser cannot send."""
    if not LEAST <= len(password) <= MOST:
        raise UsageError(f"the password has {len(password)} characters; {LEAST} to {MOST} are allowed")
    if not password.isprintable():
        raise UsageError("the password contains a control character; take letters, digits, signs and spaces")


def password_file(folder: Path, scope: Scope = Scope.CONTROL) -> Path:
    """Where the password that allows this is kept in the state folder."""
    return folder / _FILES[scope]


def save_password(folder: Path, kept: PasswordHash, scope: Scope = Scope.CONTROL) -> None:
    """Raises OSError if it cannot be written."""
    StateFile(password_file(folder, scope), private=True).write(f"{kept}\n")


def delete_password(folder: Path, scope: Scope) -> None:
    """Nobody gets in with it any more. Raises OSError."""
    file = StateFile(password_file(folder, scope), private=True)
    for path in (file.copy, file.path):
        path.unlink(missing_ok=True)


def load_password(folder: Path, scope: Scope = Scope.CONTROL) -> PasswordHash | None:
    """None if there is none. Raises ConfigError if the file cannot be read or holds something else."""
    path = password_file(folder, scope)
    try:
        return StateFile(path, private=True).read(PasswordHash.parse)
    except OSError as error:
        raise ConfigError(
            f"the password cannot be read from {path}: {error.strerror}; set it again with `vitcam password`"
        ) from error
    except ValueError as error:
        raise ConfigError(f"{path} holds no password that vitcam wrote; set it again with `vitcam password`") from error
