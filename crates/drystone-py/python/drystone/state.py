"""What a simulation tells: state as arrays, contacts, forces, joints."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ._bodies import Bodies, Floats
from ._core import Simulation as Engine
from .reports import CONTACT, JOINT


class State(Bodies):
    """The state of a simulation, for reading."""

    _core: Engine

    def _source(self) -> Engine:
        return self._core

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
    def inertias(self) -> Floats:
        """Inertias about the centres of mass in the shapes' axes, kg m², (n, 3, 3)."""
        return self._core.inertias()

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
