"""A silo's discharge against Beverloo's law.

Balls run out of a hole in a flat floor. Beverloo (1961) found the mass flow W = C rho_b sqrt(g) (D - k d)^(5/2), with C about
0.58 and k about 1.4 for balls: it does not depend on the filling height.
"""

from __future__ import annotations

import numpy as np

import drystone as ds
from common import OUT, figure, keep, size

DIAMETER, RADIUS = 0.008, 0.045  # of a ball, of the silo, m
COUNT = int(size(1200, 250))
DENSITY = 2500.0
TIME = size(0.7, 0.2)


def silo(opening: float) -> ds.World:
    """A cylinder whose floor is a ring around a hole, closed by a plug at first."""
    radius, height = RADIUS, 0.25
    world = ds.World(f"A silo with a hole of {100 * opening:.1f} cm", time_step=0.004, tolerance=5e-3)
    world.material("glass", friction=0.4, density=DENSITY)
    # The inside of a solid of revolution: the floor slopes by nothing, the hole is its first point.
    profile = [[0.5 * opening, -0.002], [0.5 * opening, 0.0], [radius, 0.0005], [radius, height]]
    shape = {"type": "revolved", "profile": profile}
    world.container("silo", shape, open=["top", "bottom"], thickness=0.01, material="glass")
    plug = ds.cylinder(0.5 * opening + 0.004, 0.01)
    world.add(plug, name="plug", kind="fixed", position=[0, 0, -0.008], material="glass")
    region = {"type": "cylinder", "base": [0, 0, 0.002], "radius": radius - 0.001, "height": 3.0}
    sizes = {"type": "uniform", "min": 0.95 * DIAMETER, "max": 1.05 * DIAMETER}
    world.fill(
        ds.sphere(0.5 * DIAMETER), count=COUNT, region=region, sizes=sizes, material="glass"
    )
    world.view(clip="y<0")
    return world


def discharge(opening: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Times after the opening, s, the mass that has left, kg, and the bulk density, kg/m³."""
    sim = silo(opening).build()
    grains = sim.groups["grains"]
    masses = sim.masses[grains]
    sim.run(until=size(0.4, 0.2))
    z = sim.positions[grains, 2]
    volume = np.pi * RADIUS**2 * (np.sort(z)[-len(z) // 20 :].mean() + 0.5 * DIAMETER)
    bulk = masses.sum() / volume
    sim.set_enabled(False, bodies="plug")
    start, times, out = sim.time, [], []
    for _ in sim.steps(until=sim.time + TIME):
        times.append(sim.time - start)
        out.append(masses[sim.positions[grains, 2] < -0.01].sum())
        # What is far below takes no part any more.
        gone = grains[sim.positions[grains, 2] < -0.12]
        if len(gone):
            sim.set_enabled(False, bodies=gone)
        if opening == OPENINGS[-1] and len(times) == int(60 * size(1, 0.2)):
            OUT.mkdir(parents=True, exist_ok=True)
            sim.picture(OUT / "silo-picture.png", size=(620, 620), color_by="speed", camera="front")
    return np.array(times), np.array(out), bulk


OPENINGS = [0.036, 0.044, 0.052] if size(1, 0) else [0.04, 0.056]


def main() -> None:
    flows, bulks = [], []
    shown, axes = figure(8.4, 3.8)
    axes.remove()
    left, right = shown.subplots(1, 2)
    for opening in OPENINGS:
        times, out, bulk = discharge(opening)
        steady = (times > 0.2 * TIME) & (out < 0.8 * COUNT * DENSITY * np.pi / 6 * DIAMETER**3)
        flow = np.polyfit(times[steady], out[steady], 1)[0] if steady.sum() > 2 else np.nan
        flows.append(flow)
        bulks.append(bulk)
        left.plot(times, out, label=f"{100 * opening:.1f} cm")
        print(f"opening {100 * opening:.1f} cm: {flow:.3f} kg/s, bulk density {bulk:.0f} kg/m3")
    left.set(xlabel="time (s)", ylabel="mass that has left (kg)")
    left.legend(title="opening", frameon=False)
    D = np.linspace(0.9 * min(OPENINGS), 1.05 * max(OPENINGS), 50)
    bulk = float(np.mean(bulks))
    law = 0.58 * bulk * np.sqrt(9.81) * np.clip(D - 1.4 * DIAMETER, 0, None) ** 2.5
    right.plot(100 * D, law, "k-", lw=1, label="Beverloo, C = 0.58, k = 1.4")
    right.plot(100 * np.array(OPENINGS), flows, "o", label="Drystone")
    right.set(xlabel="opening (cm)", ylabel="mass flow (kg/s)", ylim=(0, None))
    right.legend(frameon=False)
    keep(shown, "silo")


if __name__ == "__main__":
    main()
