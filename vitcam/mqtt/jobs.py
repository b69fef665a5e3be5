"""Small things that an event loop does not have."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor
from typing import Any, TypeVar

T = TypeVar("T")


async def wait_for(event: asyncio.Event, timeout_s: float) -> None:
    """Return once it is set, or after `timeout_s`."""
    try:
        await asyncio.wait_for(event.wait(), timeout_s)
    except TimeoutError:
        return


async def done_in(executor: Executor, do: Callable[[], T]) -> T:
    """What `do` returns or raises, in another thread. It is finished also if the caller is cancelled."""
    return await asyncio.shield(asyncio.get_running_loop().run_in_executor(executor, do))


async def first_to_end(*jobs: Coroutine[Any, Any, Any], grace_s: float = 0.0) -> None:
    """Run them until the first one ends, and end the others. Raises what the first one raises.

    grace_s  the others may still run for this time
    """
    tasks = [asyncio.ensure_future(job) for job in jobs]
    try:
        done, rest = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        if rest and grace_s:
            done |= (await asyncio.wait(rest, timeout=grace_s))[0]
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in tasks:
        if task in done:
            task.result()
