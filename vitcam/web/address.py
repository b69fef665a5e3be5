"""Where a browser finds the page."""

from vitcam.config.web import WebSettings
from vitcam.machine import own_address
from vitcam.web.requests.allowed_hosts import is_loopback

_EVERYWHERE = ("0.0.0.0", "::", "")


def page_address(host: str, port: int, is_https: bool) -> str:
    """The page's address at a host, which may be an IPv6 address."""
    scheme = "https" if is_https else "http"
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"


def address_for_others(bound: str, port: int, is_https: bool) -> str:
    """Where other machines of the network find the page of a server that is bound there; empty where none can."""
    if is_loopback(bound):
        return ""
    return page_address(own_address() if bound in _EVERYWHERE else bound, port, is_https)


def network_address(web: WebSettings) -> str:
    """The same by the settings alone; empty, too, where the port is chosen at the start."""
    if not web.enabled or web.port == 0:
        return ""
    return address_for_others(web.host, web.port, bool(web.certificate))
