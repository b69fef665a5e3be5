"""The page, the streams and the API. In: frames and predictions. Out: HTTP. Nothing may block the event loop.

A request passes requests/ (limits and checks), then a handler in routes/ or, for pictures, in stream/. `app` joins
them, and `server` runs them in a thread of their own.
"""
