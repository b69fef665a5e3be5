"""What a part of the fuzzing did and found, and how each input is drawn."""

import random
from collections import Counter
from dataclasses import dataclass, field

_MOST_SHOWN = 20


@dataclass
class Outcome:
    """Of one part."""

    what: str
    """What was made wrong, in the plural."""
    count: int = 0
    seconds: float = 0.0
    answers: Counter[str] = field(default_factory=Counter)
    """How often each kind of answer came."""
    findings: list[str] = field(default_factory=list)
    """What must not happen, each with the number of the input."""

    def found(self, index: int, sentence: str) -> None:
        """Note that an input did what none may do."""
        self.findings.append(f"{self.what} {index}: {sentence}")

    def __str__(self) -> str:
        answers = ", ".join(f"{count:,} {name}" for name, count in self.answers.most_common(8))
        line = f"{self.what:<24} {self.count:>8,} {self.seconds:>7.0f} s {len(self.findings):>4} findings   {answers}"
        shown = sorted(self.findings, key=_by_weight)[:_MOST_SHOWN]
        return "\n".join([line, *(f"  ! {finding[:1500]}" for finding in shown)])


def _by_weight(finding: str) -> bool:
    """What is said of the whole run comes first."""
    return " -1: " not in finding


def chance(seed: int, what: str, index: int) -> random.Random:
    """The random numbers of one input: each can be made again by itself."""
    return random.Random(f"{seed} {what} {index}")


def damaged(data: bytes, dice: random.Random, most: int = 6) -> bytes:
    """The same bytes with some flipped, doubled, moved, filled or cut off."""
    changed = bytearray(data)
    for _ in range(dice.randint(1, most)):
        if not changed:
            break
        at, length = dice.randrange(len(changed)), dice.choice((1, 1, 2, 4, 16, 64, 512))
        match dice.randrange(8):
            case 0 | 1:
                changed[at] ^= 1 << dice.randrange(8)
            case 2:
                changed[at] = dice.choice((0, 1, 0x7F, 0x80, 0xFF, dice.randrange(256)))
            case 3:
                changed[at:at] = changed[at : at + length]
            case 4:
                del changed[at : at + length]
            case 5:
                other = dice.randrange(len(changed))
                block = changed[other : other + length]
                changed[at : at + len(block)] = block
            case 6:
                changed[at : at + length] = dice.choice((b"\0", b"\xff", dice.randbytes(1))) * length
            case _:
                if dice.random() < 0.3:
                    del changed[at:]
    return bytes(changed)
