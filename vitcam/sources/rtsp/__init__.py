"""Network cameras by RTSP, read by a process. In: an address. Out: frames. May block: only `next`."""
