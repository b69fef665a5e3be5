"""What viewers are sent: a JPEG of a frame or of a placeholder, and the HTTP headers that go with it."""

import time
from dataclasses import dataclass
from urllib.parse import quote

from vitcam.frames import Prediction
from vitcam.web.stream.placeholder import Placeholder


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """One JPEG, made from a frame or else from a placeholder.

    It holds no frame: a viewer who does not read keeps a picture for half a minute, and a frame is 30 times as large.
    """

    jpeg: bytes
    captured_ns: int = 0
    """Monotonic time of the frame; 0 for a placeholder."""
    prediction: Prediction | None = None
    """Of the frame."""
    placeholder: Placeholder | None = None
    number: int = 0
    """Counts the pictures of a variant, so that no viewer gets one twice."""

    def headers(self) -> dict[str, str]:
        """What programs need to know of the picture, as HTTP headers in ASCII."""
        if not self.captured_ns:
            return {"X-Timestamp": f"{time.time():.6f}"}
        age_s = (time.monotonic_ns() - self.captured_ns) / 1e9
        headers = {"X-Timestamp": f"{time.time() - age_s:.6f}"}
        prediction = self.prediction
        if prediction is None:
            return headers
        headers |= {"X-Vitcam-Seq": str(prediction.seq), "X-Vitcam-Infer-Ms": f"{prediction.ms.infer:.3f}"}
        if prediction.top:
            headers["X-Vitcam-Label"] = header_text(prediction.top[0].label)
            headers["X-Vitcam-P"] = f"{prediction.top[0].p:.6f}"
        if prediction.zone is not None:
            headers["X-Vitcam-Zone"] = header_text(prediction.zone)
        return headers


def header_text(label: str) -> str:
    """A label that is safe in an HTTP header: everything but printable ASCII is percent-encoded UTF-8."""
    return quote(label[:200], safe=" !#$&'()*+,/:;=?@[]{}|^`<>\"")
