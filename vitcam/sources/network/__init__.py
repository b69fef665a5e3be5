"""Network cameras by HTTP. In: an address. Out: frames. May block: only `next`, for a bounded time."""
