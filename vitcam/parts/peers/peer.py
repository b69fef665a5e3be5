"""Another vitcam, as the configuration names it."""

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

MOST_PEERS = 32
PEER_NAME = re.compile(r"[\w-]{1,32}")
NAME_WORDS = "up to 32 letters, digits, - and _"


@dataclass(frozen=True, slots=True)
class Peer:
    """A camera beside this one."""

    name: str
    address: str
    """Of its page: `http://` or `https://`, without a password in it."""
    place: str = field(default="", compare=False)
    """The file or option that names it."""

    @property
    def base(self) -> str:
        """The address, with a slash at its end."""
        return self.address.rstrip("/") + "/"

    @property
    def is_secure(self) -> bool:
        return urlsplit(self.address).scheme.lower() == "https"
