"""How the photos of `everyday` were split, so that no scene is trained on and measured."""
