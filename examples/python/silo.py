"""A silo's discharge against Beverloo's law.

Balls run out of a hole in a flat floor. Beverloo (1961) found the mass flow
W = C rho sqrt(g) (D - k d)^(5/2) for holes of some five diameters d and more, whatever the filling
height: rho is the bulk density, C about 0.58, and k between 1.4 (his own) and 1.5 (for balls;
Nedderman 1992). The exponent is that of free fall from an arch over the hole.

The time step matters here. Under the relaxed law of friction, which larger scenes have by default,
what slides at a speed v is held apart by a gap of h mu v. In a silo everything slides through the
hole: with 4 ms the balls are larger, there, than they are. So the widest hole is run with both
steps, to show by how much.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import drystone as ds
from common import OUT, figure, keep, size

DIAMETER, RADIUS = 0.008, 0.045  # of a ball, of the silo, m
COUNT = int(size(1200, 250))
DENSITY, GRAVITY = 2500.0, 9.81
OPENINGS = [0.040, 0.046, 0.052] if size(1, 0) else [0.046, 0.052]
STEP, LONG_STEP = 0.001, 0.004  # s


class Discharge(NamedTuple):
    """What came out of one silo."""

    times: np.ndarray  # after the opening, s
    out: np.ndarray  # mass that has left, kg
    bulk: float  # bulk density before, kg/m3
    flow: float  # kg/s
    gap: float  # between what slides, in diameters


def silo(opening: float, time_step: float) -> ds.World:
    """A cylinder whose floor is a ring around a hole, closed by a plug at first."""
    world = ds.World(f"A silo with a hole of {100 * opening:.1f} cm", time_step=time_step, tolerance=5e-3)
    world.material("glass", friction=0.4, density=DENSITY)
    # The inside of a solid of revolution: the floor is all but flat, the hole is its first point.
    profile = [[0.5 * opening, -0.002], [0.5 * opening, 0.0], [RADIUS, 0.0005], [RADIUS, 0.2]]
    shape = {"type": "revolved", "profile": profile}
    world.container("silo", shape, open=["top", "bottom"], thickness=0.01, material="glass")
    plug = ds.cylinder(0.5 * opening + 0.004, 0.01)
    world.add(plug, name="plug", kind="fixed", position=[0, 0, -0.008], material="glass")
    region = {"type": "cylinder", "base": [0, 0, 0.002], "radius": RADIUS - 0.001, "height": 4.0}
    sizes = {"type": "uniform", "min": 0.95 * DIAMETER, "max": 1.05 * DIAMETER}
    world.fill(ds.sphere(0.5 * DIAMETER), count=COUNT, region=region, sizes=sizes, material="glass")
    world.view(clip="y<0")
    return world


def discharge(opening: float, time_step: float, picture: bool = False) -> Discharge:
    """Fills a silo, opens it, and lets it run for a while, until 60 % are out at most."""
    sim = silo(opening, LONG_STEP).build()
    grains = sim.groups["grains"]
    masses = sim.masses[grains]
    sim.run(until=size(0.4, 0.2))
    sim.set(time_step=time_step)
    z = sim.positions[grains, 2]
    top = np.sort(z)[-len(z) // 20 :].mean() + 0.5 * DIAMETER
    bulk = float(masses.sum() / (np.pi * RADIUS**2 * top))
    sim.set_enabled(False, bodies="plug")
    start, times, out, gaps = sim.time, [], [], []
    for report in sim.steps(until=sim.time + size(0.6, 0.25)):
        z = sim.positions[grains, 2]
        times.append(sim.time - start)
        out.append(masses[z < -0.01].sum())
        gaps.append(report.lift_off * time_step / DIAMETER)
        # What is far below takes no part any more.
        if len(gone := grains[z < -0.12]):
            sim.set_enabled(False, bodies=gone)
        if picture and out[-1] > 0.2 * masses.sum():
            OUT.mkdir(parents=True, exist_ok=True)
            sim.picture(OUT / "silo-picture.png", size=(620, 620), color_by="speed", camera="front")
            picture = False
        if out[-1] > 0.6 * masses.sum():
            break
    t, m = np.array(times), np.array(out)
    steady = t > min(0.15, 0.4 * t[-1])
    flow = float(np.polyfit(t[steady], m[steady], 1)[0])
    return Discharge(t, m, bulk, flow, float(np.median(np.array(gaps)[steady])))


def beverloo(opening: np.ndarray | float, bulk: float, k: float, C: float = 0.58) -> np.ndarray | float:
    """Mass flow, kg/s."""
    return C * bulk * np.sqrt(GRAVITY) * np.clip(opening - k * DIAMETER, 0, None) ** 2.5


def main() -> None:
    shown, axes = figure(8.4, 3.8)
    axes.remove()
    left, right = shown.subplots(1, 2)
    runs = []
    for opening in OPENINGS:
        run = discharge(opening, STEP, picture=opening == OPENINGS[-1])
        runs.append(run)
        left.plot(run.times, run.out, label=f"{100 * opening:.1f} cm")
    coarse = discharge(OPENINGS[-1], LONG_STEP)
    for opening, run, step in zip([*OPENINGS, OPENINGS[-1]], [*runs, coarse], [*[STEP] * len(runs), LONG_STEP], strict=True):
        of = [run.flow / beverloo(opening, run.bulk, k) for k in (1.4, 1.5)]
        print(
            f"{100 * opening:.1f} cm, {1e3 * step:.0f} ms: {run.flow:.3f} kg/s, {of[0]:.2f} of the law with k = 1.4, {of[1]:.2f} "
            f"with 1.5; bulk density {run.bulk:.0f} kg/m3; gap of what slides fastest {100 * run.gap:.1f} % of a ball"
        )
    bulk = float(np.mean([run.bulk for run in runs]))
    if len(runs) > 2:
        # (W / (rho sqrt(g)))^(2/5) is a straight line over D: its slope is C^(2/5), its zero k d.
        rise = [(run.flow / (bulk * np.sqrt(GRAVITY))) ** 0.4 for run in runs]
        slope, zero = np.polyfit(OPENINGS, rise, 1)
        told = f"C = {slope**2.5:.2f}, k = {-zero / slope / DIAMETER:.2f}"
        print(f"straight through the {len(runs)} flows: {told}")

    left.set(xlabel="time (s)", ylabel="mass that has left (kg)")
    left.legend(title="opening", frameon=False)
    D = np.linspace(0.9 * min(OPENINGS), 1.05 * max(OPENINGS), 50)
    right.fill_between(
        100 * D, beverloo(D, bulk, 1.5), beverloo(D, bulk, 1.4), color="0.8", label="Beverloo, C = 0.58, k = 1.4 to 1.5"
    )
    right.plot(100 * np.array(OPENINGS), [run.flow for run in runs], "o", label=f"Drystone, {1e3 * STEP:.0f} ms")
    right.plot(100 * OPENINGS[-1], coarse.flow, "o", mfc="none", label=f"Drystone, {1e3 * LONG_STEP:.0f} ms")
    right.set(xlabel="opening (cm)", ylabel="mass flow (kg/s)", ylim=(0, None))
    right.legend(frameon=False)
    keep(shown, "silo")


if __name__ == "__main__":
    main()
