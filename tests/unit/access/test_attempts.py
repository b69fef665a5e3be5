"""How guessing is slowed down, with a clock of the test's own."""

import pytest

from vitcam.access.attempts import Attempts, home_of


class Clock:
    """Seconds, which pass when told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def checked_in(attempts: Attempts, clock: Clock, seconds: float, address: str = "192.168.1.9") -> int:
    """How many guesses are checked if the address guesses a hundred times a second."""
    checked, end = 0, clock.now + seconds
    while clock.now < end:
        if not attempts.wait_s(address):
            attempts.begin(address)
            checked += 1
        clock.now += 0.01
    return checked


def test_of_six_thousand_guesses_in_a_minute_at_most_ten_are_checked(clock: Clock) -> None:
    assert 5 < checked_in(Attempts(clock), clock, 60) <= 10


def test_later_one_guess_a_minute_is_checked_and_no_more(clock: Clock) -> None:
    attempts = Attempts(clock)
    checked_in(attempts, clock, 300)

    assert checked_in(attempts, clock, 600) <= 10


def test_a_right_password_forgets_the_wrong_ones_before_it(clock: Clock) -> None:
    attempts = Attempts(clock)
    for _ in range(4):
        attempts.begin("192.168.1.9")
    attempts.right("192.168.1.9")
    for _ in range(4):
        attempts.begin("192.168.1.9")

    assert attempts.wait_s("192.168.1.9") == 0


def test_wrong_passwords_are_forgotten_after_a_quarter_of_an_hour(clock: Clock) -> None:
    attempts = Attempts(clock)
    checked_in(attempts, clock, 120)
    clock.now += 1000

    assert attempts.begin("192.168.1.9") == 1


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("::ffff:192.168.1.9", "192.168.1.9", True),
        ("fe80::1%eth0", "fe80::2%eth0", True),
        ("192.168.1.9", "192.168.1.10", False),
        ("", "", True),
        ("no address", "no address", True),
    ],
)
def test_an_address_counts_with_all_that_one_home_may_have(one: str, other: str, same: bool) -> None:
    assert (home_of(one) == home_of(other)) is same


def test_what_is_remembered_of_many_addresses_is_bounded(clock: Clock) -> None:
    attempts = Attempts(clock)
    for i in range(10_000):
        attempts.begin(f"10.{i // 65536}.{i // 256 % 256}.{i % 256}")

    assert len(attempts._guesses) <= 4096
