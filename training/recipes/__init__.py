"""One TOML a model: what it is trained on, and how. `read_recipe` is in `recipe.py`."""
