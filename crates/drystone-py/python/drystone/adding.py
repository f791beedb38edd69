"""Bodies of a world: one by one, and many at once from arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._checks import reals
from ._motions import follow
from ._tables import Floats, Tables
from .shapes import Shape

Motion = Callable[[float], Any] | tuple[ArrayLike, ...] | Mapping[str, Any]


class Adding(Tables):
    """How bodies get into a world."""

    def add(
        self,
        shape: Shape,
        name: str | None = None,
        *,
        motion: Motion | None = None,
        quaternion: ArrayLike | None = None,
        **keys: Any,
    ) -> str:
        """Add a body.

        Parameters
        ----------
        shape : Shape
        name : str, optional
            Bodies of one name form a group.
        motion : callable, tuple of arrays or mapping, optional
            How a body moves that no force moves: a function of the time in s that returns a
            position, or a position and a quaternion; times and positions (and quaternions) to go
            through; or what scenes say, ``{"type": "rotation", "rate": 2, "axis": [0, 0, 1]}``.
        quaternion : array_like of 4, optional
            Its rotation, [w, x, y, z].
        **keys
            Other keys of a body: ``position``, ``rotation`` (degrees), ``velocity``,
            ``angular_velocity``, ``mass``, ``density``, ``material``, ``kind``, ``load``, ``look``,
            ``color``, ``inertia``, ``center``, ``repeat``.

        Returns
        -------
        str
            Its name.

        Examples
        --------
        >>> import drystone as ds
        >>> world = ds.World()
        >>> world.add(ds.box([1, 1, 0.1]), name="lid", motion=lambda t: [0, 0, 1 - 0.1 * t])
        'lid'
        """
        if not isinstance(shape, Shape):
            raise TypeError(f"body: found {type(shape).__name__}, expected a shape")
        name = self._name(name, "body")
        moves = motion is not None and not isinstance(motion, Mapping)
        is_native = shape._native is not None and shape.table["type"] == "mesh"
        self._take(name, alone=moves or is_native)
        if quaternion is not None:
            keys["rotation"] = {"quaternion": reals(quaternion, f"body {name}: quaternion").tolist()}
        entries: dict[str, Any] = {"name": name, "shape": shape.table, **keys}
        if is_native and shape._native is not None:
            self._natives[name] = shape._native
        if isinstance(motion, Mapping):
            entries["motion"] = dict(motion)
        elif motion is not None:
            function = follow(*motion) if isinstance(motion, tuple) else motion
            if not callable(function):
                raise TypeError(f"body {name}: its motion is neither a function nor arrays")
            self._motions[name] = function
            entries.setdefault("kind", "prescribed")
        self._put("body", entries)
        return name

    def add_many(
        self,
        shape: Shape | None,
        positions: ArrayLike,
        name: str | None = None,
        *,
        radii: ArrayLike | None = None,
        quaternions: ArrayLike | None = None,
        velocities: ArrayLike | None = None,
        angular_velocities: ArrayLike | None = None,
        masses: ArrayLike | None = None,
        **keys: Any,
    ) -> str:
        """Add many bodies at once, from arrays.

        Parameters
        ----------
        shape : Shape or None
            The shape of all; None for balls of the given `radii`.
        positions : array_like of shape (n, 3)
            m.
        name : str, optional
            Name of the group.
        radii : array_like of n, or float, optional
            Radii of balls, m.
        quaternions : array_like of shape (n, 4), optional
        velocities, angular_velocities : array_like of shape (n, 3), optional
            m/s and rad/s.
        masses : array_like of n, or float, optional
            kg; from the density unless given.
        **keys
            What all share: ``material``, ``density``, ``kind``, ``look``, ``color``.

        Returns
        -------
        str
            The name of the group.

        Examples
        --------
        >>> import drystone as ds, numpy as np
        >>> world = ds.World()
        >>> grid = 0.1 * np.stack(np.meshgrid(*3 * [np.arange(5)]), -1).reshape(-1, 3)
        >>> world.add_many(None, grid, "balls", radii=0.04)
        'balls'
        >>> len(world.build())
        125
        """
        name = self._name(name, "bodies")
        places = reals(positions, f"bodies {name}: positions")
        if places.ndim != 2 or places.shape[1:] != (3,) or len(places) == 0:
            raise ValueError(f"bodies {name}: positions have the shape {places.shape}, expected (n, 3)")
        count = len(places)
        if (shape is None) == (radii is None):
            raise ValueError(f"bodies {name}: either a shape or radii are needed")
        arrays = {
            "positions": places,
            "radii": _column(radii, count, f"bodies {name}: radii"),
            "masses": _column(masses, count, f"bodies {name}: masses"),
            "quaternions": _rows(quaternions, count, 4, f"bodies {name}: quaternions"),
            "velocities": _rows(velocities, count, 3, f"bodies {name}: velocities"),
            "angular_velocities": _rows(
                angular_velocities, count, 3, f"bodies {name}: angular_velocities"
            ),
        }
        given = {key: array for key, array in arrays.items() if array is not None}
        for key, array in given.items():
            bad = np.flatnonzero(~np.isfinite(array).reshape(count, -1).all(axis=1))
            if len(bad):
                raise ValueError(f"bodies {name}: {key}, row {bad[0]}: not a finite number")
        if radii is not None and (given["radii"] <= 0).any():
            bad = np.flatnonzero(given["radii"] <= 0)[0]
            raise ValueError(f"bodies {name}: radii, row {bad}: {given['radii'][bad]} is not > 0")
        self._take(name, alone=True)
        table = {"type": "sphere"} if shape is None else shape.table
        if shape is not None and shape._native is not None and table["type"] == "mesh":
            self._natives[name] = shape._native
        entries = {"name": name, "shape": table, **keys}
        self._many[self._put("body", row_of(entries, given, 0))] = given
        return name

    def container(self, name: str, shape: Mapping[str, Any], **keys: Any) -> str:
        """Add walls around an empty inside: ``shape={"type": "box", "size": [1, 1, 1]}``.

        Examples
        --------
        >>> import drystone as ds
        >>> world = ds.World()
        >>> world.container("cup", {"type": "cylinder", "radius": 0.1, "height": 0.2}, open=["top"])
        'cup'
        """
        self._put("container", {"name": name, "shape": dict(shape), **keys})
        return name

    def fill(self, shape: Shape | None = None, name: str = "grains", **keys: Any) -> str:
        """Add many grains in a region or container, without overlap: ``count``, ``container``,
        ``sizes``, ``arrangement``, ``seed``, ``material``, ...

        Examples
        --------
        >>> import drystone as ds
        >>> world = ds.World()
        >>> cup = world.container("cup", {"type": "cylinder", "radius": 0.1, "height": 0.2})
        >>> world.fill(ds.sphere(0.01), count=50, container="cup")
        'grains'
        >>> len(world.build().groups["grains"])
        50
        """
        table = None if shape is None else shape.table
        self._put("fill", {"name": name, "shape": table, **keys})
        return name


def row_of(entries: Mapping[str, Any], arrays: Mapping[str, Floats], k: int) -> dict[str, Any]:
    """One body of many, as a scene says it."""
    row = {**entries, "position": arrays["positions"][k].tolist()}
    if "radii" in arrays:
        row["shape"] = {"type": "sphere", "radius": float(arrays["radii"][k])}
    if "masses" in arrays:
        row["mass"] = float(arrays["masses"][k])
    if "quaternions" in arrays:
        row["rotation"] = {"quaternion": arrays["quaternions"][k].tolist()}
    if "velocities" in arrays:
        row["velocity"] = arrays["velocities"][k].tolist()
    if "angular_velocities" in arrays:
        row["angular_velocity"] = arrays["angular_velocities"][k].tolist()
    return row


def _column(given: ArrayLike | None, count: int, where: str) -> Floats | None:
    if given is None:
        return None
    array = reals(given, where)
    if array.shape not in ((), (count,)):
        raise ValueError(f"{where} have the shape {array.shape}, expected ({count},) or one number")
    column: Floats = np.broadcast_to(array, (count,)).copy()
    return column


def _rows(given: ArrayLike | None, count: int, columns: int, where: str) -> Floats | None:
    if given is None:
        return None
    array = reals(given, where)
    if array.shape not in ((columns,), (count, columns)):
        raise ValueError(f"{where} have the shape {array.shape}, expected ({count}, {columns})")
    rows: Floats = np.broadcast_to(array, (count, columns)).copy()
    return rows
