"""Simulations: scenes in motion."""

from __future__ import annotations

import base64
import html
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core, _toml
from ._motions import follow, whole
from ._progress import Progress
from .pictures import Picture, View, look_of, view_of
from .reports import CONTACT, ENDLESS, JOINT, StepReport
from .solvers import Problem

if TYPE_CHECKING:
    from .world import World

Floats = NDArray[np.float64]
Bodies = str | int | ArrayLike | None

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
    from .world import World

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


class Simulation:
    """A scene in motion. Made by :func:`load` or :meth:`World.build`.

    State arrays (:attr:`positions`, :attr:`velocities`, ...) are read-only views that follow the
    simulation: the same array, with new numbers after every step. Copy what you want to keep.
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

    # --- what it is -------------------------------------------------------------------------

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
    def title(self) -> str:
        """One line that says what the scene is."""
        return self._core.title

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self._core.time

    @property
    def step_count(self) -> int:
        """Steps made so far."""
        return self._core.step_count

    @property
    def unconverged_steps(self) -> int:
        """Steps that did not reach the tolerance."""
        return self._core.unconverged_steps

    @property
    def finished(self) -> bool:
        """Whether the scene has come to its end."""
        return self._core.is_finished

    @property
    def phase(self) -> str:
        """Name of the phase that it is in."""
        return self._core.phase

    @property
    def phases(self) -> list[str]:
        """Names of all phases."""
        return self._core.phases

    @property
    def warnings(self) -> list[str]:
        """What the scene's files hold that is ignored, a line each."""
        return self._core.warnings

    def to_toml(self) -> str:
        """The scene's text, with the parameters as they were set.

        Bodies and shapes that came from arrays are not in it; :meth:`World.to_toml` has them.
        """
        return self._core.to_toml()

    # --- stepping ---------------------------------------------------------------------------

    def step(self) -> StepReport:
        """Make one step, also after the scene's end.

        Returns
        -------
        StepReport
            Not reaching the tolerance is an outcome that the report tells, not an error.

        Raises
        ------
        StepError
            Where the step could not be made. The simulation is as it was before it.
        KeyboardInterrupt
            On Ctrl-C, within the step, which then does not count.

        Examples
        --------
        >>> import drystone as ds
        >>> ds.load("stack").step().step
        1
        """
        return StepReport._make(self._core.step())

    def steps(self, until: float | None = None, count: int | None = None) -> Iterator[StepReport]:
        """Step one by one, with time to look and to act between steps.

        Parameters
        ----------
        until : float, optional
            Simulated time, s, to go to, even beyond the scene's end.
        count : int, optional
            Number of steps to make from here, even beyond the scene's end.
            Without either, the steps go to the scene's end.

        Yields
        ------
        StepReport

        Examples
        --------
        >>> import drystone as ds
        >>> sim = ds.load("pile", count=20)
        >>> sum(report.contacts for report in sim.steps(count=3)) >= 0
        True
        """
        beyond = until is not None or count is not None
        self._check_end(beyond)
        last = None if count is None else self.step_count + whole(count, "count")
        while not self._core.is_over(until, last, beyond):
            yield self.step()

    def run(
        self,
        until: float | None = None,
        *,
        steps: int | None = None,
        out: str | os.PathLike[str] | None = None,
        overwrite: bool = False,
        resume: bool = False,
        progress: bool = False,
        callback: Callable[[Simulation], object] | None = None,
        every: int = 1,
        picture: bool = False,
    ) -> dict[str, Any]:
        """Step to a time, or to the scene's end.

        Parameters
        ----------
        until : float, optional
            Simulated time, s, to go to, even beyond the scene's end.
        steps : int, optional
            Number of steps to make from here.
        out : str or path, optional
            Folder for frames, tables, checkpoints and a summary: what ``drystone run`` leaves.
        overwrite, resume : bool
            Replace the run that is in the folder, or go on with it.
        progress : bool
            Show a bar (by tqdm if it is installed).
        callback : callable, optional
            Called as ``callback(sim)`` before the first step and after every `every` steps; may
            read and set what it likes. An exception ends the run and is raised.
        every : int
            Steps between calls.
        picture : bool
            Draw the last moment into the folder, too.

        Returns
        -------
        dict
            How the run ended and what it came to; with `out` the content of ``summary.json``.

        Examples
        --------
        >>> import drystone as ds
        >>> sim = ds.load("pile", count=20)
        >>> heights = []
        >>> sim.run(until=0.1, callback=lambda sim: heights.append(sim.positions[:, 2].max()))["ended"]
        'limit'
        >>> len(heights)
        26
        """
        if every < 1:
            raise ValueError(f"every: {every} is not a whole number >= 1")
        if out is None:
            if overwrite or resume:
                raise ValueError("overwrite and resume need a folder: out=...")
            ended = self._advance(until, steps, progress, callback, every)
            return {"ended": ended, "steps": self.step_count, "time": self.time}
        self._core.record(Path(out), overwrite, resume)
        self._folder = Path(out)
        ended = "interrupted"
        try:
            ended = self._advance(until, steps, progress, callback, every)
        finally:
            summary = self._core.end_recording(ended)
        if picture:
            self.picture(Path(out) / "picture.png", quality="draft")
        told: dict[str, Any] = json.loads(summary)
        return told

    def _check_end(self, given: bool) -> None:
        """Refuses to run without end."""
        end = self._core.end_time
        if not given and end is not None and end >= ENDLESS:
            raise ValueError("the world has no duration: say until when, or how many steps")

    def _advance(
        self,
        until: float | None,
        steps: int | None,
        progress: bool,
        callback: Callable[[Simulation], object] | None,
        every: int,
    ) -> str:
        beyond = until is not None or steps is not None
        self._check_end(beyond)
        last = None if steps is None else self.step_count + whole(steps, "steps")
        end = until if until is not None else self._core.end_time
        bar = Progress(progress, end, "s", self.time)

        def look(time: float, step: int) -> None:
            bar.update(time, f"step {step}")

        shown = look if progress else None
        try:
            if callback is None:
                return self._core.advance(until, last, beyond, shown)[0]
            callback(self)
            while True:
                next_stop = self.step_count + every
                stop = next_stop if last is None else min(next_stop, last)
                ended, report = self._core.advance(until, stop, beyond, shown)
                if report is None:
                    return ended
                callback(self)
                over = self._core.is_over(until, last, beyond)
                if over:
                    return "finished" if self.finished and not beyond else "limit"
        finally:
            bar.close()

    # --- steps that Python solves -------------------------------------------------------------

    def begin(self) -> Problem:
        """Open the next step: find its contacts and hand out its cone problem.

        Nothing changes before :meth:`finish` has an answer. A step, or a change by a setter,
        closes the open step.

        Returns
        -------
        Problem

        Examples
        --------
        A step whose problem a solver written in Python answers:

        >>> import drystone as ds
        >>> sim = ds.load("pile", count=20)
        >>> summary = sim.run(until=0.2)
        >>> answer = sim.begin()
        >>> while isinstance(answer, ds.Problem):
        ...     gamma, t = answer.warm_start, 0.3 / answer.N.diagonal().max()
        ...     for _ in range(200):  # projected gradient
        ...         gamma = answer.project(gamma - t * answer.velocity(gamma))
        ...     answer = sim.finish(gamma)
        >>> answer.method, answer.step
        ('python', 51)
        """
        return Problem(self._core.begin())

    def finish(self, gamma: ArrayLike, iterations: int = 0) -> StepReport | Problem:
        """Take the answer to the open step.

        Parameters
        ----------
        gamma : array_like
            One impulse for each row of the problem, N s.
        iterations : int
            How many iterations it took, for the report.

        Returns
        -------
        StepReport or Problem
            The step's report; or, where the answer showed that the step needs more contacts, the
            problem that is to be solved next.
        """
        answer = self._core.finish(gamma, iterations)
        return StepReport._make(answer) if isinstance(answer, tuple) else Problem(answer)

    # --- state --------------------------------------------------------------------------------

    @property
    def positions(self) -> Floats:
        """Origins of the shapes' frames, m, (n, 3): a read-only view that follows the simulation."""
        return self._core.array("positions")

    @property
    def quaternions(self) -> Floats:
        """Rotations of the shapes' frames as [w, x, y, z], (n, 4): a view as `positions`."""
        return self._core.array("quaternions")

    @property
    def velocities(self) -> Floats:
        """Velocities of the centres of mass, m/s, (n, 3): a view as `positions`."""
        return self._core.array("velocities")

    @property
    def angular_velocities(self) -> Floats:
        """Angular velocities in world axes, rad/s, (n, 3): a view as `positions`."""
        return self._core.array("angular_velocities")

    @property
    def centers(self) -> Floats:
        """Centres of mass, m, (n, 3): a view as `positions`."""
        return self._core.array("centers")

    @property
    def masses(self) -> Floats:
        """Masses, kg, (n,); zero for bodies that no force moves."""
        return self._core.masses()

    @property
    def inertias(self) -> Floats:
        """Inertias about the centres of mass in the shapes' axes, kg m², (n, 3, 3)."""
        return self._core.inertias()

    @property
    def radii(self) -> Floats:
        """Radii of the balls around the shapes' origins that hold them, m; infinite for planes."""
        return self._core.radii()

    @property
    def names(self) -> list[str]:
        """Names of all bodies."""
        return self._core.names()

    @property
    def groups(self) -> dict[str, NDArray[np.int64]]:
        """Indices of the bodies of each name."""
        return self._core.groups()

    @property
    def kinds(self) -> list[str]:
        """What may move each body: "fixed", "prescribed" or "dynamic"."""
        return self._core.kinds()

    @property
    def shapes(self) -> list[str]:
        """Kind of each body's shape."""
        return self._core.shapes()

    @property
    def enabled(self) -> NDArray[np.bool_]:
        """Which bodies take part, (n,)."""
        return self._core.enabled()

    @property
    def energy(self) -> tuple[float, float]:
        """Kinetic and potential energy, J."""
        kinetic, potential = self._core.energy
        return kinetic, potential

    @property
    def contacts(self) -> NDArray[np.void]:
        """Contacts of the last step: a structured array of dtype :data:`CONTACT`.

        Examples
        --------
        >>> import drystone as ds
        >>> sim = ds.load("stack")
        >>> report = sim.step()
        >>> contacts = sim.contacts
        >>> float(contacts["normal_force"].min()) >= 0
        True
        """
        return np.frombuffer(self._core.contacts(), dtype=CONTACT)

    @property
    def joints(self) -> NDArray[np.void]:
        """Joints, with coordinates and reactions: a structured array of dtype :data:`JOINT`."""
        names, kinds, bodies, enabled, figures = self._core.joints()
        table = np.zeros(len(names), dtype=JOINT)
        table["name"], table["kind"], table["enabled"] = names, kinds, enabled
        if names:
            table["bodies"] = bodies
        for column, name in enumerate(("coordinate", "speed", "error")):
            table[name] = figures[:, column]
        for column, name in ((3, "point"), (6, "force"), (9, "torque")):
            table[name] = figures[:, column : column + 3]
        table["motor"] = figures[:, 12]
        return table

    @property
    def contact_loads(self) -> tuple[Floats, Floats]:
        """Sum of the contact forces on each body in the last step, N, (n, 3), and of their torques
        about its centre of mass, N m."""
        loads = self._core.contact_loads()
        return loads[:, :3], loads[:, 3:]

    def index(self, name: str) -> int:
        """The index of a body: ``"slab"``, or ``"grains[17]"`` where several share the name."""
        groups = self.groups
        group, _, rest = name.partition("[")
        if name in groups and len(groups[name]) == 1:
            return int(groups[name][0])
        number = rest.rstrip("]")
        if group in groups and number.isdigit() and int(number) < len(groups[group]):
            return int(groups[group][int(number)])
        if name in groups:
            raise ValueError(f"there are {len(groups[name])} bodies called {name!r}: say {name}[0]")
        raise ValueError(f"no body is called {name!r}; there are {', '.join(groups)}")

    def force(self, on: str, by: str | None = None) -> Floats:
        """Contact force in the last step, N.

        Parameters
        ----------
        on : str
            Name of the bodies that feel it.
        by : str, optional
            Name of the bodies that exert it; all others unless given.

        Returns
        -------
        array of 3

        Examples
        --------
        >>> import drystone as ds
        >>> sim = ds.load("stack")
        >>> summary = sim.run(until=0.1)
        >>> bool(sim.force(on="ground", by="plates")[2] < 0)
        True
        """
        return np.array(self._core.force(on, by))

    # --- control ------------------------------------------------------------------------------

    def _bodies(self, bodies: Bodies) -> ArrayLike | None:
        """Indices of bodies; None for all."""
        if bodies is None:
            return None
        if isinstance(bodies, str):
            groups = self.groups
            return groups[bodies] if bodies in groups else [self.index(bodies)]
        if isinstance(bodies, (int, np.integer)):
            return [int(bodies)]
        indices = np.asarray(bodies)
        if indices.dtype == np.bool_:
            if indices.shape != (len(self),):
                raise ValueError(f"bodies: a mask of shape {indices.shape}, expected ({len(self)},)")
            return np.flatnonzero(indices)
        return indices

    def set_loads(
        self, forces: ArrayLike, torques: ArrayLike | None = None, bodies: Bodies = None
    ) -> None:
        """Set constant forces and torques, which act until they are set anew.

        Parameters
        ----------
        forces : array_like of shape (n, 3) or (3,)
            At the centres of mass, N.
        torques : array_like, optional
            N m; zero unless given.
        bodies : str, int or array, optional
            A name, indices or a mask; all bodies unless given.

        Examples
        --------
        >>> import drystone as ds
        >>> sim = ds.load("stack")
        >>> sim.set_loads([0, 0, -5], bodies="plates")
        """
        self._core.set_loads(forces, torques, self._bodies(bodies))

    def set_velocities(
        self,
        velocities: ArrayLike | None = None,
        angular_velocities: ArrayLike | None = None,
        bodies: Bodies = None,
    ) -> None:
        """Set velocities of dynamic bodies, m/s and rad/s; what is not given stays.

        For all bodies at once, those that no force moves are left out.
        """
        self._core.set_velocities(velocities, angular_velocities, self._bodies(bodies))

    def set_positions(
        self,
        positions: ArrayLike | None = None,
        quaternions: ArrayLike | None = None,
        bodies: Bodies = None,
    ) -> None:
        """Move bodies: the origins of their shapes' frames, m; what is not given stays."""
        self._core.set_poses(positions, quaternions, self._bodies(bodies))

    def set_enabled(self, enabled: bool, bodies: Bodies = None) -> None:
        """Take bodies out of the world, or back in. Their indices stay."""
        self._core.set_enabled(enabled, self._bodies(bodies))

    def set_joint_enabled(self, joint: str, enabled: bool) -> None:
        """Let a joint go, or let it hold again."""
        self._core.set_joint_enabled(joint, enabled)

    def set_motor(
        self,
        joint: str,
        *,
        speed: float | Callable[[float], float] | None = None,
        position: float | Callable[[float], float] | None = None,
        force: float | Callable[[float], float] | None = None,
        max_force: float | None = None,
    ) -> None:
        """Give a joint another motor from the next step on; with nothing given, none.

        Parameters
        ----------
        joint : str
            Its name.
        speed, position, force : float or callable, optional
            What the motor keeps or exerts, along the joint's coordinate: m/s or rad/s, m or rad,
            N or N m. A function gets the time in s.
        max_force : float, optional
            Largest force of a motor that keeps a speed or a position.
        """
        given = {"speed": speed, "position": position, "force": force}
        chosen = [(kind, value) for kind, value in given.items() if value is not None]
        if len(chosen) > 1:
            names = " and ".join(kind for kind, _ in chosen)
            raise ValueError(f"joint {joint}: a motor keeps one thing, not {names}")
        if not chosen:
            self._core.set_motor(joint, "off")
            return
        [(kind, value)] = chosen
        self._core.set_motor(joint, kind, value, max_force)

    def set_motion(
        self,
        motion: Callable[[float], Any] | tuple[ArrayLike, ...] | None,
        bodies: Bodies = None,
    ) -> None:
        """Have fixed or prescribed bodies follow a motion from now on.

        Parameters
        ----------
        motion : callable, tuple of arrays or None
            A function of the time in s that returns a position, or a position and a quaternion; or
            times and positions, straight between them, and where the body turns quaternions. None
            stops the bodies where they are.
        bodies : str, int or array, optional
            Which bodies.
        """
        function = follow(*motion) if isinstance(motion, tuple) else motion
        if function is not None and not callable(function):
            raise TypeError(f"motion: found {type(motion).__name__}, expected a function or arrays")
        self._core.set_motion(function, self._bodies(bodies))

    def set_motion_velocities(
        self,
        velocities: ArrayLike,
        angular_velocities: ArrayLike | None = None,
        bodies: Bodies = None,
    ) -> None:
        """Have fixed or prescribed bodies move steadily from where they are, m/s and rad/s.

        For all bodies at once, those that forces move are left out.
        """
        self._core.set_steady_motion(velocities, angular_velocities, self._bodies(bodies))

    @property
    def settings(self) -> dict[str, Any]:
        """The settings in effect, by the names of the scene's keys. :meth:`set` changes them."""
        return self._core.settings()

    def set(self, **settings: Any) -> None:
        """Change settings from the next step on, by the keys of ``[settings]`` of scenes.

        Examples
        --------
        >>> import drystone as ds
        >>> sim = ds.load("stack")
        >>> sim.set(gravity=[0, 0, -1.62], tolerance=1e-6)
        >>> sim.settings["gravity"]
        [0.0, 0.0, -1.62]
        """
        if "duration" in settings:
            raise ValueError("duration belongs to the scene; run(until=...) goes on beyond it")
        self._core.set(_toml.table(settings, "settings"))

    @property
    def materials(self) -> dict[str, dict[str, float | None]]:
        """Figures of the materials, by name. :meth:`set_material` changes them."""
        return self._core.materials()

    def set_material(self, name: str, **figures: float | None) -> None:
        """Change figures of a material from the next step on.

        Examples
        --------
        >>> import drystone as ds
        >>> sim = ds.load("pile", count=20)
        >>> sim.set_material("stone", friction=0.3)
        >>> sim.materials["stone"]["friction"]
        0.3
        """
        self._core.set_material(name, list(figures.items()))

    # --- saving -------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str] | None = None) -> bytes:
        """Everything that changes, as bytes, exact to the bit; also into a file if one is given.

        Python functions that drive motors or motions are not in it.
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
        """A second simulation in the same state, to branch off."""
        return Simulation(self._core.copy())

    __copy__ = copy

    # --- pictures -----------------------------------------------------------------------------

    def picture(self, path: str | os.PathLike[str] | None = None, **look: Any) -> Picture:
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
        picture = Picture(self._core.picture(look_of(**look)))
        if path is not None:
            Path(path).write_bytes(picture)
        return picture


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
