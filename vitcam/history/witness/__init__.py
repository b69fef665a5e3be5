"""Collects what belongs to an event while it lasts. In: frames with their events. Out: changes for the store."""
