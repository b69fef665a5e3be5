"""What people see of a photo beside its answer: the figure of `vitcam explain`, for the photo that a viewer tries."""

from vitcam.run.part import Part

PART = Part("photos", page="photo", routes="vitcam.parts.photos.routes:HANDLERS")
