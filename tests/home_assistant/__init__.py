"""A real Home Assistant for tests, in a virtual environment and a process of its own."""
