"""Simulations: scenes in motion."""

from __future__ import annotations

import base64
import html
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from . import _core
from .control import Control
from .pictures import Look, Picture, View, draw, view_of
from .state import State
from .stepping import Stepping

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Simulation(Stepping, State, Control):
    """A scene in motion. Made by :func:`load` or :meth:`World.build`.

    State arrays (:attr:`positions`, :attr:`velocities`, ...) are read-only and follow the
    simulation: at the same address, with new numbers after every step. Copy what you want to keep.
    Setters check what they get.

    Examples
    --------
    >>> import drystone as ds
    >>> sim = ds.load("pile", count=20)
    >>> for report in sim.steps(until=0.02):
    ...     print(f"{report.time:.3f}", report.converged)
    0.004 True
    0.008 True
    0.012 True
    0.016 True
    0.020 True
    """

    def __init__(self, core: _core.Simulation) -> None:
        self._core = core
        self._folder: Path | None = None

    def __repr__(self) -> str:
        core = self._core
        return f"<Simulation of {core.title!r}: {core.body_count} bodies, t = {core.time:.6g} s>"

    def _repr_html_(self) -> str:
        picture = self.picture(size=(480, 300), quality="draft")
        image = base64.b64encode(picture).decode()
        kinetic, potential = self.energy
        rows = {
            "bodies": len(self),
            "time": f"{self.time:.6g} s",
            "steps": self.step_count,
            "contacts": len(self.contacts),
            "kinetic energy": f"{kinetic:.4g} J",
            "potential energy": f"{potential:.4g} J",
            "unconverged steps": self.unconverged_steps,
        }
        cells = "".join(f"<tr><th>{k}</th><td>{v}</td></tr>" for k, v in rows.items())
        title = html.escape(self.title)
        return (
            f"<div><b>{title}</b><br><img alt='{title}' src='data:image/png;base64,{image}'>"
            f"<table>{cells}</table></div>"
        )

    def __len__(self) -> int:
        """Number of bodies."""
        return self._core.body_count

    @property
    def warnings(self) -> list[str]:
        """What the scene's files hold that is ignored, a line each."""
        return self._core.warnings

    def to_toml(self) -> str:
        """The scene's text, with the parameters as they were set.

        Bodies and shapes that came from arrays are not in it; :meth:`World.to_toml` has them.

        Examples
        --------
        >>> import drystone as ds
        >>> "count = 70" in ds.load("pile", count=70).to_toml()
        True
        """
        return self._core.to_toml()

    def save(self, path: str | os.PathLike[str] | None = None) -> bytes:
        """Everything that changes, as bytes, exact to the bit; also into a file if one is given.

        Python functions that drive motors or motions are not in it.

        Examples
        --------
        >>> import drystone as ds, tempfile
        >>> file = tempfile.mkdtemp() + "/state"
        >>> sim = ds.load("stack")
        >>> report = sim.step()
        >>> saved = sim.save(file)
        >>> other = ds.load("stack")
        >>> other.restore(file)
        >>> other.step_count
        1
        """
        saved = self._core.save()
        if path is not None:
            Path(path).write_bytes(saved)
        return saved

    def restore(self, saved: bytes | str | os.PathLike[str]) -> None:
        """Go back, or on, to what was saved from the same scene.

        Examples
        --------
        >>> import drystone as ds
        >>> sim = ds.load("stack")
        >>> saved = sim.save()
        >>> first = sim.run(steps=5) and sim.positions.copy()
        >>> sim.restore(saved)
        >>> second = sim.run(steps=5) and sim.positions
        >>> bool((first == second).all())
        True
        """
        data = saved if isinstance(saved, (bytes, bytearray)) else Path(saved).read_bytes()
        self._core.restore(bytes(data))

    def copy(self) -> Simulation:
        """A second simulation in the same state, to branch off.

        Examples
        --------
        >>> import drystone as ds
        >>> sim = ds.load("stack")
        >>> branch = sim.copy()
        >>> report = branch.step()
        >>> sim.step_count, branch.step_count
        (0, 1)
        """
        return Simulation(self._core.copy())

    __copy__ = copy

    def picture(self, path: str | os.PathLike[str] | None = None, **look: Unpack[Look]) -> Picture:
        """Draw the simulation as it is.

        Parameters
        ----------
        path : str or path, optional
            A PNG file to write.
        size : (int, int)
            Pixels; (1280, 800) unless given.
        camera : str
            As on the command line: ``"front"``, ``"azimuth=30,elevation=20,zoom=1.2"``.
        color_by : {"speed", "force", "size", "material"}
            What colours stand for.
        cuts : list of str
            What is cut away: ``["y>0"]``.
        quality : {"sketch", "draft", "normal", "fine"}
        color_range : (float or None, float or None)
            Values of the first and the last colour.
        color_log : bool
            Whether colours go by powers of ten.

        Returns
        -------
        Picture
            The file's bytes, which notebooks show.

        Examples
        --------
        >>> import drystone as ds
        >>> picture = ds.load("stack").picture(size=(160, 100), quality="sketch")
        >>> picture[:4]
        b'\\x89PNG'
        """
        return draw(self._core.picture, path, **look)

    def view(self, every: int | None = None, largest: int = View.LARGEST) -> View:
        """Show the simulation in three dimensions: the run that it last recorded (``run(out=...)``),
        else the moment that it is at.

        Parameters
        ----------
        every : int, optional
            One frame in so many; as many as fit unless given.
        largest : int
            Bytes that the page may have.

        Returns
        -------
        View
            A notebook shows it; :meth:`View.save` writes it.

        Examples
        --------
        >>> import drystone as ds
        >>> ds.load("stack").view().frames
        1
        """
        if self._folder is not None:
            return view_of(self._folder, every, largest)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "frames.dry"
            self._core.write_moment(file)
            return view_of(file, every, largest)
