"""A gripper holds a box by friction, with a force controller in Python.

Two fingers on rails press a box and lift it. A controller sets the finger motors before every step: it raises the grip when the box
slips, and lets it fall slowly when it does not. It ends near the least force that holds, m g / (2 mu).
"""

from __future__ import annotations

import numpy as np

import drystone as ds
from common import OUT, figure, keep, size

MASS, FRICTION, STEP = 1.2, 0.6, 0.002


def build() -> ds.Simulation:
    world = ds.World("A gripper", time_step=STEP, law="exact")
    world.material("rubber", friction=FRICTION)
    world.add(ds.plane(), name="table")
    world.add(ds.box([0.1, 0.1, 0.12]), name="box", position=[0, 0, 0.06], mass=MASS, material="rubber")
    # The wrist is lifted by a motor; the fingers slide on it.
    world.add(ds.box([0.3, 0.06, 0.04]), name="wrist", position=[0, 0, 0.22], mass=2.0)
    world.joint("prismatic", None, "wrist", "lift", at=[0, 0, 0.22], axis=[0, 0, 1])
    for side, name in ((-1, "left"), (1, "right")):
        finger = ds.box([0.02, 0.06, 0.16])
        place = [side * 0.062, 0, 0.12]
        world.add(finger, name=name, position=place, mass=0.3, material="rubber")
        world.joint("prismatic", "wrist", name, f"{name}-rail", at=place, axis=[-side, 0, 0])
    world.view(camera="azimuth=20,elevation=12", color_by=None)
    return world.build()


class Controller:
    """Raises the grip on slip, else lets it go slowly: what fingers do."""

    def __init__(self, grip: float) -> None:
        self.grip = grip
        self.rows: list[tuple[float, float, float, float]] = []

    def __call__(self, sim: ds.Simulation) -> None:
        box, left = sim.index("box"), sim.index("left")
        slip = float(sim.velocities[left, 2] - sim.velocities[box, 2])
        lifting = sim.time > 0.3
        if lifting and abs(slip) > 2e-3:
            self.grip *= 1.02
        elif lifting:
            self.grip *= 0.9985
        speed = 0.0 if not lifting else 0.1 * np.sin(4 * (sim.time - 0.3)) if sim.time < 1.1 else 0.0
        sim.set_motor("lift", speed=float(speed), max_force=500.0)
        for name in ("left", "right"):
            sim.set_motor(f"{name}-rail", force=self.grip)
        pressed = float(np.abs(sim.force(on="box", by="left")[0]))
        self.rows.append((sim.time, pressed, float(sim.positions[box, 2]), slip))


def main() -> None:
    sim, control = build(), Controller(grip=6.0)
    sim.run(until=size(3.0, 0.8), callback=control)
    time, pressed, height, slip = np.array(control.rows).T
    need = MASS * 9.81 / (2 * FRICTION)
    late = pressed[time > time[-1] - 0.5].mean()
    print(f"grip at the end {late:.2f} N, least that holds {need:.2f} N")
    print(f"box lifted by {100 * (height[-1] - 0.06):.1f} cm")
    shown, axes = figure(8.4, 3.6)
    axes.remove()
    left, right = shown.subplots(1, 2)
    left.plot(time, pressed, lw=1, label="grip")
    left.axhline(need, color="k", lw=1, ls="--", label="m g / (2 mu)")
    left.set(xlabel="time (s)", ylabel="grip (N)", ylim=(0, None))
    left.legend(frameon=False)
    right.plot(time, 100 * (height - 0.06), lw=1, label="height (cm)")
    right.plot(time, 1000 * slip, lw=0.8, label="slip (mm/s)")
    right.set(xlabel="time (s)")
    right.legend(frameon=False)
    keep(shown, "gripper")
    sim.picture(OUT / "gripper-picture.png", size=(700, 520))


if __name__ == "__main__":
    main()
