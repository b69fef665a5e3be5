"""Photos inside the page: small JPEGs as data URIs, with the overlay that the daemon would draw."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from xml.etree.ElementTree import Element

import cv2
import numpy as np

from vitcam.frames import Image
from vitcam.model.classifier import Classifier
from vitcam.pictures.encode import encode_jpeg
from vitcam.pictures.overlay import draw_overlay
from vitcam.pictures.overlay_kinds import default_overlay
from vitcam.pictures.resize import crop_of
from vitcam_training.data.dataset import Sample, photo_of
from vitcam_training.report.markup import Node, tag

SIDE_PX = 200  # of the longer side: 24 pairs of this size and quality are about half a megabyte
QUALITY = 80


@dataclass(frozen=True)
class PhotoPair:
    """A photo at the size it is shown, and the same with the overlay; None: the model gives nothing to draw."""

    plain: Image
    with_overlay: Image | None


def page_size(image: Image, side_px: int = SIDE_PX) -> Image:
    """A photo at the size of the page, (h, w, 3) uint8, RGB: large ones shrink, small ones get larger pixels."""
    scale = side_px / max(image.shape[:2])
    if scale >= 2:  # blurring 28 px up to 200 would show what was never there
        return np.repeat(np.repeat(image, int(scale), axis=0), int(scale), axis=1)
    if scale >= 1:
        return image
    height, width = (max(1, round(side * scale)) for side in image.shape[:2])
    return np.asarray(cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def photo_pair(classifier: Classifier, sample: Sample) -> PhotoPair:
    """Classify a photo again, as Answers keep no attention maps, and draw vitcam's default overlay."""
    photo = photo_of(sample)
    prediction = classifier.classify_image(photo)
    plain = page_size(photo)
    crop = crop_of(classifier.input, *plain.shape[:2])
    drawn = draw_overlay(plain, crop, prediction, default_overlay(classifier.gives))
    return PhotoPair(plain, None if drawn is plain else drawn)


def inline(image: Image, alt: str) -> Element:
    """An `<img>` that carries the JPEG of a picture, (h, w, 3) uint8, RGB."""
    source = "data:image/jpeg;base64," + base64.b64encode(encode_jpeg(image, QUALITY)).decode()
    height, width = image.shape[:2]
    return tag("img", src=source, alt=alt, width=width, height=height)


def photo_card(pair: PhotoPair, shows: str, caption: list[Node], kind: str = "") -> Element:
    """A photo, the same with its overlay beside it, and a caption below."""
    images = [inline(pair.plain, f"Photo of {shows}")]
    if pair.with_overlay is not None:
        images.append(inline(pair.with_overlay, "The same with the overlay: what mattered to the answer glows"))
    return tag(
        "figure", tag("div", *images, class_="pair"), tag("figcaption", *caption), class_=f"photo {kind}".strip()
    )
