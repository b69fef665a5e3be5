"""A small convolutional network, to compare a ViT with. In: its layers and a ViT's sizes. Out: logits, as a ViT's."""
