"""An HTTP server of a test's own, in a thread of its own."""

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def served(server: http.server.ThreadingHTTPServer) -> Iterator[None]:
    """Answer requests meanwhile."""
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join(20)
        server.server_close()
