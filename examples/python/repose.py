"""Angle of repose against friction: a sweep and a plot.

Balls settle in a ring on a rough disc. The ring is lifted away and they collapse to a heap; the slope of its surface is the angle of
repose. What rolls beyond the rim falls off.
"""

from __future__ import annotations

import numpy as np

import drystone as ds
from common import OUT, figure, keep, size

SCENE = f"""
title = "A heap on a disc"

[parameters]
friction = 0.5
rolling = 0.0             # radii
count = {int(size(400, 60))}
radius = "5 mm"
disc = "8 cm"

[settings]
time_step = "4 ms"
tolerance = 3e-3

[[material]]
name = "grain"
friction = "friction"
rolling_friction = "rolling*radius"
density = 2500

[[body]]
name = "disc"
kind = "fixed"
shape = {{ type = "cylinder", radius = "disc", height = "2 cm" }}
position = [0, 0, "-1 cm"]
material = "grain"

[[body]]
name = "ground"
shape = {{ type = "plane" }}
position = [0, 0, "-4 cm"]
material = "grain"

[[container]]
name = "ring"
shape = {{ type = "cylinder", radius = "disc/2", height = "12 cm" }}
open = ["top", "bottom"]
material = "grain"

[[fill]]
name = "grains"
shape = {{ type = "sphere", radius = "radius" }}
sizes = {{ type = "uniform", min = "1.7*radius", max = "2.3*radius" }}
count = "count"
container = "ring"
arrangement = "rain"
material = "grain"

[[phase]]
name = "settle"
until = {{ time = {size(0.5, 0.2)} }}

[[phase]]
name = "collapse"
at_start = [{{ remove = "ring" }}]
until = {{ time = {size(0.9, 0.2)} }}
"""


def slope(recording: ds.Recording) -> dict[str, float]:
    """The angle of the heap's surface, degrees: a line through the highest ball of each ring."""
    frame = recording[-1]
    grains = recording.groups["grains"]
    x, radii = frame.positions[grains], recording.radii[grains]
    disc = 0.08
    distance = np.hypot(x[:, 0], x[:, 1])
    stay = (x[:, 2] > 0) & (distance < disc)
    rings = np.linspace(0.1 * disc, 0.95 * disc, 10)
    middles, tops = [], []
    for inner, outer in zip(rings[:-1], rings[1:], strict=True):
        ring = stay & (distance >= inner) & (distance < outer)
        if ring.sum() >= 4:
            # The mean of the highest fifth: one ball on top of others is not the surface.
            heights = np.sort(x[ring, 2] + radii[ring])[-max(1, ring.sum() // 5) :]
            middles.append(0.5 * (inner + outer))
            tops.append(heights.mean())
    fall = np.polyfit(middles, tops, 1)[0] if len(tops) > 2 else 0.0
    # A layer with a few balls on it is no heap: its slope would be that of the balls' sizes.
    on_others = int((x[stay, 2] > 2 * radii.mean()).sum())
    angle = float(np.degrees(np.arctan(-fall))) if on_others > 0.2 * stay.sum() else 0.0
    return {"angle": angle, "stay": int(stay.sum()), "on_others": on_others}


def main() -> None:
    values = {
        "rolling": [0.0, 0.3],
        "friction": [0.1, 0.3, 0.6] if size(1, 0) else [0.2, 0.6],
    }
    table = ds.sweep(
        SCENE, values, repeats=int(size(2, 1)), out=OUT / "repose", workers=2, measure=slope
    )
    rows = list(table)
    shown, axes = figure()
    for rolling, mark in zip(values["rolling"], "os", strict=True):
        angles = [
            [r["angle"] for r in rows if (r["rolling"], r["friction"]) == (rolling, mu)]
            for mu in values["friction"]
        ]
        means = [np.mean(a) for a in angles]
        spread = [np.ptp(a) / 2 for a in angles]
        told = ", ".join(f"{m:.1f} at {mu:g}" for m, mu in zip(means, values["friction"], strict=True))
        print(f"rolling friction of {rolling:g} radii: angles in degrees {told}")
        axes.errorbar(
            values["friction"], means, spread, marker=mark, capsize=3, label=f"{rolling:g} radii"
        )
    axes.set(xlabel="sliding friction", ylabel="angle of repose (degrees)")
    axes.axhline(0, color="k", lw=0.6)
    axes.legend(title="rolling friction", frameon=False)
    keep(shown, "repose")
    table.recording(len(table) - 1).picture(OUT / "repose-picture.png", size=(640, 400), camera="front")


if __name__ == "__main__":
    main()
