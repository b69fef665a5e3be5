"""Pictures that people collect and name, to teach a model with them; they stay on this machine."""
