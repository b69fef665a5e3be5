"""Root fetches a model for the service into its state folder, which belongs to a user of its own."""

import os
import shutil
from pathlib import Path

import pytest

from tests.command import vitcam
from tests.needs import need_data

INSTANCE = "test-of-models-get"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may work in the service's folder")
def test_a_model_for_the_service_belongs_to_the_services_user() -> None:
    private, state = Path("/var/lib/private"), Path(f"/var/lib/vitcam-{INSTANCE}")
    was_there, real = private.is_dir(), private / state.name
    try:
        private.mkdir(0o700, exist_ok=True)
        real.mkdir()
        shutil.chown(real, "nobody")
        state.symlink_to(real)  # as systemd does it for a DynamicUser
        command = ("models", "get", "birds", "--from", str(need_data("species")), "--instance", INSTANCE)
        done = [vitcam(*command) for _ in range(2)]
        owner = (state / "models/birds.tflite").owner()
    finally:
        state.unlink(missing_ok=True)
        shutil.rmtree(real, ignore_errors=True)
        if not was_there:
            private.rmdir()

    assert [(each.code, each.err) for each in done] == [(0, "")] * 2
    assert f"wrote {state}/models/birds.tflite" in done[0].out
    assert owner == "nobody"
