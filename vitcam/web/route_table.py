"""Every route. Each entry stands in the class that answers it: what it does, and what a caller needs for it."""

from itertools import chain

from vitcam.parts import PARTS
from vitcam.run.part import load_each
from vitcam.web.context import Handlers
from vitcam.web.openapi.document import OpenApiRoute
from vitcam.web.routes.crop import CropRoute
from vitcam.web.routes.event_changes import EventChanges
from vitcam.web.routes.event_summaries import EventSummaryRoutes
from vitcam.web.routes.events import EventRoutes
from vitcam.web.routes.login import LoginRoutes
from vitcam.web.routes.model import ModelRoutes
from vitcam.web.routes.names import NamesRoute
from vitcam.web.routes.page import PageRoutes
from vitcam.web.routes.playback import PlaybackRoute
from vitcam.web.routes.predictions import PredictionRoutes
from vitcam.web.routes.remembered import RememberedRoute
from vitcam.web.routes.settings import SettingsRoutes
from vitcam.web.routes.state import StateRoutes
from vitcam.web.routes.tokens import TokenRoutes
from vitcam.web.routes.uploads import UploadRoutes
from vitcam.web.routes.zones import ZonesRoute

HANDLERS: tuple[type[Handlers], ...] = (
    PageRoutes,
    PredictionRoutes,
    StateRoutes,
    ModelRoutes,
    EventRoutes,
    EventSummaryRoutes,
    EventChanges,
    UploadRoutes,
    CropRoute,
    ZonesRoute,
    NamesRoute,
    PlaybackRoute,
    SettingsRoutes,
    RememberedRoute,
    LoginRoutes,
    TokenRoutes,
    OpenApiRoute,
    *chain.from_iterable(load_each(part.routes for part in PARTS)),
)
ROUTES = tuple(route for each in HANDLERS for route in each.ROUTES)
