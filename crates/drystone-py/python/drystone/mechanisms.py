"""Joints of a world, their motors, robots and tracks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._tables import Tables

MOTORS = ("speed", "position", "force", "torque")


class Mechanisms(Tables):
    """How bodies of a world hold together."""

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
