"""The sample pictures of the view Learn."""

import re

import pytest

from tests.integration.test_showcase import asked, names, true_names
from tests.packaged import ROOT

LEARN = ROOT / "vitcam" / "parts" / "learn" / "page"

pytestmark = pytest.mark.long


def test_every_sample_is_named_rightly() -> None:
    samples = re.findall(
        r'"([\w-]+\.(?:jpg|png))"', (LEARN / "learn.js").read_text("utf-8").split("const CLASS_TOKEN")[0]
    )

    assert sorted(samples) == sorted(path.name for path in LEARN.iterdir() if path.suffix in (".jpg", ".png"))
    for sample in samples:
        picture = (LEARN / sample).resolve()
        true = true_names(picture.parent)[picture.name]
        digit = sample.startswith("digit")
        shown = asked("mnist" if digit else "everyday", picture).shown.label
        assert names("mnist" if digit else "everyday").says(shown, true), (sample, shown)
        if digit:  # of which `everyday` knows nothing, so that it must say nothing
            assert asked("everyday", picture).shown.label is None, sample
