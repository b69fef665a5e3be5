"""How a model came to its answer. In: a photo and a classifier. Out: a picture."""
