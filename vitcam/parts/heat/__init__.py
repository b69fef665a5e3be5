"""Keeps the processor below the temperature at which the firmware slows it. In: temperatures. Out: a rate, threads."""
