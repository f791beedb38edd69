"""Solve cone problems, and compare methods."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from numpy.typing import ArrayLike

from . import _core
from .cones import Cone
from .problem import Problem, Solution


def solve(
    N: Any,
    r: ArrayLike | None = None,
    mu: ArrayLike | None = None,
    *,
    cones: Iterable[Cone] | None = None,
    law: str = "relaxed",
    method: str = "auto",
    tolerance: float = 1e-8,
    max_iterations: int = 1_000_000,
    time_limit: float | None = None,
    warm_start: ArrayLike | None = None,
    history: bool = False,
    **options: Any,
) -> Solution:
    """Solve a contact problem.

    Parameters
    ----------
    N : array_like, scipy sparse matrix, Problem, str or path
        The matrix; or a whole problem, or a file of one.
    r : array_like
        Velocities of the rows without impulses, m/s.
    mu : array_like
        Coefficients of friction, three rows a contact.
    cones : iterable of Cone, optional
        Own cones in place of `mu`.
    law : {"relaxed", "exact"}
        The convex relaxation, or Coulomb's law as it stands.
    method : str
        See :func:`methods`.
    tolerance : float
        Relative residual to reach.
    max_iterations : int
        Most iterations.
    time_limit : float, optional
        Longest time, s.
    warm_start : array_like, optional
        Impulses to start from; zero unless given.
    history : bool
        Keep a row for every check of the residual.
    **options
        Options of the method: ``omega=0.8``.

    Returns
    -------
    Solution

    Examples
    --------
    >>> import drystone as ds, numpy as np
    >>> solution = ds.solve(2 * np.eye(3), [-4, 1, 1], mu=[0.0])
    >>> bool(np.allclose(solution.gamma, [2, 0, 0]))
    True
    """
    if isinstance(N, Problem):
        problem = N
    elif isinstance(N, (str, os.PathLike)):
        problem = read_problem(N)
    else:
        if r is None:
            raise ValueError("solve: r is missing")
        problem = Problem.of(N, r, mu, cones)
    return problem.solve(
        law=law,
        method=method,
        tolerance=tolerance,
        max_iterations=max_iterations,
        time_limit=time_limit,
        warm_start=warm_start,
        history=history,
        **options,
    )


def read_problem(path: str | os.PathLike[str]) -> Problem:
    """Read a problem: FCLIB (``.hdf5``), Siconos (``.dat``), ``.npz`` or ``.ccp``.

    Examples
    --------
    >>> import drystone as ds, numpy as np, tempfile
    >>> file = tempfile.mkdtemp() + "/one.hdf5"
    >>> ds.Problem.of(np.eye(3), [-1, 0, 0], [0.5]).write(file, title="one contact")
    >>> ds.read_problem(file).title
    'one contact'
    """
    return Problem(_core.read_problem(Path(path)))


def methods() -> dict[str, dict[str, str]]:
    """The methods, and the options of each with their documentation.

    Examples
    --------
    >>> import drystone as ds
    >>> "omega" in ds.methods()["jacobi"]
    True
    """
    return {
        name: {option: f"{words} ({kind}; {default} unless set)" for option, default, kind, words in options}
        for name, options in _core.methods()
    }


class Comparison(NamedTuple):
    """One method on one problem. A list of them makes a table: ``pandas.DataFrame(rows)``.

    Examples
    --------
    >>> import drystone as ds, numpy as np
    >>> problem = ds.Problem.of(np.eye(3), [-1, 0, 0], [0.5])
    >>> [row] = ds.compare(problem, ["apgd"])
    >>> row.problem, row.method, row.converged
    ('problem 1', 'apgd', True)
    """

    problem: str
    """Title, or the place in the list."""
    method: str
    """The method."""
    converged: bool
    """Whether it reached the tolerance."""
    termination: str
    """Why it stopped, or why it could not begin."""
    iterations: int
    """Iterations."""
    seconds: float
    """Wall time, s; of a second solve without a history where the first converged."""
    residual: float
    """Relative natural-map residual."""
    objective: float
    """J."""
    solution: Solution | None
    """The solution with its history; None where the method does not take the problem."""


def compare(
    problems: Iterable[Problem | str | os.PathLike[str]] | Problem,
    methods: Iterable[str] = ("nesterov-gs", "apgd", "gauss-seidel"),
    *,
    law: str = "relaxed",
    tolerance: float = 1e-8,
    max_iterations: int = 1_000_000,
    time_limit: float | None = 60.0,
    options: Mapping[str, Mapping[str, Any]] | None = None,
) -> list[Comparison]:
    """Run several methods on several problems.

    Parameters
    ----------
    problems : Problem, file, or a list of them
    methods : iterable of str
        Names of :func:`methods`.
    law, tolerance, max_iterations, time_limit
        As for :func:`solve`.
    options : mapping, optional
        Options by method: ``{"jacobi": {"omega": 0.8}}``.

    Returns
    -------
    list of Comparison

    Examples
    --------
    >>> import drystone as ds, numpy as np
    >>> problem = ds.Problem.of(np.eye(6), [-1, 0, 0, -2, 1, 0], [0.5, 0.2])
    >>> [row.converged for row in ds.compare(problem, ["apgd", "gauss-seidel"])]
    [True, True]
    """
    if isinstance(problems, (Problem, str, os.PathLike)):
        problems = [problems]
    rows = []
    for number, given in enumerate(problems):
        problem = given if isinstance(given, Problem) else read_problem(given)
        for method in methods:
            chosen = dict((options or {}).get(method, {}))
            limits: dict[str, Any] = {
                "law": law,
                "method": method,
                "tolerance": tolerance,
                "max_iterations": max_iterations,
                "time_limit": time_limit,
            }
            title = problem.title or f"problem {number + 1}"
            rows.append(_compared(problem, title, limits, chosen))
    return rows


def _compared(
    problem: Problem, title: str, limits: dict[str, Any], options: dict[str, Any]
) -> Comparison:
    method = str(limits["method"])
    try:
        kept = problem.solve(history=True, **limits, **options)
    except ValueError as error:
        if method not in dict(_core.methods()):
            raise
        nan = float("nan")
        return Comparison(title, method, False, str(error), 0, nan, nan, nan, None)
    seconds = kept.seconds
    if kept.converged:
        # Keeping a history slows a solve, so it does not count.
        seconds = problem.solve(**limits, **options).seconds
    return Comparison(
        title,
        method,
        kept.converged,
        kept.termination,
        kept.iterations,
        seconds,
        kept.residual,
        kept.objective,
        kept,
    )
