"""Whether the camera still sees what it usually sees. In: frames and predictions. Out: problems. May block: nothing."""
