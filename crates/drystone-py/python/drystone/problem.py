"""Cone problems: make them, take them apart, solve them, write them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._bodies import Floats
from ._checks import reals
from .cones import Box, Cone, Free, Friction, cone_of

if TYPE_CHECKING:
    import scipy.sparse

HISTORY = np.dtype(
    [
        ("iteration", np.int64),
        ("products", np.int64),
        ("seconds", np.float64),
        ("residual", np.float64),
        ("residual_velocity", np.float64),
        ("objective", np.float64),
        ("apgd_residual", np.float64),
        ("spectral_residual", np.float64),
        ("projected_gradient", np.float64),
        ("complementarity", np.float64),
        ("active_set", np.int64),
    ]
)
"""A check of the residual during a solve: the columns of ``drystone solve --history``."""


class Problem:
    """``min ½ gammaᵀ N gamma + rᵀ gamma`` over cones: the contact problem of one time step.

    Examples
    --------
    A ball of 1 kg on the ground: its weight in a step of 10 ms.

    >>> import drystone as ds, numpy as np
    >>> problem = ds.Problem.of(np.eye(3), [-0.0981, 0.02, 0.0], friction=[0.5])
    >>> solution = problem.solve()
    >>> solution.converged, round(float(solution.gamma[0]), 6)
    (True, 0.0981)
    """

    def __init__(self, core: _core.Problem) -> None:
        self._core = core

    def __repr__(self) -> str:
        return f"<Problem of {self.dim} rows, {self.contacts} contacts>"

    @classmethod
    def of(
        cls,
        N: Any,
        r: ArrayLike,
        friction: ArrayLike | None = None,
        cones: Iterable[Cone] | None = None,
    ) -> Problem:
        """A problem from a matrix.

        Parameters
        ----------
        N : array_like or scipy sparse matrix of shape (m, m)
            1/kg.
        r : array_like of m
            What the velocities of the rows would be without impulses, m/s.
        friction : array_like, optional
            Coefficients of sliding friction: three rows a contact, the normal first.
        cones : iterable of Cone, optional
            In place of `friction`: one for each block of rows.

        Examples
        --------
        >>> import drystone as ds, numpy as np
        >>> ds.Problem.of(np.eye(4), [-1, 0, 0, -1], cones=[ds.Friction(0.5), ds.NonNegative()])
        <Problem of 4 rows, 2 contacts>
        """
        if (friction is None) == (cones is None):
            raise ValueError("Problem: either friction coefficients or cones are needed")
        if cones is None:
            cones = [Friction(float(mu)) for mu in reals(friction, "friction").ravel()]
        words = []
        for number, cone in enumerate(cones):
            if not isinstance(cone, Cone):
                raise TypeError(f"cone {number}: found {type(cone).__name__}, expected a Cone")
            words.append(cone._words())
        rows, columns, values, size = _entries(N)
        return cls(_core.Problem(rows, columns, values, size, r, words))

    @classmethod
    def of_bodies(
        cls,
        jacobian: Any,
        masses: ArrayLike,
        velocities: ArrayLike,
        *,
        friction: ArrayLike | None = None,
        cones: Iterable[Cone] | None = None,
        gaps: ArrayLike | None = None,
        time_step: float | None = None,
        compliance: ArrayLike | None = None,
    ) -> Problem:
        """A problem from the Jacobian of its rows.

        Parameters
        ----------
        jacobian : array_like or scipy sparse matrix of shape (m, k)
            Velocities of the rows by those of the bodies.
        masses : array_like of k, or sparse matrix of shape (k, k)
            Masses (and moments of inertia) of the body velocities, or the mass matrix.
        velocities : array_like of k
            Velocities of the bodies without contacts at the end of the step.
        friction, cones
            As for :meth:`of`.
        gaps : array_like, optional
            Gap of each contact, m: ``gap / time_step`` is added to its normal row.
        time_step : float, optional
            s; needed with gaps.
        compliance : array_like of m, optional
            What is added to the diagonal of N, 1/kg.

        Examples
        --------
        Two balls in a row on a frictionless line; the first comes at 1 m/s, 1 mm away.

        >>> import drystone as ds
        >>> problem = ds.Problem.of_bodies([[-1, 1]], masses=[1, 1], velocities=[1, 0],
        ...                                cones=[ds.NonNegative()], gaps=[0.001], time_step=0.01)
        >>> [round(float(u), 6) for u in problem.r]
        [-0.9]
        """
        from scipy import sparse
        from scipy.sparse.linalg import spsolve

        J = sparse.csr_array(jacobian)
        mass = masses if sparse.issparse(masses) else reals(masses, "masses")
        if isinstance(mass, np.ndarray):
            if mass.shape != (J.shape[1],) or not (mass > 0).all():
                raise ValueError(f"masses: expected {J.shape[1]} numbers > 0")
            inverse = J.T.multiply(1.0 / mass[:, None])
        else:
            inverse = sparse.csc_array(spsolve(sparse.csc_array(mass), sparse.csc_array(J.T)))
        N = sparse.csr_array(J @ inverse)
        if compliance is not None:
            N = N + sparse.diags_array(np.broadcast_to(reals(compliance, "compliance"), J.shape[0]))
        r = J @ reals(velocities, "velocities")
        problem = cls.of(N, r, friction, cones)
        if gaps is None:
            return problem
        if time_step is None or not time_step > 0:
            raise ValueError("gaps need a time_step > 0")
        starts = [row for row, cone in problem.blocks() if not isinstance(cone, (Free, Box))]
        distances = reals(gaps, "gaps").ravel()
        if len(distances) != len(starts):
            raise ValueError(f"gaps: found {len(distances)}, the problem has {len(starts)} contacts")
        r[starts] += distances / time_step
        return cls.of(N, r, cones=problem.cones)

    @property
    def dim(self) -> int:
        """Number of rows."""
        return self._core.dim

    @property
    def contacts(self) -> int:
        """Number of contacts."""
        return self._core.contacts

    @property
    def title(self) -> str:
        """What its file calls it."""
        return self._core.title

    @property
    def r(self) -> Floats:
        """The velocities of the rows without impulses, m/s."""
        return self._core.r

    @property
    def N(self) -> scipy.sparse.csr_array:
        """The matrix, as scipy's compressed rows."""
        from scipy import sparse

        pointers, columns, values = self._core.matrix()
        return sparse.csr_array((values, columns, pointers), shape=(self.dim, self.dim))

    @property
    def cones(self) -> list[Cone]:
        """The sets of the impulses, in the order of the rows."""
        return [cone_of(kind, figures) for kind, figures in self._core.cones()]

    def blocks(self) -> Iterator[tuple[int, Cone]]:
        """The first row of each block, with its cone.

        Examples
        --------
        >>> import drystone as ds, numpy as np
        >>> problem = ds.Problem.of(np.eye(4), [-1, 0, 0, -1], cones=[ds.Friction(0.5), ds.Free(1)])
        >>> [(row, type(cone).__name__) for row, cone in problem.blocks()]
        [(0, 'Friction'), (3, 'Free')]
        """
        row = 0
        for cone in self.cones:
            yield row, cone
            kind, figures = cone._words()
            rows = {"friction": 3, "rolling": 5, "rolling-spinning": 6}
            row += int(figures[0]) if kind == "free" else rows.get(kind, 1)

    @property
    def warm_start(self) -> Floats:
        """Impulses to start from; zeros where none are known."""
        start = self._core.warm_start
        return np.zeros(self.dim) if start is None else start

    @property
    def solution(self) -> Floats | None:
        """Impulses that somebody found to solve it, where its file has some."""
        return self._core.solution

    def velocity(self, gamma: ArrayLike) -> Floats:
        """``N gamma + r``, m/s.

        Examples
        --------
        >>> import drystone as ds, numpy as np
        >>> ds.Problem.of(2 * np.eye(3), [-4, 1, 0], [0.5]).velocity([2, 0, 0])
        array([0., 1., 0.])
        """
        return self._core.velocity(gamma)

    def project(self, gamma: ArrayLike) -> Floats:
        """The nearest impulses in the cones.

        Examples
        --------
        >>> import drystone as ds, numpy as np
        >>> ds.Problem.of(np.eye(3), [-1, 0, 0], [0.5]).project([1, 3, 0])
        array([2., 1., 0.])
        """
        return self._core.project(gamma)

    def certificate(self, gamma: ArrayLike, law: str = "relaxed") -> dict[str, float | None]:
        """What impulses are worth: residual, objective, violations, duality gap.

        Examples
        --------
        >>> import drystone as ds, numpy as np
        >>> problem = ds.Problem.of(np.eye(3), [-1, 0, 0], [0.5])
        >>> problem.certificate([1, 0, 0])["residual"]
        0.0
        """
        return self._core.certificate(gamma, law)

    def solve(
        self,
        *,
        law: str = "relaxed",
        method: str = "auto",
        tolerance: float = 1e-8,
        max_iterations: int = 1_000_000,
        time_limit: float | None = None,
        warm_start: ArrayLike | None = None,
        history: bool = False,
        **options: Any,
    ) -> Solution:
        """Solve the problem; see :func:`solve` for the arguments.

        Examples
        --------
        >>> import drystone as ds, numpy as np
        >>> ds.Problem.of(np.eye(3), [-1, 0, 0], [0.5]).solve(method="apgd").method
        'apgd'
        """
        named = [(key.replace("_", "-"), _option(value)) for key, value in options.items()]
        gamma, velocity, told, rows = self._core.solve(
            method, named, law, tolerance, max_iterations, time_limit, warm_start, history
        )
        kept = np.zeros(len(rows), dtype=HISTORY)
        for column, name in enumerate(HISTORY.names or ()):
            kept[name] = rows[:, column]
        return Solution(gamma=gamma, velocity=velocity, history=kept, **told)

    def write(
        self,
        path: str | os.PathLike[str],
        title: str | None = None,
        solution: ArrayLike | None = None,
    ) -> None:
        """Write the problem as ``.ccp`` (exact) or ``.hdf5`` (FCLIB).

        Examples
        --------
        >>> import drystone as ds, numpy as np, tempfile
        >>> file = tempfile.mkdtemp() + "/one.ccp"
        >>> ds.Problem.of(np.eye(3), [-1, 0, 0], [0.5]).write(file)
        >>> ds.read_problem(file).dim
        3
        """
        self._core.write(Path(path), title, solution)


@dataclass(frozen=True)
class Solution:
    """What came of a solve, with the certificate of its answer.

    Examples
    --------
    >>> import drystone as ds, numpy as np
    >>> solution = ds.solve(np.eye(3), [-1, 0, 0], [0.5], history=True)
    >>> solution.converged, solution.termination, len(solution.history) > 0
    (True, 'converged', True)
    """

    gamma: Floats = field(repr=False)
    """Impulses along the rows, N s."""
    velocity: Floats = field(repr=False)
    """``N gamma + r``, m/s."""
    method: str
    """The method that gave the answer."""
    law: str
    """The law that it was judged by."""
    converged: bool
    """Whether the residual reached the tolerance."""
    termination: str
    """Why the solver stopped."""
    iterations: int
    """Iterations of all stages."""
    products: int
    """Products with N."""
    seconds: float
    """Wall time, s."""
    residual: float
    """Relative natural-map residual."""
    residual_velocity: float
    """Largest residual velocity of a block, m/s."""
    objective: float
    """``½ gammaᵀ N gamma + rᵀ gamma``, J."""
    cone_violation: float
    """Largest distance of a block's impulse from its cone, N s."""
    dual_violation: float
    """Largest distance of a block's velocity from its dual cone, m/s."""
    duality_gap: float | None
    """J; only for the relaxed law and a symmetric N."""
    attempts: list[str] = field(default_factory=list, repr=False)
    """What ``auto`` tried, in words."""
    history: NDArray[np.void] = field(
        default_factory=lambda: np.zeros(0, dtype=HISTORY), repr=False
    )
    """Checks of the residual, of dtype ``HISTORY``; empty unless asked for."""


def _option(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def _entries(N: Any) -> tuple[Any, Any, Any, tuple[int, int]]:
    """Rows, columns and values of a matrix, and its size."""
    if hasattr(N, "tocoo"):
        coo = N.tocoo()
        rows, columns, values = coo.row, coo.col, coo.data
        size = coo.shape
    else:
        dense = reals(N, "N")
        if dense.ndim != 2:
            raise ValueError(f"N: found an array of shape {dense.shape}, expected a square matrix")
        rows, columns = np.nonzero(dense)
        values, size = dense[rows, columns], dense.shape
    return np.asarray(rows, float), np.asarray(columns, float), values, (size[0], size[1])
