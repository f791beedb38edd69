"""From a name, a file, text or a world to a simulation."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from . import _core, _toml
from .simulation import Simulation
from .world import World


def scenes() -> list[str]:
    """Names of the scenes that ship.

    Examples
    --------
    >>> import drystone as ds
    >>> "pile" in ds.scenes()
    True
    """
    return [name for name, _ in _core.builtin_scenes()]


def load(
    scene: str | os.PathLike[str] | World,
    /,
    *,
    set: Mapping[str, Any] | None = None,
    allow_outside: bool = False,
    start: str | os.PathLike[str] | None = None,
    **parameters: Any,
) -> Simulation:
    """Load a scene and build it.

    Parameters
    ----------
    scene : str, path or World
        The name of a built-in scene, a file, TOML text (anything with a line break), or a world
        that was built in Python.
    set : mapping, optional
        Any keys of the scene by their paths: ``{"settings.tolerance": 1e-6}``.
    allow_outside : bool
        Let the scene read files outside its folder.
    start : str or path, optional
        Folder of another run whose state to start from.
    **parameters
        Parameters of the scene: numbers, or text with units.

    Returns
    -------
    Simulation

    Raises
    ------
    SceneError
        Where the scene cannot be read or built; it has file, line and key.
    MeshError
        Where a mesh that it names cannot be used.

    Examples
    --------
    >>> import drystone as ds
    >>> sim = ds.load("pile", count=50, radius="3 cm")
    >>> len(sim.groups["grains"])
    50
    >>> ds.load("pile", cout=50)
    Traceback (most recent call last):
        ...
    drystone.SceneError: the override cout=50: the scene has no such parameter; did you mean `count`?
    """
    overrides = [(k, _toml.override(v, k)) for k, v in parameters.items()]
    overrides += [(k, _toml.override(v, k)) for k, v in (set or {}).items()]
    origin = None if start is None else Path(start)
    if isinstance(scene, World):
        return scene._build(overrides, allow_outside, origin)
    if isinstance(scene, os.PathLike):
        kind, what = "file", os.fspath(scene)
    elif isinstance(scene, str):
        kind, what = _kind_of(scene), scene
    else:
        raise TypeError(f"load: found {type(scene).__name__}, expected a name, path, text or World")
    return Simulation(_core.Simulation(kind, what, overrides, allow_outside, origin))


def _kind_of(text: str) -> str:
    """Whether a text is a scene, a file or a name: as the command line has it."""
    if "\n" in text:
        return "text"
    path = Path(text)
    if path.suffix or len(path.parts) > 1:
        return "file"
    return "file" if text not in scenes() and path.is_file() else "name"
