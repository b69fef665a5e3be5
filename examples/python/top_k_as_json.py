"""Print the ten best guesses about a photo as JSON, the same line as `vitcam classify --json --top-k 10` prints.

python examples/python/top_k_as_json.py photo.jpg | jq '.top[].label'
"""

import json
import sys

from vitcam import Classifier, open_source, prediction_record


def main(photo: str = "models/golden/cat.jpg") -> None:
    """Print one JSON object a picture."""
    classifier = Classifier("everyday", top_k=10)
    with open_source(photo) as frames:
        for frame in frames:
            print(json.dumps(prediction_record(classifier(frame)), ensure_ascii=False))


if __name__ == "__main__":
    main(*sys.argv[1:])
