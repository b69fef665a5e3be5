"""Whether this checkout behaves as another one: see `__main__.py`."""
