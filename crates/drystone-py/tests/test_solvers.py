"""Cone problems from Python."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import drystone as ds
from conftest import ROOT


def test_a_problem_solved_by_hand() -> None:
    # N = 2I, r = (-4, 1, 1), mu = 0, so gamma = (2, 0, 0).
    for matrix in (2 * np.eye(3), sparse.csr_array(2 * np.eye(3)), sparse.coo_array(2 * np.eye(3))):
        solution = ds.solve(matrix, [-4, 1, 1], mu=[0.0], history=True)
        assert solution.converged and solution.gamma == pytest.approx([2, 0, 0])
        assert solution.velocity == pytest.approx([0, 1, 1])
        assert solution.history["residual"][-1] <= 1e-8
        assert solution.duality_gap is not None and abs(solution.duality_gap) < 1e-7


def test_the_exact_law_does_not_part_what_slides() -> None:
    N, r = np.eye(3), np.array([-1.0, 3.0, 0.0])
    relaxed = ds.solve(N, r, [0.5])
    exact = ds.solve(N, r, [0.5], law="exact")
    assert relaxed.velocity[0] == pytest.approx(0.5 * np.hypot(*relaxed.velocity[1:]), rel=1e-5)
    assert exact.velocity[0] == pytest.approx(0, abs=1e-7)
    assert exact.gamma == pytest.approx([1, -0.5, 0], abs=1e-7)


def test_own_cones() -> None:
    cones = [ds.Free(2), ds.Box(-0.5, 0.5), ds.NonNegative(), ds.Rolling(0.5, 0.01), ds.Friction(0.3)]
    cones.append(ds.Rolling(0.5, 0.01, 0.02))
    dim = 2 + 1 + 1 + 5 + 3 + 6
    rng = np.random.default_rng(1)
    A = rng.normal(size=(dim, dim))
    problem = ds.Problem.of(A @ A.T + np.eye(dim), rng.normal(size=dim), cones=cones)
    solution = problem.solve()
    assert solution.converged and problem.cones == cones
    gamma, u = solution.gamma, solution.velocity
    assert u[:2] == pytest.approx([0, 0], abs=1e-6) and abs(gamma[2]) <= 0.5 + 1e-9
    assert gamma[3] >= -1e-12 and np.hypot(*gamma[7:9]) <= 0.01 * gamma[4] + 1e-9
    assert [row for row, _ in problem.blocks()] == [0, 2, 3, 4, 9, 12]
    certificate = problem.certificate(gamma)
    assert certificate["residual"] == pytest.approx(solution.residual, rel=1e-6, abs=1e-12)


def test_a_jacobian_masses_and_gaps() -> None:
    # A ball of 2 kg, 1 mm above the ground, falls at 1 m/s: in 10 ms it may go 1 mm.
    J = sparse.csr_array([[0, 0, 1.0], [1, 0, 0], [0, 1, 0]])
    problem = ds.Problem.of_bodies(
        J, [2.0, 2.0, 2.0], [0, 0, -1.0], friction=[0.5], gaps=[1e-3], time_step=0.01
    )
    solution = problem.solve()
    assert solution.gamma[0] == pytest.approx(2 * 0.9)
    assert problem.N.toarray() == pytest.approx(0.5 * np.eye(3))
    by_matrix = ds.Problem.of_bodies(J, sparse.diags_array([2.0, 2, 2]), [0, 0, -1.0], friction=[0.5])
    assert by_matrix.N.toarray() == pytest.approx(0.5 * np.eye(3))


def test_files_in_and_out(tmp_path: Path) -> None:
    problem = ds.read_problem(ROOT / "problems" / "block.hdf5")
    assert problem.contacts == 4 and problem.dim == 12
    solution = problem.solve()
    for name in ("block.hdf5", "block.ccp"):
        problem.write(tmp_path / name, title="a block", solution=solution.gamma)
        again = ds.read_problem(tmp_path / name)
        assert again.title == "a block" and again.solution == pytest.approx(solution.gamma)
        assert np.array_equal(again.N.toarray(), problem.N.toarray())
    assert ds.solve(tmp_path / "block.ccp").converged


def test_methods_are_compared() -> None:
    files = [ROOT / "problems" / "block.hdf5"]
    rows = ds.compare(files, ["nesterov-gs", "apgd", "jacobi"], options={"jacobi": {"omega": 0.8}})
    assert [row.method for row in rows] == ["nesterov-gs", "apgd", "jacobi"]
    assert all(row.converged and row.solution is not None for row in rows)
    assert len({round(row.objective, 6) for row in rows}) == 1
    assert set(ds.methods()) >= {"auto", "apgd", "newton", "interior-point"}


def test_python_drives_a_step() -> None:
    def solver(problem: ds.Problem) -> np.ndarray:
        """Projected gradient with a step from the mean diagonal."""
        gamma, N = problem.warm_start, problem.N
        t = 0.3 / N.diagonal().max()
        for _ in range(300):
            gamma = problem.project(gamma - t * (N @ gamma + problem.r))
        return gamma

    sim = ds.load("pile", count=30)
    sim.run(until=0.3)
    twin = sim.copy()
    for _ in range(5):
        answer: ds.Problem | ds.StepReport = sim.begin()
        while isinstance(answer, ds.Problem):
            assert answer.contacts > 10
            answer = sim.finish(solver(answer), iterations=300)
        assert answer.method == "python" and answer.iterations >= 300
        twin.step()
    assert sim.step_count == 80 == twin.step_count
    assert sim.positions == pytest.approx(twin.positions, abs=1e-3)


def test_the_engines_own_answer_gives_the_engines_own_step() -> None:
    a = ds.load("pile", count=60)
    a.run(until=0.3)
    b = a.copy()
    for _ in range(5):
        answer: ds.Problem | ds.StepReport = b.begin()
        while isinstance(answer, ds.Problem):
            answer = b.finish(answer.solve(tolerance=1e-10, warm_start=answer.warm_start).gamma)
        a.step()
    assert b.positions == pytest.approx(a.positions, abs=1e-4)


def test_a_step_is_closed_by_what_comes_between(stack: ds.Simulation) -> None:
    with pytest.raises(ValueError, match="no step is open"):
        stack.finish([0.0])
    problem = stack.begin()
    with pytest.raises(ds.StepError, match="impulses"):
        stack.finish(np.zeros(problem.dim + 1))
    problem = stack.begin()
    with pytest.raises(ds.StepError):
        stack.finish(np.full(problem.dim, np.nan))
    problem = stack.begin()
    stack.set_loads([0, 0, 0])
    with pytest.raises(ValueError, match="no step is open"):
        stack.finish(np.zeros(problem.dim))
    assert stack.step().step == 1
