"""Films and photos from a disk. In: a path. Out: frames at their own pace. May block: only `next`."""
