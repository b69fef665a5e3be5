"""How good a model is. In: answers to labelled photos. Out: figures, and how sure one may be of them."""
