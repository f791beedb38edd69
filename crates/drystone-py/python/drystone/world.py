"""Worlds: scenes built from Python instead of a file."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from . import _core, _toml
from .adding import Adding, row_of
from .mechanisms import Mechanisms
from .reports import ENDLESS
from .simulation import Simulation


class World(Adding, Mechanisms):
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
        super().__init__(title, settings)

    def __repr__(self) -> str:
        bodies = len(self._tables.get("body", []))
        many = sum(len(arrays["positions"]) - 1 for arrays in self._many.values())
        return f"<World {self.title!r}: {bodies + many} bodies>"

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
                rows += [row_of(entries, arrays, k) for k in range(1, len(arrays["positions"]))]
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
