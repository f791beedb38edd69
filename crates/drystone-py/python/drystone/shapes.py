"""Shapes of bodies, as scenes have them, and from arrays."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._checks import reals


class Shape:
    """A shape; made by :func:`sphere`, :func:`box` and their kin.

    Attributes
    ----------
    table : dict
        What a scene says of it. Of a shape made from arrays that no scene can hold: nothing but
        its type.

    Examples
    --------
    >>> import drystone as ds
    >>> ds.sphere(0.1).table
    {'type': 'sphere', 'radius': 0.1}
    """

    def __init__(self, table: Mapping[str, Any], native: _core.Shape | None = None) -> None:
        self.table = dict(table)
        self._native = native

    def __repr__(self) -> str:
        inner = ", ".join(f"{k}={v!r}" for k, v in self.table.items() if k != "type")
        return f"{self.table['type']}({inner})"


def sphere(radius: float | str) -> Shape:
    """A ball.

    Parameters
    ----------
    radius : float or str
        m, or text with a unit.

    Examples
    --------
    >>> import drystone as ds
    >>> ds.sphere("5 cm")
    sphere(radius='5 cm')
    """
    return Shape({"type": "sphere", "radius": radius})


def box(size: ArrayLike) -> Shape:
    """A box of these edge lengths, m.

    Examples
    --------
    >>> import drystone as ds
    >>> ds.box([1, 2, 0.5])
    box(size=[1.0, 2.0, 0.5])
    """
    return Shape({"type": "box", "size": _numbers(size, "box: size", 3)})


def ellipsoid(semi_axes: ArrayLike) -> Shape:
    """An ellipsoid of these semi-axes, m.

    Examples
    --------
    >>> import drystone as ds
    >>> ds.ellipsoid([0.1, 0.1, 0.2])
    ellipsoid(semi_axes=[0.1, 0.1, 0.2])
    """
    return Shape({"type": "ellipsoid", "semi_axes": _numbers(semi_axes, "ellipsoid", 3)})


def cylinder(radius: float | str, height: float | str) -> Shape:
    """A cylinder about the z axis, m; its middle is the origin.

    Examples
    --------
    >>> import drystone as ds
    >>> ds.cylinder(0.1, 0.3)
    cylinder(radius=0.1, height=0.3)
    """
    return Shape({"type": "cylinder", "radius": radius, "height": height})


def capsule(radius: float | str, height: float | str) -> Shape:
    """A cylinder about the z axis with half balls at its ends; `height` is between their centres.

    Examples
    --------
    >>> import drystone as ds
    >>> ds.capsule(0.1, 0.3)
    capsule(radius=0.1, height=0.3)
    """
    return Shape({"type": "capsule", "radius": radius, "height": height})


def cone(radius: float | str, height: float | str) -> Shape:
    """A cone about the z axis, its tip up; half its height is above the origin.

    Examples
    --------
    >>> import drystone as ds
    >>> ds.cone(0.1, 0.3)
    cone(radius=0.1, height=0.3)
    """
    return Shape({"type": "cone", "radius": radius, "height": height})


def plane() -> Shape:
    """The half-space below z = 0; for fixed bodies.

    Examples
    --------
    >>> import drystone as ds
    >>> ds.plane()
    plane()
    """
    return Shape({"type": "plane"})


def hull(points: ArrayLike) -> Shape:
    """The convex hull of points.

    Parameters
    ----------
    points : array_like of shape (n, 3)
        m; at least four that do not lie in one plane.

    Examples
    --------
    >>> import drystone as ds
    >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> round(ds.hull(corners)._native.volume, 6)
    0.166667
    """
    native = _core.Shape.hull(points)
    rows = reals(points, "hull: points").tolist()
    return Shape({"type": "hull", "points": rows}, native)


def mesh(
    vertices: ArrayLike | str | os.PathLike[str],
    faces: ArrayLike | None = None,
    *,
    scale: float | None = None,
    pieces: int | None = None,
) -> Shape:
    """A triangle mesh, from arrays or from a file.

    Parameters
    ----------
    vertices : array_like of shape (n, 3), or str
        m; or the path of an .stl or .obj file.
    faces : array_like of shape (m, 3), optional
        Indices of vertices from 0, counter-clockwise as seen from outside.
    scale : float, optional
        Factor on the lengths of a file.
    pieces : int, optional
        Cut the solid into at most so many convex pieces, which collide faster.

    Raises
    ------
    MeshError
        Where the faces are no surface.

    Examples
    --------
    >>> import drystone as ds
    >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> ds.mesh(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    mesh()
    """
    if isinstance(vertices, (str, os.PathLike)):
        if faces is not None:
            raise ValueError("mesh: a file brings its faces along")
        table: dict[str, Any] = {"type": "mesh", "file": os.fspath(vertices)}
        if scale is not None:
            table["scale"] = scale
        if pieces is not None:
            table |= {"decompose": True, "pieces": pieces}
        return Shape(table)
    if faces is None:
        raise ValueError("mesh: faces are missing")
    points = reals(vertices, "mesh: vertices") * (1.0 if scale is None else scale)
    return Shape({"type": "mesh"}, _core.Shape.mesh(points, faces, pieces))


def height_field(heights: ArrayLike, size: ArrayLike) -> Shape:
    """Ground with given heights on a grid; for fixed bodies.

    Parameters
    ----------
    heights : array_like of shape (rows, columns)
        m; the row with the lowest y first, within a row the lowest x.
    size : array_like of 2
        Extent along x and y, m. The origin is in the middle.

    Examples
    --------
    >>> import drystone as ds
    >>> ds.height_field([[0, 0], [0.1, 0.1]], [2, 2])
    height_field(size=[2.0, 2.0], heights=[[0.0, 0.0], [0.1, 0.1]])
    """
    rows = reals(heights, "height_field: heights")
    if rows.ndim != 2 or min(rows.shape) < 2:
        raise ValueError(f"height_field: heights have the shape {rows.shape}, expected two rows or more")
    extent = _numbers(size, "height_field: size", 2)
    return Shape({"type": "height_field", "size": extent, "heights": rows.tolist()})


def compound(parts: Iterable[Any]) -> Shape:
    """Several convex shapes as one.

    Parameters
    ----------
    parts : iterable
        Shapes, or tuples of a shape, its position in m, and its rotation as in scenes.

    Examples
    --------
    >>> import drystone as ds
    >>> dumbbell = ds.compound([(ds.sphere(0.1), [0, 0, z]) for z in (-0.2, 0.2)])
    >>> len(dumbbell.table["parts"])
    2
    """
    tables = []
    for number, part in enumerate(parts):
        shape, *rest = part if isinstance(part, tuple) else (part,)
        if not isinstance(shape, Shape) or len(rest) > 2:
            raise TypeError(f"compound: part {number} is not a shape, a position and a rotation")
        if shape.table["type"] == "mesh" and shape._native is not None:
            raise ValueError(f"compound: part {number} is a mesh from arrays; use hulls of its points")
        table: dict[str, Any] = {"shape": shape.table}
        if rest:
            table["position"] = _numbers(rest[0], f"compound: position of part {number}", 3)
        if len(rest) == 2:
            table["rotation"] = rest[1]
        tables.append(table)
    return Shape({"type": "compound", "parts": tables})


def _numbers(given: Any, where: str, count: int) -> list[Any]:
    """Numbers, or texts with units."""
    items = list(given) if not isinstance(given, str) else [given]
    if len(items) != count:
        raise ValueError(f"{where}: found {len(items)} entries, expected {count}")
    return [item if isinstance(item, str) else float(item) for item in items]
