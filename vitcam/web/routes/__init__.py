"""The handlers of the routes. In: a checked request. Out: a response. Nothing here may block the event loop."""
