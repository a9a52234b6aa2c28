"""What predicts, and nothing else: linear maps, hypotheses that vote, sums over examples."""

from rosenblatt.models.expansion import Course, Crowd, Expansion
from rosenblatt.models.linear import Linear, blocks, product
from rosenblatt.models.votes import Assembly, Jury, Votes

__all__ = [
    "Assembly",
    "Course",
    "Crowd",
    "Expansion",
    "Jury",
    "Linear",
    "Votes",
    "blocks",
    "product",
]
