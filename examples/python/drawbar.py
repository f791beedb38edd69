"""A drawbar-pull curve: what a wheel can pull against how much it slips.

A wheel with grousers turns at a given rate while its axle is moved at a given speed through a bed of grains: the slip is prescribed,
and the force on the axle is the drawbar pull. One state is saved and branched for every slip.
"""

from __future__ import annotations

import numpy as np

import drystone as ds
from common import OUT, figure, keep, size

WHEEL, WIDTH, SPEED = 0.06, 0.04, 0.12  # radius and width, m; rim speed, m/s
LOAD = 18.0  # N
LENGTH = size(0.32, 0.24)


def build() -> ds.Simulation:
    world = ds.World("A wheel on grains", time_step=0.004, tolerance=5e-3)
    world.material("gravel", friction=0.8, density=2600)
    world.material("steel", friction=0.5)
    # Two grains fit between the wheel and the walls: fewer would jam there.
    world.container("bin", {"type": "box", "size": [LENGTH, WIDTH + 0.06, 0.2]}, material="gravel")
    world.fill(ds.sphere(0.006), count=int(size(900, 200)), container="bin", material="gravel", arrangement="rain",
               sizes={"type": "uniform", "min": 0.010, "max": 0.013})
    # Cylinders stand along z: the hub and eight grousers are turned so that the axle is y.
    parts = [(ds.cylinder(WHEEL - 0.01, WIDTH), [0, 0, 0], [90, 0, 0])]
    for angle in np.arange(0, 360, 45):
        a = np.radians(angle)
        place = [(WHEEL - 0.008) * np.sin(a), 0, (WHEEL - 0.008) * np.cos(a)]
        parts.append((ds.box([0.006, WIDTH, 0.016]), place, [0, float(angle), 0]))
    # The sledge is moved along, the axle sinks on it, the wheel turns on the axle.
    start = [-0.5 * LENGTH + 0.09, 0, 0.28]
    world.add(ds.box([0.02, 0.02, 0.02]), name="sledge", position=[start[0], 0, 0.5], mass=0.05)
    world.add(ds.box([0.02, 0.02, 0.02]), name="axle", position=start, mass=LOAD / 9.81)
    world.add(ds.compound(parts), name="wheel", position=start, mass=0.5, material="steel")
    world.joint("prismatic", None, "sledge", "pull", at=start, axis=[1, 0, 0], motor={"speed": 0.0})
    world.joint("prismatic", "sledge", "axle", "sink", at=start, axis=[0, 0, 1])
    world.joint("revolute", "axle", "wheel", "drive", at=start, axis=[0, 1, 0], motor={"speed": 0.0})
    world.view(camera="front", clip="y<0")
    return world.build()


def pull(settled: ds.Simulation, slip: float) -> tuple[float, float]:
    """Median drawbar pull and driving torque at a slip, after the wheel has dug in."""
    sim = settled.copy()
    speed = SPEED * (1 - slip)
    sim.set_motor("drive", speed=SPEED / WHEEL)
    sim.set_motor("pull", speed=speed)
    rows = []

    def gather(sim: ds.Simulation) -> None:
        joints = sim.joints
        pulled = joints["motor"][joints["name"] == "pull"][0]
        driven = joints["motor"][joints["name"] == "drive"][0]
        rows.append((-pulled, driven))

    time = size(0.6, 0.06)
    sim.run(until=sim.time + time, callback=gather)
    late = np.array(rows)[len(rows) // 3 :]
    print(f"slip {slip:5.0%}: {np.median(late, axis=0)}", flush=True)
    if slip == SLIPS[-1]:
        OUT.mkdir(parents=True, exist_ok=True)
        sim.picture(OUT / "drawbar-picture.png", size=(900, 520), color_by="speed")
    return float(np.median(late[:, 0])), float(np.median(late[:, 1]))


SLIPS = [0.0, 0.2, 0.4, 0.7] if size(1, 0) else [0.0, 0.4]


def main() -> None:
    sim = build()
    sim.run(until=size(0.7, 0.3))
    figures = np.array([pull(sim, slip) for slip in SLIPS])
    for slip, (force, torque) in zip(SLIPS, figures, strict=True):
        print(f"slip {slip:5.0%}: pull {force:6.2f} N, torque {torque:6.3f} N m")
    shown, axes = figure()
    weight = LOAD + 0.5 * 9.81
    axes.plot(100 * np.array(SLIPS), figures[:, 0] / weight, "o-", label="drawbar pull / weight")
    axes.plot(100 * np.array(SLIPS), figures[:, 1] / (weight * WHEEL), "s--", label="torque / (weight x radius)")
    axes.axhline(0, color="k", lw=0.6)
    axes.set(xlabel="slip (%)", ylabel="share of the weight")
    axes.legend(frameon=False)
    keep(shown, "drawbar")


if __name__ == "__main__":
    main()
