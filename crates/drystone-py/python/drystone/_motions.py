"""Motions through given places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._checks import reals


def follow(
    times: ArrayLike, positions: ArrayLike, quaternions: ArrayLike | None = None
) -> Callable[[float], Any]:
    """A motion through given places: straight between them, and at rest before and after."""
    t, x = reals(times, "motion: times"), reals(positions, "motion: positions")
    if t.ndim != 1 or x.shape != (len(t), 3) or not (np.diff(t) > 0).all() or len(t) == 0:
        raise ValueError(
            f"motion: times of shape {t.shape} and positions of shape {x.shape}, expected n rising "
            "times and n x 3 positions"
        )
    if quaternions is None:
        return lambda time: [np.interp(time, t, x[:, k]) for k in range(3)]
    q = reals(quaternions, "motion: quaternions")
    if q.shape != (len(t), 4):
        raise ValueError(f"motion: quaternions of shape {q.shape}, expected ({len(t)}, 4)")
    # The shorter way round: a quaternion and its negative are the same rotation.
    for k in range(1, len(q)):
        if q[k] @ q[k - 1] < 0:
            q[k] = -q[k]

    def place(time: float) -> tuple[list[Any], list[Any]]:
        return (
            [np.interp(time, t, x[:, k]) for k in range(3)],
            [np.interp(time, t, q[:, k]) for k in range(4)],
        )

    return place
