"""The card of a model. In: what a model file says of itself. Out: a page for people, with its commands."""
