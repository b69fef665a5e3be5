"""MQTT: what the camera sees, how it is, and commands for it, by way of a broker."""
