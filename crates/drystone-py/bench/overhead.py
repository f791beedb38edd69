"""What stepping from Python costs, beside the same steps made by the engine alone.

    python crates/drystone-py/bench/overhead.py [--bodies 10000] [--rounds 21]
    python crates/drystone-py/bench/overhead.py --count    # instructions, by valgrind: minutes
    python crates/drystone-py/bench/overhead.py --build    # a world of 100 000 balls from arrays

Copies of one state make the same steps, to the bit, in three ways: `sim.run(steps=...)`, one call
that stays in the engine; `sim.step()` in a loop; and a callback that reads all positions and sets
all loads between steps.

Without `--count` the ways take turns on one thread, and every round gives a ratio of processor
times; the median of the rounds counts, and the quartiles say what it is worth. With `--count`
valgrind counts the instructions of each, which do not depend on what else the machine does.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import drystone as ds

STEPS = 10
COUNTED = 4


def build(count: int) -> ds.Simulation:
    """Balls on a lattice in a box that has room for them to settle."""
    side = round(count ** (1 / 3))
    axis = 0.021 * np.arange(side)
    places = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), -1).reshape(-1, 3)
    world = ds.World(time_step=0.002, tolerance=1e-3)
    size = 0.021 * side + 0.002
    world.container("box", {"type": "box", "size": [size, size, 2 * size]})
    middle = 0.5 * 0.021 * (side - 1)
    world.add_many(None, places - [middle, middle, -0.011], "balls", radii=0.01)
    return world.build()


def forces_on(sim: ds.Simulation) -> np.ndarray:
    return 1e-6 * np.random.default_rng(1).normal(size=(len(sim), 3))


def settled(count: int) -> tuple[ds.Simulation, bytes]:
    """Balls that have begun to settle, with loads, and that state."""
    sim = build(count)
    sim.run(steps=20)
    sim.set_loads(forces_on(sim))
    return sim, sim.save()


def ways(sim: ds.Simulation) -> dict[str, Callable[[int], object]]:
    """What is compared: each makes so many steps."""
    forces, sums = forces_on(sim), []

    def callback(sim: ds.Simulation) -> None:
        sums.append(float(sim.positions.sum()))
        sim.set_loads(forces)

    def loop(steps: int) -> None:
        for _ in range(steps):
            sim.step()

    return {
        "the engine alone": lambda steps: sim.run(steps=steps),
        "sim.step() in a loop": loop,
        "a callback": lambda steps: sim.run(steps=steps, callback=callback),
    }


def measure(count: int, rounds: int) -> None:
    sim, state = settled(count)
    all_ways = ways(sim)
    times: dict[str, list[float]] = {name: [] for name in all_ways}
    ends = set()
    for number in range(rounds):
        names = list(all_ways)
        # Who begins changes, so that nobody always comes after the same one.
        for name in names[number % 3 :] + names[: number % 3]:
            sim.restore(state)
            began = time.process_time()
            all_ways[name](STEPS)
            times[name].append((time.process_time() - began) / STEPS)
            ends.add(sim.positions.tobytes())
    assert len(ends) == 1, "the ways differ"
    base = np.array(times["the engine alone"])
    print(f"{len(sim)} bodies, {STEPS} steps, one thread, {rounds} rounds in turn")
    for name, seconds in times.items():
        low, middle, high = np.percentile(100 * (np.array(seconds) / base - 1), [25, 50, 75])
        print(
            f"{name:22} {1e3 * np.median(seconds):7.2f} ms a step   {middle:+6.2f} % "
            f"(half of the rounds between {low:+.2f} and {high:+.2f})"
        )


def count_instructions(count: int) -> None:
    """Runs this file under valgrind, one way at a time, and without steps for what else there is."""
    sim, state = settled(count)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "state"
        file.write_bytes(state)
        counts = {name: _counted(count, file, name, COUNTED) for name in ways(sim)}
        rest = _counted(count, file, "the engine alone", 0)
    base = counts["the engine alone"] - rest
    print(f"{len(sim)} bodies, {COUNTED} steps, one thread, instructions counted by valgrind")
    for name, whole in counts.items():
        steps = whole - rest
        more = 100 * (steps / base - 1)
        print(f"{name:22} {steps / COUNTED / 1e6:9.2f} million a step  {more:+6.2f} %")


def _counted(count: int, state: Path, way: str, steps: int) -> int:
    child = [sys.executable, __file__, "--bodies", str(count), "--only", way]
    child += ["--steps", str(steps), "--state", str(state)]
    valgrind = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    done = subprocess.run([*valgrind, *child], capture_output=True, text=True, check=False)
    told = re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)
    if done.returncode != 0 or told is None:
        sys.exit(f"valgrind did not count: {done.stderr[-2000:]}")
    return int(told.group(1).replace(",", ""))


def measure_building(count: int = 100_000) -> None:
    places = 0.05 * np.stack(np.unravel_index(np.arange(count), (47, 47, 47)), -1) + [0, 0, 0.05]
    times = []
    for _ in range(5):
        began = time.process_time(), time.perf_counter()
        world = ds.World()
        world.add(ds.plane(), name="floor")
        world.add_many(None, places, "balls", radii=0.02)
        world.build()
        times.append((time.process_time() - began[0], time.perf_counter() - began[1]))
    processor, clock = np.median(times, axis=0)
    print(
        f"{count} balls from arrays: {processor:.2f} s of processor time, {clock:.2f} s by the "
        "clock (medians of 5)"
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    options.add_argument("--bodies", type=int, default=10_000)
    options.add_argument("--rounds", type=int, default=21)
    options.add_argument("--count", action="store_true", help="count instructions by valgrind")
    options.add_argument("--build", action="store_true", help="time the building of a world")
    options.add_argument("--only", help=argparse.SUPPRESS)
    options.add_argument("--steps", type=int, help=argparse.SUPPRESS)
    options.add_argument("--state", help=argparse.SUPPRESS)
    given = options.parse_args()
    ds.set_threads(1)
    if given.only:
        sim = build(given.bodies)
        sim.restore(given.state)
        work = ways(sim)[given.only]
        if given.steps:
            work(given.steps)
    elif given.build:
        measure_building()
    elif given.count:
        count_instructions(given.bodies)
    else:
        measure(given.bodies, given.rounds)


if __name__ == "__main__":
    main()
