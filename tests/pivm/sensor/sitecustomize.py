"""Gives libcamera's virtual cameras a sensor, in every Python that has this folder in PYTHONPATH.

A virtual camera has no sensor, so it does not say which part of one it shows. Here it says that its largest picture of
4:3 is all of a sensor with one mode. What picamera2 captures stays as it is.
"""

from typing import Any

import picamera2

SENSOR = (0, 0, 640, 480)
MODE = {"format": "SRGGB10", "bit_depth": 10, "size": (640, 480), "fps": 30.0, "crop_limits": SENSOR}

_controls = picamera2.Picamera2.camera_controls.fget
_metadata = picamera2.CompletedRequest.get_metadata


def _controls_with_crop(camera: Any) -> dict[str, Any]:
    return {**_controls(camera), "ScalerCrop": (SENSOR, SENSOR, SENSOR)}


def _metadata_with_crop(request: Any) -> dict[str, Any]:
    return {**_metadata(request), "ScalerCrop": SENSOR}


picamera2.Picamera2.camera_controls = property(_controls_with_crop)
picamera2.Picamera2.sensor_modes = property(lambda _: [MODE])
picamera2.CompletedRequest.get_metadata = _metadata_with_crop
