"""What stepping from Python costs, beside the same steps made by the engine alone.

    python crates/drystone-py/tests/overhead.py [bodies]

Copies of one state make the same steps, to the bit, in three ways: `sim.run(steps=...)`, one call that stays in the engine;
`sim.step()` in a loop; and a callback that reads all positions and sets all loads between steps. They take turns on one thread,
and of each the fastest round counts, by processor time: on a machine that does other work too, wall time says more about that work.
"""

from __future__ import annotations

import sys
import time

import numpy as np

import drystone as ds

STEPS = 20
ROUNDS = 5


def build(count: int) -> ds.Simulation:
    """Balls on a lattice that has begun to settle."""
    side = round(count ** (1 / 3))
    axis = 0.021 * np.arange(side)
    places = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), -1).reshape(-1, 3)
    world = ds.World(time_step=0.002, tolerance=1e-3)
    size = 0.021 * side + 0.002
    world.container("box", {"type": "box", "size": [size, size, 2 * size]})
    middle = 0.5 * 0.021 * (side - 1)
    world.add_many(None, places - [middle, middle, -0.011], "balls", radii=0.01)
    sim = world.build()
    sim.run(steps=20)
    return sim


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    ds.set_threads(1)
    start = build(count)
    forces = 1e-6 * np.random.default_rng(1).normal(size=(len(start), 3))
    start.set_loads(forces)
    state = start.save()
    sums = []

    def callback(sim: ds.Simulation) -> None:
        sums.append(float(sim.positions.sum()))
        sim.set_loads(forces)

    def alone(sim: ds.Simulation) -> None:
        sim.run(steps=STEPS)

    def loop(sim: ds.Simulation) -> None:
        for _ in range(STEPS):
            sim.step()

    def called(sim: ds.Simulation) -> None:
        sim.run(steps=STEPS, callback=callback)

    ways = {"the engine alone": alone, "steps in a loop": loop, "callback": called}
    best = dict.fromkeys(ways, np.inf)
    ends = set()
    for _ in range(ROUNDS):
        for name, work in ways.items():
            start.restore(state)
            began = time.process_time()
            work(start)
            best[name] = min(best[name], time.process_time() - began)
            ends.add(start.positions.tobytes())
    assert len(ends) == 1, "the ways differ"
    print(f"{len(start)} bodies, {STEPS} steps, {ds.threads()} threads, best of {ROUNDS} rounds")
    for name, seconds in best.items():
        more = 100 * (seconds / best["the engine alone"] - 1)
        print(f"{name:18} {1e3 * seconds / STEPS:8.2f} ms a step  {more:+6.2f} %")


if __name__ == "__main__":
    main()
