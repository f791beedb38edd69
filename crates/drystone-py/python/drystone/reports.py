"""What steps tell: reports, and the types of the tables of contacts and joints."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

CONTACT = np.dtype(
    [
        ("bodies", np.int64, (2,)),
        ("id", np.uint64),
        ("point", np.float64, (3,)),
        ("normal", np.float64, (3,)),
        ("gap", np.float64),
        ("force", np.float64, (3,)),
        ("normal_force", np.float64),
        ("friction", np.float64, (3,)),
        ("torque", np.float64, (3,)),
    ]
)
"""A contact: its two bodies, which point of the pair it is, where it lies (m), its normal from the
first body to the second, its gap (m), the force of the first body on the second (N), that force's
normal part and its friction, and the torque that resists rolling (N m)."""

JOINT = np.dtype(
    [
        ("name", object),
        ("kind", object),
        ("bodies", np.int64, (2,)),
        ("enabled", np.bool_),
        ("coordinate", np.float64),
        ("speed", np.float64),
        ("error", np.float64),
        ("point", np.float64, (3,)),
        ("force", np.float64, (3,)),
        ("torque", np.float64, (3,)),
        ("motor", np.float64),
    ]
)
"""A joint: name, kind, bodies (-1 is the world), whether it holds, coordinate and speed (m or rad;
nan where it has none), error, and what it exerted on its second body in the last step: at `point`
a force and a torque, and the motor's share along the coordinate."""


ENDLESS = 1e9
"""Duration of worlds that were given none, s: scenes must have one."""


class StepReport(NamedTuple):
    """How one step went. A list of reports makes a table: ``pandas.DataFrame(reports)``.

    Examples
    --------
    >>> import drystone as ds
    >>> report = ds.load("stack").step()
    >>> report.step, report.converged
    (1, True)
    """

    converged: bool
    """Whether the step was solved to the tolerance."""
    timed_out: bool
    """Whether the clock cut a solve short."""
    step: int
    """Number of the step, from 1."""
    time: float
    """Time at its end, s."""
    pairs: int
    """Pairs of bodies close enough to be looked at."""
    contacts: int
    """Contact points in the problem."""
    joint_rows: int
    """Rows of joints, motors and springs in the problem."""
    asleep: int
    """Dynamic bodies that sleep."""
    method: str
    """The method that gave the answer."""
    termination: str
    """Why the solver stopped."""
    solves: int
    """Times that the step was solved."""
    iterations: int
    """Iterations of all of them."""
    residual: float
    """Relative natural-map residual reached."""
    residual_velocity: float
    """Largest residual velocity of a contact, m/s."""
    penetration: float
    """Deepest overlap at the start of the step, m."""
    joint_error: float
    """Largest error of a joint, m or rad."""
    lift_off: float
    """Largest speed at which the relaxed law parts what slides, m/s."""
    relaxed_difference: float
    """Under the exact law: by how much the relaxed answer was off, m/s."""
    relaxed_iterations: int
    """Under the exact law: iterations of the relaxed answer."""
    kinetic_energy: float
    """J."""
    potential_energy: float
    """J."""
    fastest: float
    """Speed of the fastest centre of mass, m/s."""
    seconds_broad: float
    """Wall time for candidate pairs, s."""
    seconds_narrow: float
    """Wall time for contact points, s."""
    seconds_assembly: float
    """Wall time for making the cone problem, s."""
    seconds_solve: float
    """Wall time for solving it, s."""
    seconds_relaxed: float
    """Wall time for the relaxed answer under the exact law, s."""
    seconds_total: float
    """Wall time of the whole step, s."""
