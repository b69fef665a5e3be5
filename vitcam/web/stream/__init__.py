"""The live picture. In: the newest frame. Out: one JPEG for each variant, sent as fast as viewers read."""
