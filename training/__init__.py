"""What makes vitcam's models: data, network, training, export, evaluation. The daemon never imports it."""
