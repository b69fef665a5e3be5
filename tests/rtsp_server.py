"""A real RTSP server, GStreamer's: `/usr/bin/python3 rtsp_server.py PORT` serves a bouncing ball in H.264.

Without a port it ends at once: with 0 where all parts of GStreamer are there that it needs, else with their names.

/cam has 640×360 px; /resized has those for 45 pictures, and then 240×426 px.
"""

import sys

import gi  # type: ignore[import-not-found]

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer  # type: ignore[import-not-found]  # noqa: E402

BALL = "videotestsrc is-live=true pattern=ball"
PICTURES = f"{BALL} ! video/x-raw,width=640,height=360,framerate=30/1"
RESIZED = (
    f"concat name=both {BALL} num-buffers=45 ! video/x-raw,width=640,height=360,framerate=30/1 ! both. "
    f"{BALL} ! video/x-raw,width=240,height=426,framerate=30/1 ! both. both."
)
ENCODED = "x264enc tune=zerolatency speed-preset=ultrafast key-int-max=30 ! rtph264pay name=pay0 pt=96"


ELEMENTS = ("videotestsrc", "concat", "x264enc", "rtph264pay")


def check() -> None:
    """End with the names of the elements that are not installed, if any."""
    Gst.init(None)
    if absent := [name for name in ELEMENTS if Gst.ElementFactory.find(name) is None]:
        sys.exit(f"GStreamer has no {', '.join(absent)}")


def main(port: str) -> None:
    """Serve until killed; says `ready` once it listens."""
    server = GstRtspServer.RTSPServer(address="127.0.0.1", service=port)
    for path, pictures in {"/cam": PICTURES, "/resized": RESIZED}.items():
        factory = GstRtspServer.RTSPMediaFactory(launch=f"( {pictures} ! {ENCODED} config-interval=-1 )", shared=True)
        server.get_mount_points().add_factory(path, factory)
    server.attach(None)
    print("ready", flush=True)
    GLib.MainLoop().run()


if __name__ == "__main__":
    check()
    if len(sys.argv) > 1:
        main(sys.argv[1])
