"""Cones: the sets that impulses lie in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class Cone:
    """A set that the impulses of one contact or joint lie in: one of the classes below."""

    def _words(self) -> tuple[str, list[float]]:
        raise NotImplementedError


@dataclass(frozen=True)
class Friction(Cone):
    """Coulomb's cone, 3 rows: normal and two tangents.

    Attributes
    ----------
    friction : float
        Coefficient of sliding friction.
    cohesion : float
        Largest pulling impulse, N s.
    """

    friction: float
    cohesion: float = 0.0

    def _words(self) -> tuple[str, list[float]]:
        return "friction", [self.friction, self.cohesion]


@dataclass(frozen=True)
class Rolling(Cone):
    """Sliding and rolling friction, 5 rows; with spinning friction 6.

    Attributes
    ----------
    friction : float
        Coefficient of sliding friction.
    rolling, spinning : float
        Coefficients of rolling and spinning friction, m.
    cohesion : float
        Largest pulling impulse, N s.
    """

    friction: float
    rolling: float
    spinning: float | None = None
    cohesion: float = 0.0

    def _words(self) -> tuple[str, list[float]]:
        if self.spinning is None:
            return "rolling", [self.friction, self.rolling, self.cohesion]
        return "rolling-spinning", [self.friction, self.rolling, self.spinning, self.cohesion]


@dataclass(frozen=True)
class Box(Cone):
    """``lower <= gamma <= upper``, 1 row: a motor with a force limit. Ends may be infinite."""

    lower: float
    upper: float

    def _words(self) -> tuple[str, list[float]]:
        return "interval", [self.lower, self.upper]


@dataclass(frozen=True)
class NonNegative(Cone):
    """``gamma >= 0``, 1 row: a frictionless contact or a joint limit."""

    def _words(self) -> tuple[str, list[float]]:
        return "non-negative", []


@dataclass(frozen=True)
class Free(Cone):
    """Everything, 1 to 6 rows: a joint. The velocity must vanish there."""

    rows: int

    def _words(self) -> tuple[str, list[float]]:
        return "free", [float(self.rows)]


def cone_of(kind: str, figures: Sequence[float]) -> Cone:
    """The cone that the engine calls by this name."""
    if kind == "friction":
        return Friction(*figures)
    if kind == "rolling":
        return Rolling(figures[0], figures[1], None, figures[2])
    if kind == "rolling-spinning":
        return Rolling(figures[0], figures[1], figures[2], figures[3])
    if kind == "interval":
        return Box(*figures)
    return NonNegative() if kind == "non-negative" else Free(int(figures[0]))
