"""Routes of a part are tested with the camera, the server and the browser of all others."""

from tests.integration.web.conftest import browser, camera, chrome, server, store

__all__ = ["browser", "camera", "chrome", "server", "store"]
