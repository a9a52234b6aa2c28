"""Work done ahead by threads, its results taken in order."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

WORKERS = min(4, os.cpu_count() or 1)


def ahead(
    items: Iterable[Item], work: Callable[[Item], Result], workers: int = WORKERS
) -> Iterator[Result]:
    """`work(item)` for each item, in order; a few are under way while one is in use.

    One thread draws the items (reading, unpacking), `workers` threads do the work (parsing), and
    the caller has its own: so a pass costs what its slowest part costs. At most `workers + 2`
    results exist at a time. An error comes up where its item would have come.
    """
    room = threading.Semaphore(workers + 2)
    line: queue.SimpleQueue[Future[Result] | BaseException | None] = queue.SimpleQueue()
    left = threading.Event()
    pool = ThreadPoolExecutor(workers, thread_name_prefix="rosenblatt-work")

    def feed() -> None:
        source: Any = iter(items)
        try:
            for item in source:
                room.acquire()
                if left.is_set():
                    return
                line.put(pool.submit(work, item))
            line.put(None)
        except BaseException as error:
            line.put(error)
        finally:
            if hasattr(source, "close"):
                source.close()

    feeder = threading.Thread(target=feed, name="rosenblatt-read", daemon=True)
    feeder.start()
    try:
        while (got := line.get()) is not None:
            if isinstance(got, BaseException):
                raise got
            yield got.result()
            del got
            room.release()
    finally:
        left.set()
        room.release()
        # A reader may wait for a pipe that never ends: it is a daemon and may be left to wait.
        feeder.join(timeout=2.0)
        pool.shutdown(wait=True, cancel_futures=True)
