"""A model on a mount that does not answer holds up the list of models, and no other request."""

import threading
from http import HTTPStatus
from typing import Any

import pytest

from tests.daemon import status_of
from tests.integration.web.camera import Camera
from vitcam.run_model import ChosenModel
from vitcam.web.given import Binding
from vitcam.web.routes import model
from vitcam.web.server import WebServer


class OnADeadMount:
    """A `RunningModel` whose files cannot be read until the end of the test."""

    fixed = ""

    def __init__(self) -> None:
        self.over = threading.Event()

    def record(self) -> dict[str, Any]:
        self.over.wait(60)
        return {"models": [], "about": [], "name": "", "before": None, "fixed": ""}

    def check(self, name: str) -> ChosenModel:
        raise NotImplementedError

    use = check

    def back(self) -> ChosenModel:
        raise NotImplementedError

    def delete(self, name: str) -> None:
        raise NotImplementedError


@pytest.mark.fault(
    "a model lies on a mount that does not answer",
    injected="reading the files of the models waits without end",
    observed="the list of models is refused with a sentence after 20 s; every other request is answered",
)
def test_a_mount_that_does_not_answer_costs_the_list_of_models_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "_LONGEST_S", 0.3)
    choice = OnADeadMount()
    with Camera() as camera:
        server = WebServer(camera.parts(models=choice), Binding())
        server.start()
        listed = [status_of(f"{server.url}/api/models") for _ in range(2)]
        others = [status_of(f"{server.url}/api/{name}") for name in ("names", "model", "zones", "state")]
        choice.over.set()
        server.stop(2)

    assert listed == [HTTPStatus.SERVICE_UNAVAILABLE] * 2
    assert others == [HTTPStatus.OK] * 4
