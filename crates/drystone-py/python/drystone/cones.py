"""Cones: the sets that impulses lie in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class Cone:
    """A set that the impulses of one contact or joint lie in: one of the classes below.

    Examples
    --------
    >>> import drystone as ds
    >>> isinstance(ds.Friction(0.5), ds.Cone)
    True
    """

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

    Examples
    --------
    >>> import drystone as ds, numpy as np
    >>> pulled = ds.solve(np.eye(3), [0.2, 0, 0], cones=[ds.Friction(0.5, cohesion=0.1)])
    >>> float(pulled.gamma[0])
    -0.1
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

    Examples
    --------
    >>> import drystone as ds, numpy as np
    >>> problem = ds.Problem.of(np.eye(5), [-1, 0, 0, 3, 0], cones=[ds.Rolling(0.5, rolling=0.01)])
    >>> bool(np.allclose(problem.solve(tolerance=1e-10).gamma[3], -0.01, atol=1e-3))
    True
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
    """``lower <= gamma <= upper``, 1 row: a motor with a force limit. Ends may be infinite.

    Examples
    --------
    >>> import drystone as ds
    >>> float(ds.solve([[1.0]], [-5.0], cones=[ds.Box(-2, 2)]).gamma[0])
    2.0
    """

    lower: float
    upper: float

    def _words(self) -> tuple[str, list[float]]:
        return "interval", [self.lower, self.upper]


@dataclass(frozen=True)
class NonNegative(Cone):
    """``gamma >= 0``, 1 row: a frictionless contact or a joint limit.

    Examples
    --------
    >>> import drystone as ds
    >>> float(ds.solve([[1.0]], [5.0], cones=[ds.NonNegative()]).gamma[0])
    0.0
    """

    def _words(self) -> tuple[str, list[float]]:
        return "non-negative", []


@dataclass(frozen=True)
class Free(Cone):
    """Everything, 1 to 6 rows: a joint. The velocity must vanish there.

    Examples
    --------
    >>> import drystone as ds
    >>> float(ds.solve([[2.0]], [5.0], cones=[ds.Free(1)]).gamma[0])
    -2.5
    """

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
