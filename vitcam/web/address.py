"""Where others find the page, by the settings alone."""

from vitcam.config.web import WebSettings
from vitcam.machine import own_address
from vitcam.web.requests.allowed_hosts import is_loopback

_EVERYWHERE = ("0.0.0.0", "::", "")


def network_address(web: WebSettings) -> str:
    """For other machines of the network; empty where they cannot open the page, or its port is chosen at the start."""
    if not web.enabled or web.port == 0 or is_loopback(web.host):
        return ""
    host = own_address() if web.host in _EVERYWHERE else web.host
    scheme = "https" if web.certificate else "http"
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{web.port}"
