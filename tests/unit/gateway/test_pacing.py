"""When an upstream is asked again; no test here waits for a clock."""

import asyncio

import pytest
from attrs import define, field

from mcpizer_adapters.gateway.pacing import Intervals, Pace, Timing, keep_listed

pytestmark = pytest.mark.anyio

INTERVALS = Intervals(reconcile=100.0, spread=0.1, retry=(1.0, 5.0), settle=0.5, longest_settle=8.0)


@define
class Clock:
    """Time that passes only where somebody waits for it."""

    now: float = 0.0
    pauses: list[float] = field(factory=list)
    notices: set[int] = field(factory=set)
    """Which waits, counted from 0, end with a notice halfway."""
    chance: float = 0.5

    async def wait(self, event: asyncio.Event, seconds: float) -> bool:
        heard = event.is_set() or len(self.pauses) in self.notices
        self.pauses.append(seconds)
        self.now += seconds / 2 if heard else seconds
        return heard

    async def sleep(self, seconds: float) -> None:
        self.now += seconds

    def timing(self) -> Timing:
        return Timing(lambda: self.now, self.wait, self.sleep, lambda: self.chance)


async def looked(clock: Clock, answers: list[bool]) -> list[float]:
    """Return at which times an upstream that answers so was asked."""
    times: list[float] = []

    async def look() -> bool:
        times.append(clock.now)
        if len(times) == len(answers):
            raise asyncio.CancelledError
        return answers[len(times) - 1]

    timing = clock.timing()
    with pytest.raises(asyncio.CancelledError):
        await keep_listed(look, asyncio.Event(), Pace(INTERVALS, timing), timing, 0)
    return times


class TestPauses:
    async def test_an_upstream_that_answers_is_asked_at_every_interval(self) -> None:
        assert await looked(Clock(), [True, True, True]) == [100.0, 200.0, 300.0]

    async def test_one_that_fails_is_asked_soon_then_seldom_and_at_the_interval_once_it_answers(self) -> None:
        assert await looked(Clock(), [False, False, False, True, True]) == [100.0, 101.0, 106.0, 111.0, 211.0]

    async def test_a_notice_is_followed_at_once_but_for_a_moment_in_which_others_may_come(self) -> None:
        assert await looked(Clock(notices={0}), [True, True]) == [50.5, 150.5]

    @pytest.mark.parametrize(("chance", "pause"), [(0.0, 90.0), (0.5, 100.0), (1.0, 110.0)])
    def test_pauses_are_spread(self, chance: float, pause: float) -> None:
        assert Pace(INTERVALS, Clock(chance=chance).timing()).pause(0) == pytest.approx(pause)


class TestPressing:
    def test_an_upstream_that_says_it_changed_without_end_is_followed_ever_more_slowly(self) -> None:
        clock = Clock()
        pace = Pace(INTERVALS, clock.timing())
        followed = []
        for _ in range(7):
            followed.append(pace.settling())
            clock.now += followed[-1] + 0.01
        assert followed == [0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0]

    def test_one_that_changes_now_and_then_is_followed_at_once(self) -> None:
        clock = Clock()
        pace = Pace(INTERVALS, clock.timing())
        for _ in range(5):
            assert pace.settling() == 0.5
            clock.now += 10.0

    def test_after_a_calm_it_is_followed_at_once_again(self) -> None:
        clock = Clock()
        pace = Pace(INTERVALS, clock.timing())
        for _ in range(5):
            clock.now += pace.settling() + 0.01
        clock.now += 60.0
        assert pace.settling() == 0.5
