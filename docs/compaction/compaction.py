"""Solid fraction and coordination number of runs of compaction.toml.

usage: python3 compaction.py RUN...   after `drystone export RUN --format csv` for each

Whole: all grains over the box below the lid. Inside: what lies a diameter or more away from walls,
floor and lid, by 200,000 random points. Contacts count that carry 1/1000 of the mean force or more.
"""
import csv, math, random, sys

DIAMETER, LID, PLAY = 0.02, 0.01, 0.002  # m: a mean grain, the lid's thickness, box less lid


def rows(path):
    with open(path) as file:
        return list(csv.DictReader(file))


def vector(row, names):
    return tuple(float(row[name]) for name in names)


def measure(run):
    folder = f"{run}/csv"
    last = int(rows(f"{folder}/frames.csv")[-1]["frame"])
    bodies = {int(row["body"]): row for row in rows(f"{folder}/bodies.csv")}
    place = {int(r["body"]): vector(r, "xyz") for r in rows(f"{folder}/bodies_{last:06d}.csv")}
    radius = {b: float(r["radius"]) for b, r in bodies.items() if r["shape"] == "sphere"}
    lid = next(b for b, r in bodies.items() if r["name"] == "lid")
    top = place[lid][2] - 0.5 * LID
    width = float(bodies[lid]["size_x"]) + PLAY
    whole = sum(4 / 3 * math.pi * r**3 for r in radius.values()) / (width**2 * top)

    side = 0.5 * width - DIAMETER
    low, high = (-side, -side, DIAMETER), (side, side, top - DIAMETER)
    cell = 1.2 * DIAMETER
    grid = {}
    for b, r in radius.items():
        grid.setdefault(tuple(math.floor(x / cell) for x in place[b]), []).append((place[b], r))
    near = [(i, j, k) for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1)]
    source, count, hits = random.Random(1), 200_000, 0
    for _ in range(count):
        q = tuple(source.uniform(a, b) for a, b in zip(low, high))
        key = [math.floor(x / cell) for x in q]
        cells = (grid.get(tuple(x + d for x, d in zip(key, step)), ()) for step in near)
        hits += any(math.dist(p, q) <= r for found in cells for p, r in found)

    contacts = rows(f"{folder}/contacts_{last:06d}.csv")
    force = [sum(float(c["f" + k]) * float(c["n" + k]) for k in "xyz") for c in contacts]
    least = 1e-3 * sum(force) / max(1, len(force))
    touching = dict.fromkeys(radius, 0)
    for contact, f in zip(contacts, force):
        for b in (int(contact["first"]), int(contact["second"])):
            if f > least and b in touching:
                touching[b] += 1
    inside = [b for b in radius if all(a <= x <= c for a, x, c in zip(low, place[b], high))]
    mean = sum(touching[b] for b in inside) / len(inside)
    found = f"solid fraction {whole:.3f}, inside {hits / count:.3f}; {mean:.2f} contacts a grain"
    return f"{run}: {found} ({len(inside)} inside)"


for run in sys.argv[1:]:
    print(measure(run))
