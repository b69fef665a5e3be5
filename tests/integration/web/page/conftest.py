"""A camera that leaves the processor to the browser, and what is looked at in every view."""

from collections.abc import Iterator

import pytest

from tests.integration.web.camera import Camera
from tests.integration.web.page.accessibility import Findings, findings, findings_at_every_size
from tests.integration.web.page.every_view import Visit, visited


@pytest.fixture
def camera() -> Iterator[Camera]:
    """Slower than others: to draw 30 pictures/s of this size takes a browser without a graphics card a whole core."""
    with Camera(fps=8) as running:
        yield running


@pytest.fixture(
    name="findings",
    params=[findings, pytest.param(findings_at_every_size, marks=pytest.mark.slow("vitcam/web"))],
    ids=["one size", "every size"],
)
def what_axe_objects_to(request: pytest.FixtureRequest) -> Findings:
    """A look at the page as it stands; once its files have changed, also at every size, light and dark."""
    found: Findings = request.param
    return found


@pytest.fixture(scope="module")
def visit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    with visited(tmp_path_factory.mktemp("state")) as found:
        yield found
