"""What can be set between steps: loads, velocities, places, motors, motions, materials."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _toml
from ._bodies import Bodies, Chosen
from ._core import Simulation as Engine
from ._motions import follow


class Control(Bodies):
    """What can be set. Everything is checked before anything is changed."""

    _core: Engine

    def _chosen(self, bodies: Chosen) -> NDArray[np.int64] | None:
        return self._indices(bodies, self._core.body_count)

    def set_loads(
        self, forces: ArrayLike, torques: ArrayLike | None = None, bodies: Chosen = None
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
        self._core.set_loads(forces, torques, self._chosen(bodies))

    def set_velocities(
        self,
        velocities: ArrayLike | None = None,
        angular_velocities: ArrayLike | None = None,
        bodies: Chosen = None,
    ) -> None:
        """Set velocities of dynamic bodies, m/s and rad/s; what is not given stays.

        For all bodies at once, those that no force moves are left out.

        Examples
        --------
        >>> import drystone as ds
        >>> sim = ds.load("stack")
        >>> sim.set_velocities([0, 0, 0.5], bodies="plates[19]")
        >>> sim.velocities[sim.index("plates[19]")]
        array([0. , 0. , 0.5])
        """
        self._core.set_velocities(velocities, angular_velocities, self._chosen(bodies))

    def set_positions(
        self,
        positions: ArrayLike | None = None,
        quaternions: ArrayLike | None = None,
        bodies: Chosen = None,
    ) -> None:
        """Move bodies: the origins of their shapes' frames, m; what is not given stays.

        Examples
        --------
        >>> import drystone as ds
        >>> sim = ds.load("stack")
        >>> sim.set_positions([0, 0, 5], bodies="plates[19]")
        >>> sim.positions[sim.index("plates[19]")]
        array([0., 0., 5.])
        """
        self._core.set_poses(positions, quaternions, self._chosen(bodies))

    def set_enabled(self, enabled: bool, bodies: Chosen = None) -> None:
        """Take bodies out of the world, or back in. Their indices stay.

        Examples
        --------
        >>> import drystone as ds
        >>> sim = ds.load("stack")
        >>> sim.set_enabled(False, bodies="plates[19]")
        >>> int(sim.enabled.sum()), len(sim)
        (20, 21)
        """
        self._core.set_enabled(enabled, self._chosen(bodies))

    def set_joint_enabled(self, joint: str, enabled: bool) -> None:
        """Let a joint go, or let it hold again.

        Examples
        --------
        >>> import drystone as ds
        >>> world = ds.World()
        >>> ball = world.add(ds.sphere(0.1), name="ball")
        >>> hook = world.joint("spherical", None, ball, name="hook")
        >>> sim = world.build()
        >>> sim.set_joint_enabled("hook", False)
        >>> summary = sim.run(until=0.1)
        >>> bool(sim.positions[0, 2] < -0.04)
        True
        """
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

        Examples
        --------
        >>> import drystone as ds
        >>> world = ds.World(gravity=[0, 0, 0])
        >>> wheel = world.add(ds.cylinder(0.1, 0.05), name="wheel")
        >>> axle = world.joint("revolute", None, wheel, name="axle", axis=[0, 0, 1])
        >>> sim = world.build()
        >>> sim.set_motor("axle", speed=lambda t: 2.0)
        >>> summary = sim.run(until=0.1)
        >>> round(float(sim.joints["speed"][0]), 3)
        2.0
        """
        drive = _drive(f"joint {joint}", speed=speed, position=position, force=force)
        if drive is None:
            self._core.set_motor(joint, "off")
        else:
            self._core.set_motor(joint, *drive, max_force)

    def set_motors(
        self,
        *,
        speed: ArrayLike | None = None,
        position: ArrayLike | None = None,
        force: ArrayLike | None = None,
        max_force: ArrayLike | None = None,
        joints: Iterable[str] | None = None,
    ) -> None:
        """Give many joints motors at once: what a controller says.

        Parameters
        ----------
        speed, position, force : array_like, optional
            One of them, as for :meth:`set_motor`: a number for each joint, or one for all.
        max_force : array_like, optional
            Largest forces.
        joints : iterable of str, optional
            Names; all joints that can have a motor unless given, in the order of :attr:`joints`.

        Examples
        --------
        >>> import drystone as ds
        >>> world = ds.World(gravity=[0, 0, 0])
        >>> for name, x in ("left", -1), ("right", 1):
        ...     wheel = world.add(ds.cylinder(0.1, 0.05), name=name, position=[x, 0, 0])
        ...     axle = world.joint("revolute", None, wheel, name=name, at=[x, 0, 0], axis=[0, 0, 1])
        >>> sim = world.build()
        >>> sim.set_motors(speed=[1.0, 2.0])
        >>> report = sim.step()
        >>> sim.joints["speed"].round(3)
        array([1., 2.])
        """
        drive = _drive("motors", speed=speed, position=position, force=force)
        if drive is None:
            raise ValueError("motors: one of speed, position and force is needed")
        names = None if joints is None else [joints] if isinstance(joints, str) else list(joints)
        self._core.set_motors(*drive, max_force, names)

    def set_motion(
        self,
        motion: Callable[[float], Any] | tuple[ArrayLike, ...] | None,
        bodies: Chosen = None,
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

        Examples
        --------
        >>> import drystone as ds
        >>> sim = ds.load("stack")
        >>> sim.set_motion(lambda t: [0.001 * t, 0, 0], bodies="ground")
        >>> report = sim.step()
        >>> bool(sim.velocities[0, 0] > 0)
        True
        """
        function = follow(*motion) if isinstance(motion, tuple) else motion
        if function is not None and not callable(function):
            raise TypeError(f"motion: found {type(motion).__name__}, expected a function or arrays")
        self._core.set_motion(function, self._chosen(bodies))

    def set_motion_velocities(
        self,
        velocities: ArrayLike,
        angular_velocities: ArrayLike | None = None,
        bodies: Chosen = None,
    ) -> None:
        """Have fixed or prescribed bodies move steadily from where they are, m/s and rad/s.

        For all bodies at once, those that forces move are left out.

        Examples
        --------
        >>> import drystone as ds
        >>> sim = ds.load("stack")
        >>> sim.set_motion_velocities([0.01, 0, 0], bodies="ground")
        >>> report = sim.step()
        >>> round(float(sim.velocities[0, 0]), 6)
        0.01
        """
        self._core.set_steady_motion(velocities, angular_velocities, self._chosen(bodies))

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


def _drive(what: str, **given: Any) -> tuple[str, Any] | None:
    """The one thing that a motor keeps; none where nothing is given."""
    chosen = [(kind, value) for kind, value in given.items() if value is not None]
    if len(chosen) > 1:
        names = " and ".join(kind for kind, _ in chosen)
        raise ValueError(f"{what}: a motor keeps one thing, not {names}")
    return chosen[0] if chosen else None
