"""What must stay while the code is rebuilt, as JSON that one command makes again: see `__main__.py`."""
