"""What simulations and recordings tell of their bodies alike."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Chosen = str | int | ArrayLike | None
"""Which bodies: a name, an index, indices or a mask; None is all."""


class Core(Protocol):
    """What stands behind a simulation or a recording."""

    @property
    def title(self) -> str: ...
    def names(self) -> list[str]: ...
    def groups(self) -> dict[str, NDArray[np.int64]]: ...
    def masses(self) -> Floats: ...
    def radii(self) -> Floats: ...


class Bodies:
    """Names, groups and figures of bodies that do not change."""

    def _source(self) -> Core:
        raise NotImplementedError

    @property
    def title(self) -> str:
        """One line that says what it is."""
        return self._source().title

    @property
    def names(self) -> list[str]:
        """Names of all bodies."""
        return self._source().names()

    @property
    def groups(self) -> dict[str, NDArray[np.int64]]:
        """Indices of the bodies of each name."""
        return self._source().groups()

    @property
    def masses(self) -> Floats:
        """Masses, kg, (n,); zero for bodies that no force moves."""
        return self._source().masses()

    @property
    def radii(self) -> Floats:
        """Radii of the balls around the shapes' origins that hold them, m; infinite for planes."""
        return self._source().radii()

    def index(self, name: str) -> int:
        """The index of a body: ``"slab"``, or ``"grains[17]"`` where several share the name.

        Examples
        --------
        >>> import drystone as ds
        >>> sim = ds.load("stack")
        >>> sim.index("ground"), sim.index("plates[3]")
        (0, 4)
        """
        groups = self.groups
        group, _, rest = name.partition("[")
        if name in groups and len(groups[name]) == 1:
            return int(groups[name][0])
        number = rest.rstrip("]")
        if group in groups and number.isdecimal() and int(number) < len(groups[group]):
            return int(groups[group][int(number)])
        if name in groups:
            raise ValueError(f"there are {len(groups[name])} bodies called {name!r}: say {name}[0]")
        raise ValueError(f"no body is called {name!r}; there are {', '.join(groups)}")

    def _indices(self, bodies: Chosen, count: int) -> NDArray[np.int64] | None:
        """Indices of bodies, of so many; None for all."""
        if bodies is None:
            return None
        if isinstance(bodies, str):
            groups = self.groups
            return groups[bodies] if bodies in groups else np.array([self.index(bodies)])
        indices = np.asarray(bodies)
        if indices.dtype == np.bool_ and indices.ndim == 1:
            if indices.shape != (count,):
                raise ValueError(f"bodies: a mask of shape {indices.shape}, expected ({count},)")
            return np.flatnonzero(indices)
        if indices.size == 0:
            return np.zeros(0, dtype=np.int64)
        whole = indices.dtype.kind in "iu" and indices.ndim <= 1
        if not whole:
            raise ValueError(
                f"bodies: found {indices.dtype} of shape {indices.shape}, expected a name, an index, "
                "a list of indices or a mask"
            )
        indices = np.atleast_1d(indices).astype(np.int64)
        wrong = indices[(indices < 0) | (indices >= count)]
        if len(wrong):
            raise ValueError(f"bodies: {wrong[0]} is not the index of a body: there are {count}")
        return indices
