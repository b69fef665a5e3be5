"""The page, the streams and the API. In: what a pipeline shows. Out: HTTP. All asyncio; nothing may block the loop.

A request goes app (routes) -> guard (who may ask) -> mjpeg, predictions or uploads; `server` gives it all a thread.
"""
