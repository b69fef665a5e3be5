"""What the broker is to keep for those who come later."""

from collections.abc import Mapping


class Retained:
    """Messages by topic, replaced as a whole. In any thread."""

    def __init__(self) -> None:
        self.messages: Mapping[str, str] = {}

    def keep(self, messages: Mapping[str, str]) -> None:
        """Have the broker keep these, from now on and after each connect.

        A topic that was in the last call and is not in this one is cleared.
        """
        gone = {topic: "" for topic, text in self.messages.items() if text}  # others were cleared by the last call
        self.messages = {**gone, **messages}
