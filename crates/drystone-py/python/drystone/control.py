"""What can be set between steps: loads, velocities, places, motors, motions, settings, materials."""

from __future__ import annotations

from collections.abc import Callable
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
        """
        self._core.set_velocities(velocities, angular_velocities, self._chosen(bodies))

    def set_positions(
        self,
        positions: ArrayLike | None = None,
        quaternions: ArrayLike | None = None,
        bodies: Chosen = None,
    ) -> None:
        """Move bodies: the origins of their shapes' frames, m; what is not given stays."""
        self._core.set_poses(positions, quaternions, self._chosen(bodies))

    def set_enabled(self, enabled: bool, bodies: Chosen = None) -> None:
        """Take bodies out of the world, or back in. Their indices stay."""
        self._core.set_enabled(enabled, self._chosen(bodies))

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
