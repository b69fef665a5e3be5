"""How often `person` is right, on photos of scenes and of sources that its row was not fitted to."""
