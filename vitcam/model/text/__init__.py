"""From words to a model's labels: a text tower turns them into vectors, which a model file takes as its head."""
