"""Which addresses of Apprise a person may give on the page: those of services that do nothing but pass a message on.

Apprise knows others that run a program, or read or write a file of this machine. They are for the configuration.
"""

import re
from urllib.parse import parse_qsl, urlsplit

from vitcam.errors import UsageError
from vitcam.text import shortened

_SERVICES = (
    "bark barks discord gotify gotifys hassio hassios mailto mailtos matrix matrixs mmost mmosts nctalk nctalks ncloud "
    "nclouds ntfy ntfys pbul pover rocket rockets signal signals simplepush slack tgram threema twilio whatsapp "
    "workflow workflows zulip"
)
_PARAMETERS = (
    "avatar bcc bot cc channel click cto delay device email footer format from icon image lang mode name pass port "
    "preview priority reply rto silent smtp sound subtitle tags thread to token topic ttl user verify"
)
_LONGEST = 500
_PLAIN = re.compile(r"[!-~]+")  # ASCII without spaces: Apprise takes several addresses in one text


def checked_address(address: str) -> str:
    """The address itself. Raises UsageError; the sentence holds no more of it than its service."""
    service, found, rest = address.partition("://")
    service = service.lower()
    if service not in _SERVICES.split() or not found or not rest:
        raise UsageError(
            f"{shortened(repr(service))} is not a service that an alert may use; there are "
            f"{', '.join(_SERVICES.split())}; others can be set in the configuration"
        )
    if len(address) > _LONGEST or not _PLAIN.fullmatch(address) or "://" in rest:
        raise UsageError(f"the address of {service} must be one address of up to {_LONGEST} characters without spaces")
    try:
        query = parse_qsl(urlsplit(address).query, keep_blank_values=True)
    except ValueError:
        raise UsageError(f"the address of {service} is not one; look into the manual of Apprise") from None
    for key, _ in query:
        if key.lower() not in _PARAMETERS.split():
            raise UsageError(
                f"the address of {service} has the parameter {shortened(repr(key))}, which an alert may not use; "
                "leave it out, or set this rule in the configuration"
            )
    return address
