"""How probable each possible cause is: a linear model over the facts, and how often such an answer was right.

`make train` writes the weights and the calibration to `weights.json`. A score is the sum of the weights of the facts
that hold; scores become shares of the possible causes. The share of the first cause becomes a probability by the
calibration: how often first causes with such a share were right in repositories that the weights were not trained on.
"""

from __future__ import annotations

import json
import math
import pkgutil
from bisect import bisect_right
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

WITH_SOURCE, REPORT_ONLY = "with source", "report alone"
_FILE = "weights.json"


class Model(NamedTuple):
    """The weights for one kind of input."""

    bias: dict[str, float]
    weights: dict[str, dict[str, float]]  # by feature and cause
    thresholds: tuple[float, ...]  # shares from which on the next probability applies
    probabilities: tuple[float, ...]


class RankedCause(NamedTuple):
    cause: str
    probability: float
    share: float  # of the possible causes, before calibration


@cache
def load_model(name: str) -> Model:
    data = json.loads(pkgutil.get_data("deadheat.diagnosis", _FILE) or b"{}")[name]
    steps = data["calibration"]
    return Model(data["bias"], data["weights"], tuple(step[0] for step in steps), tuple(step[1] for step in steps))


def cause_shares(model: Model, features: Iterable[str], causes: Sequence[str]) -> list[tuple[str, float]]:
    """The share of each cause, greatest first."""
    scores = {cause: model.bias.get(cause, 0.0) for cause in causes}
    for feature in sorted(features):
        for cause, weight in model.weights.get(feature, {}).items():
            if cause in scores:
                scores[cause] += weight
    greatest = max(scores.values(), default=0.0)
    exponentials = {cause: math.exp(score - greatest) for cause, score in scores.items()}
    total = sum(exponentials.values())
    return sorted(
        [(cause, value / total) for cause, value in exponentials.items()], key=lambda item: (-item[1], item[0])
    )


def rank_causes(features: Iterable[str], causes: Sequence[str], with_source: bool) -> list[RankedCause]:
    """The possible causes with the probability that each is right, most probable first."""
    model = load_model(WITH_SOURCE if with_source else REPORT_ONLY)
    shares = cause_shares(model, features, causes)
    if not shares:
        return []
    first = calibrated(model, shares[0][1])
    rest = max(1e-9, 1 - shares[0][1])
    others = [RankedCause(cause, min(first, (1 - first) * share / rest), share) for cause, share in shares[1:]]
    return [RankedCause(shares[0][0], first, shares[0][1]), *others]


def calibrated(model: Model, share: float) -> float:
    """How often a first cause with such a share is right."""
    return model.probabilities[max(0, bisect_right(model.thresholds, share) - 1)]
