"""How large the code is, and how many files things pass: see `__main__.py`."""
