"""The integration in a Home Assistant of the tests, with real cameras. It runs in Home Assistant's own environment."""
