"""`vitcam run`: the parts put together, and watched until the end. In: settings. Out: an exit code."""
