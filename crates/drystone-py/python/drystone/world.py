"""Worlds: scenes built from Python instead of a file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core, _toml
from ._checks import reals
from ._motions import follow
from .reports import ENDLESS
from .shapes import Shape
from .simulation import Simulation

Floats = NDArray[np.float64]
Motion = Callable[[float], Any] | tuple[ArrayLike, ...] | Mapping[str, Any]

MOTORS = ("speed", "position", "force", "torque")


class World:
    """A scene that grows by calls. Its parts are those of scene files, with the same names.

    Parameters
    ----------
    title : str
        What it is called, in one line.
    **settings
        Keys of ``[settings]``: ``gravity``, ``time_step``, ``tolerance``, ``law``, ``duration``,
        ``periodic={"x": [0, 1]}``, ... Without a duration the world has no end of its own.

    Examples
    --------
    >>> import drystone as ds
    >>> world = ds.World(time_step=0.005)
    >>> world.material("steel", friction=0.2, density=7800)
    'steel'
    >>> world.add(ds.plane(), name="floor", material="steel")
    'floor'
    >>> world.add(ds.sphere(0.1), name="ball", position=[0, 0, 0.1], material="steel")
    'ball'
    >>> sim = world.build()
    >>> summary = sim.run(until=0.5)
    >>> weight = sim.masses[sim.index("ball")] * 9.81
    >>> bool(abs(sim.force(on="ball", by="floor")[2] / weight - 1) < 1e-3)
    True
    """

    def __init__(self, title: str = "A world built in Python", **settings: Any) -> None:
        self.title = title
        self._settings = dict(settings)
        self._tables: dict[str, list[dict[str, Any]]] = {}
        self._order: list[tuple[str, int]] = []
        self._single: dict[str, dict[str, Any]] = {}
        self._many: dict[int, dict[str, Any]] = {}
        self._natives: dict[str, _core.Shape] = {}
        self._motions: dict[str, Callable[[float], Any]] = {}
        self._motors: dict[str, tuple[str, Callable[[float], float], float | None]] = {}
        self._used: dict[str, int] = {}
        self._taken: dict[str, bool] = {}

    def __repr__(self) -> str:
        bodies = len(self._tables.get("body", []))
        many = sum(len(arrays["positions"]) - 1 for arrays in self._many.values())
        return f"<World {self.title!r}: {bodies + many} bodies>"

    def _put(self, table: str, entries: Mapping[str, Any]) -> int:
        """Adds to a list of tables; returns the place."""
        given = {key: value for key, value in entries.items() if value is not None}
        rows = self._tables.setdefault(table, [])
        rows.append(given)
        self._order.append((table, len(rows) - 1))
        return len(rows) - 1

    def _name(self, name: str | None, kind: str) -> str:
        """The name of a new part: its own, or that of its kind with a number."""
        if name is not None:
            return name
        number = self._used.get(kind, 0)
        self._used[kind] = number + 1
        return kind if number == 0 else f"{kind}-{number}"

    def _take(self, name: str, alone: bool) -> None:
        """Notes the name of bodies. What text cannot hold is found by its name, which therefore
        belongs to it alone."""
        if name in self._taken and (alone or self._taken[name]):
            raise ValueError(
                f"body {name}: the name is taken; bodies from arrays, with a mesh from arrays or with "
                "a motion that is a Python function need one of their own"
            )
        self._taken[name] = alone

    def parameters(self, **values: Any) -> None:
        """Name numbers, for expressions in any key and for sweeps.

        Examples
        --------
        >>> import drystone as ds
        >>> world = ds.World()
        >>> world.parameters(radius="5 cm")
        >>> world.add(ds.sphere("radius"), name="ball", position=[0, 0, "2*radius"])
        'ball'
        >>> float(round(world.build(radius="8 cm").positions[0, 2], 6))
        0.16
        """
        self._single.setdefault("parameters", {}).update(values)

    # --- materials ----------------------------------------------------------------------------

    def material(self, name: str, **figures: Any) -> str:
        """Add a material: ``friction``, ``density``, ``rolling_friction``, ``color``, ...

        Returns
        -------
        str
            Its name.

        Examples
        --------
        >>> import drystone as ds
        >>> world = ds.World()
        >>> world.material("felt", friction=0.8, rolling_friction="1 mm")
        'felt'
        """
        self._put("material", {"name": name, **figures})
        return name

    def pair(self, first: str, second: str, **figures: Any) -> None:
        """Say how two materials act on each other, in place of what follows from their own.

        Examples
        --------
        >>> import drystone as ds
        >>> world = ds.World()
        >>> names = world.material("ice"), world.material("steel")
        >>> world.pair("ice", "steel", friction=0.03)
        """
        self._put("pair", {"materials": [first, second], **figures})

    # --- bodies -------------------------------------------------------------------------------

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
        self._many[self._put("body", _row(entries, given, 0))] = given
        return name

    # --- the rest of a scene --------------------------------------------------------------------

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

    def joint(
        self,
        kind: str,
        first: str | None = None,
        second: str | None = None,
        name: str | None = None,
        *,
        motor: Mapping[str, Any] | None = None,
        **keys: Any,
    ) -> str:
        """Add a joint between two bodies.

        Parameters
        ----------
        kind : str
            "revolute", "prismatic", "spherical", "fixed", "cylindrical", "universal", "distance",
            "link", "point-on-line", "point-on-plane", "gear", "rack" or "coupling".
        first, second : str, optional
            Names of its bodies, ``"slab"`` or ``"links[3]"``; None is the world.
        name : str, optional
        motor : mapping, optional
            ``{"speed": 2.0, "max_force": 10.0}``: one of "speed", "position", "force" (or
            "torque"), a number (positions of revolute joints in rad), an expression of ``t``, or a
            Python function of the time.
        **keys
            Other keys of a joint: ``at``, ``axis``, ``from``, ``to``, ``limits``, ``spring``,
            ``collide``, ``compliance``, ``ratio``, ``joints``, ... (``from_`` stands for ``from``).

        Returns
        -------
        str
            Its name.

        Examples
        --------
        >>> import drystone as ds
        >>> world = ds.World()
        >>> door = world.add(ds.box([1, 0.05, 2]), name="door")
        >>> world.joint("revolute", None, door, name="hinge", at=[-0.5, 0, 0], axis=[0, 0, 1])
        'hinge'
        >>> world.build().joints["kind"][0]
        'revolute'
        """
        name = self._name(name, kind)
        entries: dict[str, Any] = {"type": kind, "name": name}
        if kind != "coupling":
            entries["bodies"] = ["world" if body is None else body for body in (first, second)]
        entries |= {key.rstrip("_"): value for key, value in keys.items()}
        if motor is not None:
            written = self._motor(name, kind, motor)
            if written is not None:
                entries["motor"] = written
        self._put("joint", entries)
        return name

    def _motor(self, name: str, kind: str, motor: Mapping[str, Any]) -> dict[str, Any] | None:
        """What a scene says of a motor; None where a Python function drives it."""
        if "type" in motor:
            return dict(motor)
        drives = [key for key in motor if key in MOTORS]
        unknown = [key for key in motor if key not in (*MOTORS, "max_force")]
        if len(drives) != 1 or unknown:
            found = ", ".join(motor) or "nothing"
            raise ValueError(
                f"joint {name}: a motor has one of {', '.join(MOTORS)}, and max_force; found {found}"
            )
        [drive] = drives
        max_force = motor.get("max_force")
        if callable(motor[drive]):
            self._motors[name] = (drive, motor[drive], max_force)
            return None
        turns, value = kind == "revolute", motor[drive]
        if turns and drive == "position" and isinstance(value, (int, float)):
            # Numbers of scenes are degrees, those of motors in Python radians.
            value = f"{value!r} rad"
        exerts = "torque" if turns else "force"
        written = {"type": exerts if drive in ("force", "torque") else drive, "value": value}
        return written if max_force is None else {**written, "max_force": max_force}

    def robot(self, **keys: Any) -> None:
        """Add a robot from a URDF file: ``name``, ``file``, ``position``, ...

        Examples
        --------
        >>> import drystone as ds, pathlib
        >>> robot = (
        ...     '<robot name="stone"><link name="only"><inertial><mass value="2"/>'
        ...     '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>'
        ... )
        >>> written = pathlib.Path("stone.urdf").write_text(robot)
        >>> world = ds.World()
        >>> world.robot(name="stone", file="stone.urdf", position=[0, 0, 1])
        >>> len(world.build())
        1
        """
        self._put("robot", keys)

    def track(self, **keys: Any) -> None:
        """Add a crawler track: ``name``, ``chassis``, ``sprocket``, ``rollers``, ``shoes``, ...

        Examples
        --------
        >>> import drystone as ds
        >>> world = ds.World()
        >>> chassis = world.add(ds.box([2, 0.6, 0.3]), name="chassis", position=[0, 0, 1], mass=500)
        >>> world.track(
        ...     name="left",
        ...     chassis=chassis,
        ...     sprocket={"at": [1.0, 0.7, 0.6], "teeth": 10, "mass": 50},
        ...     rollers={"at": [[-1.0, 0.7, 0.4], [0.0, 0.7, 0.4]], "radius": 0.2, "mass": 50},
        ...     shoes={"count": 30, "width": 0.3, "thickness": 0.04, "mass": 5},
        ... )
        """
        self._put("track", keys)

    def phase(self, name: str, **keys: Any) -> None:
        """Add a part of the run: ``until={"time": 1}`` or ``until={"rest": ...}``, ``at_start=[...]``.

        Examples
        --------
        >>> import drystone as ds
        >>> world = ds.World()
        >>> world.phase("fall", until={"time": 0.5})
        >>> world.phase("settle", until={"time": 1.0})
        >>> ball = world.add(ds.sphere(0.1))
        >>> world.build().phases
        ['fall', 'settle']
        """
        self._put("phase", {"name": name, **keys})

    def set(self, **settings: Any) -> None:
        """Set keys of ``[settings]``.

        Examples
        --------
        >>> import drystone as ds
        >>> world = ds.World()
        >>> world.set(law="exact", duration=2.0)
        """
        self._settings |= settings

    def recording(self, **keys: Any) -> None:
        """Say what a run writes to its files: ``every``, ``contacts``, ``precision``, ``joints``,
        ``forces=[{"name": "floor", "by": "balls", "on": "floor"}]``.

        Examples
        --------
        >>> import drystone as ds
        >>> world = ds.World()
        >>> world.recording(every=0.01, contacts=True)
        """
        self._single.setdefault("recording", {}).update(keys)

    def view(self, **keys: Any) -> None:
        """Say how pictures are made: ``camera``, ``color_by``, ``clip``.

        Examples
        --------
        >>> import drystone as ds
        >>> world = ds.World()
        >>> world.view(color_by="speed", clip="y<0")
        """
        self._single.setdefault("view", {}).update(keys)

    # --- out ----------------------------------------------------------------------------------

    def to_toml(self) -> str:
        """The world as the text of a scene.

        Raises
        ------
        ValueError
            Where a scene cannot say it: meshes from arrays, motions by Python functions or arrays,
            motors by Python functions.

        Examples
        --------
        >>> import drystone as ds
        >>> world = ds.World("one ball", duration=2.0)
        >>> world.add(ds.sphere(0.5), name="ball")
        'ball'
        >>> print(world.to_toml())
        title = "one ball"
        <BLANKLINE>
        [settings]
        duration = 2.0
        <BLANKLINE>
        [[body]]
        name = "ball"
        shape = { type = "sphere", radius = 0.5 }
        <BLANKLINE>
        """
        for name in self._natives:
            raise ValueError(f"body {name}: a scene cannot hold a mesh from arrays; write it to a file")
        for name in self._motions:
            raise ValueError(f"body {name}: a scene cannot hold a motion by a Python function or arrays")
        for name in self._motors:
            raise ValueError(f"joint {name}: a scene cannot hold a motor that is a Python function")
        return self._text(whole=True)

    def _text(self, whole: bool) -> str:
        """The text; of bodies from arrays all, or only the first of each."""
        parts = [_toml.table({"title": self.title}, "scene")]
        single = dict(self._single)
        if "parameters" in single:
            parts.append("[parameters]\n" + _toml.table(single.pop("parameters"), "parameters"))
        settings = dict(self._settings)
        if self._is_endless():
            settings["duration"] = ENDLESS
        parts.append("[settings]\n" + _toml.table(settings, "settings"))
        for table, place in self._order:
            entries = self._tables[table][place]
            where = f"{table} {entries.get('name', place)}"
            rows = [entries]
            if table == "body" and place in self._many and whole:
                arrays = self._many[place]
                rows += [_row(entries, arrays, k) for k in range(1, len(arrays["positions"]))]
            if table == "body" and entries["name"] in self._natives:
                # Stands in for what text cannot hold.
                rows = [{**entries, "shape": {"type": "sphere", "radius": 1.0}}]
            parts += [f"[[{table}]]\n" + _toml.table(row, where) for row in rows]
        for table, entries in single.items():
            parts.append(f"[{table}]\n" + _toml.table(entries, table))
        return "\n".join(parts)

    def _is_endless(self) -> bool:
        """Whether neither a duration nor a phase ends it."""
        phases = self._tables.get("phase", [])
        return "duration" not in self._settings and not (phases and "until" in phases[-1])

    def build(self, **parameters: Any) -> Simulation:
        """Build the world. It may be changed and built again.

        Returns
        -------
        Simulation

        Raises
        ------
        SceneError
            Where something is wrong; its key names the part.

        Examples
        --------
        >>> import drystone as ds
        >>> world = ds.World()
        >>> ball = world.add(ds.sphere(0.1), name="ball")
        >>> world.build()
        <Simulation of 'A world built in Python': 1 bodies, t = 0 s>
        """
        overrides = [(key, _toml.override(value, key)) for key, value in parameters.items()]
        return self._build(overrides, False, None)

    def _build(
        self,
        overrides: Iterable[tuple[str, str]],
        allow_outside: bool,
        start: os.PathLike[str] | None,
    ) -> Simulation:
        many = [
            (self._tables["body"][place]["name"], {key: array[1:] for key, array in arrays.items()})
            for place, arrays in self._many.items()
            if len(arrays["positions"]) > 1
        ]
        core = _core.Simulation(
            "text",
            self._text(whole=False),
            list(overrides),
            allow_outside,
            None if start is None else Path(start),
            list(self._natives.items()),
            many,
            "world",
        )
        sim = Simulation(core)
        for body, motion in self._motions.items():
            sim.set_motion(motion, bodies=body)
        for joint, (kind, function, max_force) in self._motors.items():
            core.set_motor(joint, kind, function, max_force)
        return sim


def _row(entries: Mapping[str, Any], arrays: Mapping[str, Floats], k: int) -> dict[str, Any]:
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
