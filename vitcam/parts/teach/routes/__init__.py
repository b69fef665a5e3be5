"""The routes of data sets, the inbox and teaching."""

from vitcam.parts.teach.routes.datasets import DataSetRoutes
from vitcam.parts.teach.routes.inbox import InboxRoutes
from vitcam.parts.teach.routes.intake import IntakeRoutes
from vitcam.parts.teach.routes.teach import TeachRoute

HANDLERS = (DataSetRoutes, IntakeRoutes, InboxRoutes, TeachRoute)
