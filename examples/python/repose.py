"""Angle of repose against friction: a sweep and a plot.

A heap of balls lies on a rough disc after a funnel of balls has collapsed over it. What lies beyond the rim falls off; the slope
of what stays is the angle of repose. It grows with rolling friction far more than with sliding friction, as for real grains.
"""

from __future__ import annotations

import numpy as np

import drystone as ds
from common import OUT, figure, keep, size

SCENE = f"""
title = "A heap on a disc"

[parameters]
friction = 0.5
rolling = 0.0
count = {int(size(400, 100))}
radius = "8 mm"
disc = "{size(9, 7)} cm"

[settings]
duration = {size(1.0, 0.4)}
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

[[fill]]
name = "grains"
shape = {{ type = "sphere", radius = "radius" }}
sizes = {{ type = "uniform", min = "1.7*radius", max = "2.3*radius" }}
count = "count"
region = {{ type = "cylinder", base = [0, 0, "1 mm"], radius = "0.55*disc", height = 2 }}
material = "grain"
"""


def slope(recording: ds.Recording) -> dict[str, float]:
    """The angle of the heap's surface, degrees: a line through the highest ball of each ring."""
    frame = recording[-1]
    grains = recording.groups["grains"]
    x, radii = frame.positions[grains], recording.radii[grains]
    disc = float(recording.radii[recording.groups["disc"][0]])
    distance = np.hypot(x[:, 0], x[:, 1])
    stay = (x[:, 2] > 0) & (distance < disc)
    rings = np.linspace(0.15 * disc, 0.9 * disc, 9)
    tops = []
    for inner, outer in zip(rings[:-1], rings[1:], strict=True):
        ring = stay & (distance >= inner) & (distance < outer)
        # The mean of the highest tenth: one ball on top of others is not the surface.
        heights = np.sort((x[ring, 2] + radii[ring]))[-max(1, ring.sum() // 10) :]
        tops.append(heights.mean() if len(heights) else 0.0)
    fall = np.polyfit(0.5 * (rings[:-1] + rings[1:]), tops, 1)[0]
    return {"angle": float(np.degrees(np.arctan(-fall))), "stay": int(stay.sum())}


def main() -> None:
    values = {
        "rolling": [0.0, 0.1, 0.3],
        "friction": [0.1, 0.3, 0.6] if size(1, 0) else [0.2, 0.6],
    }
    table = ds.sweep(
        SCENE, values, repeats=int(size(2, 1)), out=OUT / "repose", workers=2, measure=slope
    )
    rows = list(table)
    shown, axes = figure()
    for rolling, mark in zip(values["rolling"], "osD", strict=True):
        angles = [
            [r["angle"] for r in rows if (r["rolling"], r["friction"]) == (rolling, mu)]
            for mu in values["friction"]
        ]
        means = [np.mean(a) for a in angles]
        spread = [np.ptp(a) / 2 for a in angles]
        axes.errorbar(
            values["friction"], means, spread, marker=mark, capsize=3, label=f"{rolling:g} radii"
        )
    axes.set(xlabel="sliding friction", ylabel="angle of repose (degrees)", ylim=(0, None))
    axes.legend(title="rolling friction", frameon=False)
    keep(shown, "repose")


if __name__ == "__main__":
    main()
