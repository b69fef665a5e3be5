"""The words of a model whose labels are words. The page shows them and can change them."""

from typing import Any

from aiohttp import web

from vitcam.errors import ModelError, UsageError, VitcamError
from vitcam.web.requests.admission import Admission
from vitcam.web.requests.body import Body, read_json
from vitcam.words.live_labels import LiveLabels


class WordsRoute:
    """`POST /api/words`, and the words in `/api/model`."""

    def __init__(self, words: LiveLabels | None, admission: Admission) -> None:
        self._words = words
        self._admission = admission

    async def answer(self, request: web.Request) -> web.Response:
        """Change the words from the next frame on. `remembered` says whether the next run will have them, too."""
        if self._words is None:
            raise UsageError(
                "the labels of this model cannot be changed; `vitcam-train words` makes models whose labels are words"
            )
        reason = await self._admission.serve(request, self._replace)
        return web.json_response({"words": list(self._words.labels), "remembered": not reason, "reason": reason})

    def _replace(self, body: Body) -> str:
        words = read_words(read_json(body))
        assert self._words is not None  # noqa: S101 - `answer` has looked
        try:
            return self._words.replace(words)
        except VitcamError as error:
            if isinstance(error, UsageError) and not isinstance(error, ModelError):
                raise
            raise web.HTTPServiceUnavailable(text=str(error)) from error  # the client cannot mend what is missing here

    def record(self) -> dict[str, Any]:
        """What `/api/model` says beside what the model's file says.

        labels  the words, in place of the labels that the model had at the start; absent where they are not words
        words   the most that there may be; null where they cannot be changed
        """
        if self._words is None:
            return {"words": None}
        return {"labels": list(self._words.labels), "words": self._words.room}


def read_words(body: Any) -> list[str]:
    """`{"words": ["a cat", "a dog"]}`. Raises UsageError."""
    words = body.get("words") if isinstance(body, dict) else None
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise UsageError('send {"words": ["a cat on the table", "an empty table"]}, a list of texts')
    return words
