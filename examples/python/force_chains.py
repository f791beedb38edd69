"""Force chains of a sheared pack: how contact forces are distributed.

Balls between two plates, pressed by the upper one and sheared by the lower, in a box that repeats itself along x and y. Contact
forces above the mean fall off exponentially, and strong contacts lean into the shear.
"""

from __future__ import annotations

import numpy as np

import drystone as ds
from common import OUT, figure, keep, size

COUNT, RADIUS = int(size(1500, 200)), 0.01
WIDTH = size(0.22, 0.12)
PRESSURE = 2000.0  # N/m²


def build() -> ds.Simulation:
    world = ds.World(
        "A sheared pack",
        time_step=0.002,
        tolerance=1e-4,
        gravity=[0, 0, 0],
        periodic={"x": [0, WIDTH], "y": [0, WIDTH]},
    )
    world.material("glass", friction=0.5, density=2500)
    rng = np.random.default_rng(3)
    side = int(WIDTH / (2.3 * RADIUS))
    k = np.arange(COUNT)
    cells = np.stack([k % side, k // side % side, k // side**2], axis=1)
    places = (cells + 0.5) * (WIDTH / side) + rng.uniform(-0.03, 0.03, (COUNT, 3)) * RADIUS
    world.add_many(None, places, "balls", radii=RADIUS * rng.uniform(0.85, 1.1, COUNT), material="glass")
    # Wide enough to reach across the box however far it has moved.
    plate = ds.box([6 * WIDTH, 6 * WIDTH, 0.02])
    middle = [WIDTH / 2, WIDTH / 2]
    world.add(plate, name="floor", kind="prescribed", position=[*middle, -0.011], material="glass", look="hidden")
    top = float(places[:, 2].max()) + 1.1 * RADIUS + 0.011
    world.add(plate, name="lid", position=[*middle, top], mass=0.3, material="glass", look="hidden")
    world.joint("prismatic", None, "lid", "guide", at=[*middle, top], axis=[0, 0, 1],
                motor={"force": -PRESSURE * WIDTH**2})
    return world.build()


def main() -> None:
    sim = build()
    sim.run(until=size(0.6, 0.1))
    sim.set_motion_velocities([0.15, 0, 0], bodies="floor")
    forces, directions = [], []

    def gather(sim: ds.Simulation) -> None:
        contacts = sim.contacts
        balls = sim.groups["balls"]
        inside = np.isin(contacts["bodies"], balls).all(axis=1) & (contacts["normal_force"] > 0)
        forces.append(contacts["normal_force"][inside])
        directions.append(contacts["normal"][inside])

    sim.run(until=sim.time + size(1.0, 0.1), callback=gather, every=10)
    half = len(forces) // 2
    f, n = np.concatenate(forces[half:]), np.concatenate(directions[half:])
    f = f / f.mean()
    share, edges = np.histogram(f, bins=np.linspace(0, 6, 31), density=True)
    middle = 0.5 * (edges[1:] + edges[:-1])
    tail = (middle > 1) & (share > 0)
    decay = -np.polyfit(middle[tail], np.log(share[tail]), 1)[0]
    print(f"{len(f)} contacts; beyond the mean the forces fall off as exp(-{decay:.2f} f/<f>)")
    shown, axes = figure(8.4, 3.8)
    axes.remove()
    left, right = shown.add_subplot(1, 2, 1), shown.add_subplot(1, 2, 2, projection="polar")
    left.semilogy(middle, np.where(share > 0, share, np.nan), "o", ms=4)
    left.semilogy(middle[tail], np.exp(np.polyval(np.polyfit(middle[tail], np.log(share[tail]), 1), middle[tail])), "k-", lw=1)
    left.set(xlabel="normal force over its mean", ylabel="probability density")
    angle = np.arctan2(n[:, 2], n[:, 0])
    for strong, label in ((f > 1, "strong"), (f <= 1, "weak")):
        both = np.concatenate([angle[strong], angle[strong] + np.pi]) % (2 * np.pi)
        counts, ends = np.histogram(both, bins=36, range=(0, 2 * np.pi))
        right.stairs(counts / counts.mean(), ends, label=label)
    right.set_title("contact normals in the plane of shear", fontsize=9)
    right.set_yticklabels([])
    right.legend(frameon=False, loc="lower right", bbox_to_anchor=(1.25, -0.1))
    keep(shown, "force-chains")
    sim.picture(OUT / "force-chains-picture.png", size=(760, 520), color_by="force", camera="front,orthographic")


if __name__ == "__main__":
    main()
