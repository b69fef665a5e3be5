"""Whether the last blocks can learn to answer a dark picture as the network answers it by day."""
