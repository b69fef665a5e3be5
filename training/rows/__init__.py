"""Added labels for a network that stays as it is: further rows of its head, fitted in minutes."""
