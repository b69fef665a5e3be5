"""Say what is on a photo.

python examples/python/classify_a_photo.py photo.jpg
"""

import sys

from vitcam import Classifier, open_source


def main(photo: str = "models/golden/coffee.jpg") -> None:
    """Print the displayed name, and the best guesses below it."""
    classifier = Classifier("everyday", top_k=3)
    with open_source(photo) as frames:
        for frame in frames:
            prediction = classifier(frame)
            print(prediction.shown.label or "not sure")
            for guess in prediction.top:
                print(f"  {guess.p:6.1%}  {guess.label}")


if __name__ == "__main__":
    main(*sys.argv[1:])
