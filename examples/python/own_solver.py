"""A solver written in Python, on the same problem as the built-in ones and driving steps.

Accelerated projected gradient descent takes a dozen lines with numpy and scipy. The problem is that of one step of a settled pile.
"""

from __future__ import annotations

import time

import numpy as np

import drystone as ds
from common import figure, keep, size


def apgd(problem: ds.Problem, iterations: int, history: list | None = None) -> np.ndarray:
    """Nesterov's acceleration with a restart where the momentum points uphill (Mazhar 2015)."""
    N, r = problem.N, problem.r
    # Gershgorin: no eigenvalue of a symmetric matrix exceeds its largest absolute row sum.
    t = 1.0 / abs(N).sum(axis=1).max()
    x = problem.project(problem.warm_start)
    y, theta, began = x, 1.0, time.perf_counter()
    for k in range(iterations):
        x_new = problem.project(y - t * (N @ y + r))
        if (y - x_new) @ (x_new - x) > 0:
            theta = 1.0
        theta_new = 0.5 * (1 + np.sqrt(1 + 4 * theta**2))
        y = x_new + (theta - 1) / theta_new * (x_new - x)
        x, theta = x_new, theta_new
        if history is not None and k % 10 == 0:
            residual = problem.certificate(x)["residual"]
            history.append((k, time.perf_counter() - began, residual))
    return x


def main() -> None:
    sim = ds.load("pile", count=int(size(1000, 80)))
    sim.run(until=size(1.2, 0.4))
    problem = sim.begin()
    # From zero, as all the others below.
    problem = ds.Problem.of(problem.N, problem.r, cones=problem.cones)
    print(problem)
    ours: list[tuple[int, float, float]] = []
    apgd(problem, int(size(2000, 200)), ours)
    shown, axes = figure()
    # The best so far: that is what a solve returns.
    k, _, residual = np.array(ours).T
    axes.loglog(k + 1, np.minimum.accumulate(residual), "k-", lw=2, label="own, in Python")
    names = ["apgd", "nesterov-gs", "gauss-seidel", "spg"]
    for row in ds.compare(problem, names, tolerance=1e-8, max_iterations=2000):
        assert row.solution is not None
        history = row.solution.history
        best = np.minimum.accumulate(history["residual"])
        axes.loglog(history["iteration"] + 1, best, lw=1.3, label=row.method)
        print(f"{row.method:14} {row.termination:16} {row.residual:.1e} in {row.iterations} iterations")
    axes.set(xlabel="iteration", ylabel="relative residual, best so far")
    axes.legend(frameon=False)
    keep(shown, "own-solver")
    # The same solver drives steps of the engine.
    twin = sim.copy()
    steps = int(size(10, 3))
    for _ in range(steps):
        answer: ds.Problem | ds.StepReport = sim.begin()
        while isinstance(answer, ds.Problem):
            answer = sim.finish(apgd(answer, 150), iterations=150)
        twin.step()
    off = np.abs(sim.positions - twin.positions).max()
    print(f"after {steps} steps by it: {1e6 * off:.1f} micrometres from the engine's own")


if __name__ == "__main__":
    main()
