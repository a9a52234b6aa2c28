"""Work done by threads in advance, its results taken in order."""

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


def parallel_map(
    items: Iterable[Item], work: Callable[[Item], Result], workers: int = WORKERS
) -> Iterator[Result]:
    """Yield `work(item)` for each item, in order; a few are computed in advance.

    One thread draws the items (reading, decompressing), `workers` threads do the work (parsing),
    and the caller has its own: so a pass takes as long as its slowest part. At most `workers + 2`
    results exist at a time. An error is raised where the result of its item would come.
    """
    slots = threading.Semaphore(workers + 2)
    results: queue.SimpleQueue[Future[Result] | BaseException | None] = queue.SimpleQueue()
    abandoned = threading.Event()
    pool = ThreadPoolExecutor(workers, thread_name_prefix="rosenblatt-work")

    def submit_all() -> None:
        source: Any = iter(items)
        try:
            for item in source:
                slots.acquire()
                if abandoned.is_set():
                    return
                results.put(pool.submit(work, item))
            results.put(None)
        except BaseException as error:
            results.put(error)
        finally:
            if hasattr(source, "close"):
                source.close()

    reader = threading.Thread(target=submit_all, name="rosenblatt-read", daemon=True)
    reader.start()
    try:
        while (result := results.get()) is not None:
            if isinstance(result, BaseException):
                raise result
            yield result.result()
            del result
            slots.release()
    finally:
        abandoned.set()
        slots.release()
        # The reader may be blocked on a pipe that never ends: it is a daemon and may be abandoned.
        reader.join(timeout=2.0)
        pool.shutdown(wait=True, cancel_futures=True)
