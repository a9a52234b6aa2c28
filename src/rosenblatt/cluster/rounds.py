"""The one place that knows Dask: shards on workers, passes and reductions as tasks.

Everything a task does depends on its arguments alone, so whatever a dead worker takes with it is
computed again with the same result. Weights go out to all workers at once and come back up a tree.
"""

from __future__ import annotations

import logging
import secrets
import warnings
from collections.abc import Callable
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from rosenblatt.cluster import shard as shards
from rosenblatt.cluster.mix import FAN, Part, Report, Survey
from rosenblatt.cluster.shard import RoundPlan, Shard
from rosenblatt.data.extras import extra
from rosenblatt.engine.state import RunState
from rosenblatt.theory.spaces import Array

HERE = "127.0.0.1"  # a local cluster listens nowhere else: its ports run code
PATIENCE = 60.0  # seconds for a worker to come when none is left
MOST_NAMED = 4  # shards in one sentence
SMALL = 1 << 20  # bytes of weights, times shards, that go without a task of their own


def processes(client: Any) -> int | None:
    """How many processes to start here; None for one a core, or if there is a cluster already."""
    if client is not None and not isinstance(client, str) and not hasattr(client, "scheduler"):
        raise TypeError(
            f"client={client!r} must be a Client of Dask, an address, 'local:4', say, or None."
        )
    if not _is_local(client) or client in (None, "local"):
        return None
    number = client.removeprefix("local:")
    if not number.isdigit() or int(number) < 1:
        raise ValueError(f"client={client!r} is not known; take 'local:4', say, or an address.")
    return int(number)


def _is_local(client: Any) -> bool:
    """Whether processes are to be started here."""
    return client is None or (isinstance(client, str) and client.partition(":")[0] == "local")


@contextmanager
def connected(client: Any) -> Any:
    """Yield a client: the given one, one for an address, or one of a temporary local cluster."""
    with extra("cluster", "a cluster"):
        import dask
        import distributed
    if isinstance(client, distributed.Client):
        yield client
        return
    if not _is_local(client):
        with _client_at(client) as own:
            yield own
        return
    count = processes(client)

    # A pass is one thread's work on data that stay where they are. And a worker that dies again
    # while it is being replaced is to be replaced again: Dask would give it up.
    settings = {
        "distributed.scheduler.work-stealing": False,
        "distributed.deploy.lost-worker-timeout": "1 day",
    }
    with (
        dask.config.set(settings),
        distributed.LocalCluster(
            n_workers=count,
            threads_per_worker=1,
            host=HERE,
            dashboard_address=f"{HERE}:0",
            protocol="tcp",
            silence_logs=logging.ERROR,  # a bad row is raised here; no need to log it there as well
        ) as cluster,
        distributed.Client(cluster) as own,
    ):
        yield own


def _client_at(address: str) -> Any:
    """Return a client of the scheduler at an address; wait no longer than Dask's settings say."""
    from distributed import Client

    class Closing(Client):
        """A client that is closed if it cannot connect.

        Left to the garbage collector it would close itself at any time, also while the next client
        is being made, which holds the lock that closing needs: the process would hang for ever.
        """

        def __init__(self) -> None:
            try:
                super().__init__(address)
            except BaseException:
                self.close()
                raise

    try:
        return Closing()
    except (OSError, TypeError, ValueError) as error:  # a TypeError where certificates are missing
        raise ConnectionError(
            f"no scheduler of Dask answers at client={address!r}; start one there, or check the "
            "address and the certificates."
        ) from error


def _join(parts: list[list[Part]], states: list[RunState]) -> list[Part]:
    return [
        Part.join(list(of_run), state)
        for of_run, state in zip(zip(*parts, strict=True), states, strict=True)
    ]


class Rounds:
    """The shards of one fit on the workers of a client."""

    def __init__(
        self, client: Any, blocks: list[tuple[Any, Any, str]],
        make: Callable[..., Shard] = Shard, share: float = 0.0,
    ) -> None:  # fmt: skip
        from dask import delayed

        self.client, self.token, self.share_held_out = client, secrets.token_hex(4), share
        self.names = [where for _, _, where in blocks]
        build = delayed(make, name="shard", pure=False)
        lazy = [
            build(X, y, where, share, number, dask_key_name=f"shard-{self.token}-{number}")
            for number, (X, y, where) in enumerate(blocks)
        ]
        with _large():
            self.shards = client.compute(lazy)
        self.facts = self.each(Shard.facts)
        self.plan: Any = None

    def __enter__(self) -> Rounds:
        return self

    def __exit__(self, *error: object) -> None:
        self.release()

    def release(self) -> None:
        """Let the workers drop the shards, even if an error that refers to them is kept."""
        for future in self.shards:
            future.release()

    def __len__(self) -> int:
        return len(self.shards)

    def share(self, plan: RoundPlan, estimator: Any) -> list[RunState]:
        """Send the plan to all workers and have their code ready; return where the runs begin."""
        self.plan, facts = self.send(plan), self.facts[0]
        self._warm_up(estimator, facts["sparse"], facts["dtype"], len(plan.plan.classes))
        begin = self._submit("begin", shards.begin, self.shards[0], self.plan, 0)
        states: list[RunState] = self._gather([begin])[0]
        return states

    def _warm_up(self, *kind: Any) -> None:
        """Have the loops loaded, or compiled, on all workers before the first round."""
        from distributed import wait

        warmed = [
            self.client.submit(warm, *kind, workers=[worker], key=f"warm-{secrets.token_hex(8)}")
            for worker in self.client.nthreads()
        ]
        # A worker that dies or hangs meanwhile will load them when its turn comes.
        with suppress(TimeoutError):
            wait(warmed, timeout=PATIENCE)

    def passes(
        self, number: int, states: list[RunState], settled: list[bool],
        before: list[list[Report]] | None, ask: bool = False,
    ) -> list[Part]:  # fmt: skip
        """One round: a pass on every shard, joined up a tree.

        Small weights are joined here, by the same tree: each task between two others costs more
        milliseconds than they take on the wire.
        """
        small = len(self) * sum(state.hypothesis.nbytes for state in states) <= SMALL
        sent = states if small else self.send(states)
        own: list[Any] = [None] * len(self) if before is None else list(before)
        level: list[Any] = self.client.map(
            shards.make_pass, self.shards, range(len(self)), own,
            plan=self.plan, states=sent, settled=settled, ask=ask, pure=False,
            key=[f"pass-{number}-{secrets.token_hex(8)}" for _ in self.shards],
        )  # fmt: skip
        if small:
            level = self._gather(level)
        while len(level) > 1:
            fans = [level[first : first + FAN] for first in range(0, len(level), FAN)]
            level = [
                _join(fan, states) if small else self._submit(f"mix-{number}", _join, fan, sent)
                for fan in fans
            ]
        parts: list[Part] = (level if small else self._gather(level))[0]
        return parts

    def survey(self, hypotheses: list[Array]) -> list[list[Survey]]:
        """What each shard finds of the hypotheses."""
        sent = self.send(hypotheses)
        return self._gather(
            [
                self._submit("survey", shards.survey, one, self.plan, place, sent)
                for place, one in enumerate(self.shards)
            ]
        )

    def each(self, function: Callable[..., Any], *rest: Any) -> list[Any]:
        """Call a function on every shard and return the results."""
        name = function.__name__
        return self._gather([self._submit(name, function, one, *rest) for one in self.shards])

    # --- Dask -------------------------------------------------------------------------------

    def _submit(self, name: str, function: Callable[..., Any], *rest: Any) -> Any:
        # The name up to the token is what the dashboard shows.
        key = f"{name}-{secrets.token_hex(8)}"
        return self.client.submit(function, *rest, key=key, pure=False)

    def _gather(self, futures: list[Any]) -> list[Any]:
        """Return the results of tasks; raise an error if no worker is left."""
        from distributed import wait

        try:
            while True:
                try:
                    wait(futures, timeout=PATIENCE)
                except TimeoutError:
                    self._check_workers()
                    continue
                found: list[Any] = self.client.gather(futures)
                return found
        except BaseException as error:
            sentence = _too_large(self._failed(futures), error)
            self.release()
            if sentence is None:
                raise
            raise RuntimeError(sentence) from None

    def _check_workers(self) -> None:
        """Raise an error if nobody is left to work on the tasks."""
        if self.client.status != "running":
            raise RuntimeError(
                "the scheduler of the cluster is gone; start one and fit again (with checkpoint= "
                "it goes on after the last round)."
            )
        if not self.client.nthreads():
            raise RuntimeError(
                "no worker is left on the cluster; start some and fit again (with checkpoint= "
                "it goes on after the last round)."
            )

    def _failed(self, futures: list[Any]) -> str:
        """Return the name of the shard whose task failed; of all that Dask suspects."""
        failed = []
        if len(futures) == len(self.names):
            pairs = zip(self.names, futures, strict=True)
            failed = [name for name, future in pairs if future.status == "error"]
        return " or ".join(failed[:MOST_NAMED]) or "a shard"

    def send(self, what: Any) -> Any:
        """Send something to all workers."""
        # As a task of its own: unlike data that are scattered it outlives the workers, since the
        # scheduler keeps it and can have it computed again.
        with _large():
            return self._submit("send", _itself, what)


def _too_large(shard: str, error: BaseException) -> str | None:
    """Return a sentence about a shard that no worker can hold; None for another error."""
    from distributed import KilledWorker

    remedy = "cut the data into more shards, or give the workers more memory."
    if isinstance(error, KilledWorker):
        return (
            f"{shard} ended every worker that was given it, most likely because it does not fit "
            f"into their memory; {remedy}"
        )
    if isinstance(error, MemoryError):
        return f"{shard} does not fit into the memory of a worker; {remedy}"
    return None


@contextmanager
def _large() -> Any:
    """Silence Dask's warning about large graphs: the data must be sent anyway."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sending large graph")
        yield


def _itself(what: Any) -> Any:
    return what


def warm(estimator: Any, sparse: bool, dtype: str, classes: int) -> None:
    """Run the loops once on a few made-up examples of the same kind."""
    import scipy.sparse as sp

    X = np.eye(max(classes, 2), dtype=dtype)
    small = type(estimator)(**estimator.get_params()).set_params(
        max_iter=1, random_state=0, class_weight=None, early_stopping=False, verbose=0, order=None
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        small.fit(sp.csr_array(X) if sparse else X, np.arange(len(X)))
