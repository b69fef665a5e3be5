"""The inbox: pictures of which the model was unsure, or that a person corrected, wait to be named."""
