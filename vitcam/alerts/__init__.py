"""Rules that people make on the page. They stand beside those of the configuration."""
