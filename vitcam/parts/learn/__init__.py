"""How a Vision Transformer comes to its answer for one picture, step by step: the view Learn."""
