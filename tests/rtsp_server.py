"""A real RTSP server, GStreamer's: `/usr/bin/python3 rtsp_server.py PORT` serves a bouncing ball at /cam in H.264."""

import sys

import gi  # type: ignore[import-not-found]

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer  # type: ignore[import-not-found]  # noqa: E402

PICTURES = "videotestsrc is-live=true pattern=ball ! video/x-raw,width=640,height=360,framerate=30/1"
ENCODED = "x264enc tune=zerolatency speed-preset=ultrafast key-int-max=30 ! rtph264pay name=pay0 pt=96"


def main(port: str) -> None:
    """Serve until killed; says `ready` once it listens."""
    Gst.init(None)
    server = GstRtspServer.RTSPServer(address="127.0.0.1", service=port)
    factory = GstRtspServer.RTSPMediaFactory(launch=f"( {PICTURES} ! {ENCODED} )", shared=True)
    server.get_mount_points().add_factory("/cam", factory)
    server.attach(None)
    print("ready", flush=True)
    GLib.MainLoop().run()


if __name__ == "__main__":
    main(sys.argv[1])
