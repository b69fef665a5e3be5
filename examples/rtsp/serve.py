"""vitcam's live picture as RTSP with H.264, for a video recorder that takes nothing else: Debian's GStreamer does it.

/usr/bin/python3 examples/rtsp/serve.py http://camera.local:8420 --port 8554    →    rtsp://THIS MACHINE:8554/vitcam

The token is read from the variable TOKEN. Nothing is encoded while nobody watches.
"""

import argparse
import os

import gi  # type: ignore[import-not-found]

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer  # type: ignore[import-not-found]  # noqa: E402

_PIPELINE = (
    "( souphttpsrc name=camera is-live=true do-timestamp=true retries=-1 "
    "! multipartdemux single-stream=true ! image/jpeg ! jpegdec ! videoconvert "
    "! videorate ! video/x-raw,format=I420,framerate={fps}/1 "
    "! x264enc tune=zerolatency speed-preset=veryfast key-int-max={fps} "
    "! rtph264pay name=pay0 pt=96 config-interval=-1 )"
)


def main() -> None:
    """Serve until killed; says `ready` once it listens."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    options.add_argument("camera", help="the address of vitcam, such as http://camera.local:8420")
    options.add_argument("--host", default="127.0.0.1", help="listen here; 0.0.0.0: for every machine of the network")
    options.add_argument("--port", default="8554")
    options.add_argument("--fps", type=int, choices=range(1, 31), default=10, metavar="1-30")
    given = options.parse_args()
    Gst.init(None)
    factory = GstRtspServer.RTSPMediaFactory(launch=_PIPELINE.format(fps=given.fps), shared=True)
    token = os.environ.get("TOKEN")

    def configure(_: object, media: GstRtspServer.RTSPMedia) -> None:
        """By properties: neither address nor token is ever part of a text that GStreamer parses."""
        camera = media.get_element().get_by_name("camera")
        camera.set_property("location", f"{given.camera.rstrip('/')}/stream?fps={given.fps}")
        if token:
            headers = Gst.Structure.new_empty("headers")
            headers.set_value("Authorization", f"Bearer {token}")
            camera.set_property("extra-headers", headers)

    factory.connect("media-configure", configure)
    server = GstRtspServer.RTSPServer(address=given.host, service=given.port)
    server.get_mount_points().add_factory("/vitcam", factory)
    if not server.attach(None):
        raise SystemExit(f"port {given.port} of {given.host} cannot be used; give another one with --port")
    print("ready", flush=True)
    GLib.MainLoop().run()


if __name__ == "__main__":
    main()
