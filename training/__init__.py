"""What makes vitcam's models: data, network, training, export, evaluation. Never imported by the daemon."""
