"""What a ViT has to learn that a convolution has built in. In: networks and photos. Out: figures, plots, tables."""
