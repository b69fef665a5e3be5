"""Smaller inputs of one network, and a quick look before the full one. In: a model and photos. Out: a page."""
