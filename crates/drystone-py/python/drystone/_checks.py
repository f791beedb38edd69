"""Checks of arguments."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray


def whole(number: Any, what: str, least: int = 0) -> int:
    """A whole number that is not below `least`."""
    try:
        fits = int(number) == number and number >= least
    except (TypeError, ValueError, OverflowError):
        fits = False
    if not fits:
        raise ValueError(f"{what}: {number!r} is not a whole number >= {least}")
    return int(number)


def real(number: Any, what: str, endless: bool = False) -> float:
    """A finite number; an infinite one where that makes sense."""
    try:
        value = float(number)
    except (TypeError, ValueError, OverflowError):
        value = math.nan
    fits = math.isfinite(value) or (endless and value == math.inf)
    if isinstance(number, str) or not fits:
        raise ValueError(f"{what}: {number!r} is not a finite number")
    return value


def reals(given: Any, where: str) -> NDArray[np.float64]:
    """A new array of doubles. Text and complex numbers, which numpy would convert, are refused."""
    array = np.asarray(given)
    if array.dtype.kind not in "biufO":
        raise ValueError(f"{where}: found {array.dtype}, expected real numbers")
    try:
        return np.array(array, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{where}: not an array of numbers") from None
