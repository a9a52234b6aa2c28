"""Beyond one machine: the linear family on Dask, by iterative parameter mixing."""

from __future__ import annotations

from rosenblatt.cluster.fit import describe_round
from rosenblatt.cluster.perceptron import DistributedPerceptron

__all__ = ["DistributedPerceptron", "describe_round"]
