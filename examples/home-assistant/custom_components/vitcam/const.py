"""Names and times that several modules use."""

from typing import Final

DOMAIN: Final = "vitcam"
PORT: Final = 8420
HEARTBEAT_S: Final = 2
"""A camera sends something at least so often."""
SILENT_S: Final = 5.0
"""A camera that has sent nothing for this long is away."""
CONNECT_S: Final = 3.0
ANSWER_S: Final = 10.0
MODEL_S: Final = 90.0
"""Loading another model may take so long."""
AGAIN_S: Final = (1.0, 2.0)
"""Seconds before the first attempt to connect again, and before each later one."""
