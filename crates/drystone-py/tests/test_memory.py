"""Nothing leaks."""

from __future__ import annotations

import gc
import weakref

import numpy as np

import drystone as ds
from conftest import ball_and_floor


def resident() -> float:
    """Memory of this process, MB."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096 / 1e6


def test_ten_thousand_worlds_leave_no_memory_behind() -> None:
    def make(count: int) -> None:
        for _ in range(count):
            sim = ball_and_floor().build()
            sim.set_loads(np.zeros((2, 3)))
            sim.step()
            assert sim.positions.shape == (2, 3) and len(sim.contacts) == 1
        gc.collect()

    make(1000)
    before = resident()
    make(10_000)
    assert resident() - before < 5.0


def test_states_solutions_and_errors_leave_no_memory_behind() -> None:
    sim = ds.load("pile", count=200)
    sim.run(until=0.1)
    problem = ds.Problem.of(np.eye(3), [-1, 0, 0], [0.5])

    def work(count: int) -> None:
        for _ in range(count):
            sim.restore(sim.save())
            problem.solve(history=True)
            sim.begin()
            try:
                ds.load("pile", cout=3)
            except ds.SceneError:
                pass
        gc.collect()

    work(50)
    before = resident()
    work(500)
    assert resident() - before < 5.0


def test_functions_are_let_go_with_their_simulation() -> None:
    class Motion:
        def __call__(self, t: float) -> list[float]:
            return [0, 0, 2 + t]

    motion = Motion()
    alive = weakref.ref(motion)
    world = ball_and_floor()
    world.add(ds.sphere(0.1), name="moved", motion=motion)
    sim = world.build()
    sim.run(steps=3)
    copied = sim.copy()
    del motion, world, sim, copied
    gc.collect()
    assert alive() is None


def test_a_simulation_that_its_own_functions_know_is_collected() -> None:
    class Controller:
        def __init__(self, sim: ds.Simulation) -> None:
            self.sim = sim

        def __call__(self, t: float) -> list[float]:
            return [0, 0, 2 + t]

    world = ball_and_floor()
    world.add(ds.sphere(0.1), name="moved", kind="prescribed")
    sim = world.build()
    controller = Controller(sim)
    alive = weakref.ref(controller)
    sim.set_motion(controller, bodies="moved")
    sim.run(steps=3)
    del controller, sim
    gc.collect()
    assert alive() is None


def test_settings_that_are_set_in_every_step_are_saved_once() -> None:
    sim = ball_and_floor().build()
    sizes = set()
    for k in range(100):
        sim.set(gravity=[0, 0, -9.0 - 0.001 * (k % 2)], tolerance=1e-5)
        sizes.add(len(sim.save()))
    assert max(sizes) - min(sizes) < 20
    other = ball_and_floor().build()
    other.restore(sim.save())
    assert other.settings["gravity"] == [0, 0, -9.001] and other.settings["tolerance"] == 1e-5
