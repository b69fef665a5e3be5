"""A short video of each event. In: frames and events. Out: an MP4 file for each event. May block: only the encoder's
thread.
"""
