"""Solid fraction and coordination number of runs of compaction.toml.

usage: python3 compaction.py [--figure FILE.svg] RUN...   after `drystone export RUN --format csv` for each

For the figure, runs are named LAW-FRICTION: relaxed-0.5, exact-0.5.

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
    return whole, hits / count, mean, len(inside)


def panel(left, title, rows, column, low, high, step, digits):
    """One diagram over friction, 0 to 1, of a column of the rows, as SVG."""
    x = lambda mu: left + 260 * mu
    y = lambda value: 230 - 180 * (value - low) / (high - low)
    out = [f'<text x="{left}" y="30" font-weight="bold">{title}</text>']
    for k in range(round((high - low) / step) + 1):
        value = low + k * step
        out.append(f'<path d="M{left} {y(value):.1f}h260" stroke="#ddd"/>')
        out.append(f'<text x="{left - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:.{digits}f}</text>')
    for mu in (0, 0.25, 0.5, 0.75, 1):
        out.append(f'<text x="{x(mu)}" y="248" text-anchor="middle">{mu}</text>')
    out.append(f'<text x="{x(0.5)}" y="268" text-anchor="middle">friction</text>')
    for law, color in (("relaxed", "#c44536"), ("exact", "#2a5d9c")):
        points = sorted((row[1], row[column]) for row in rows if row[0] == law)
        line = " ".join(f"{x(mu):.1f},{y(value):.1f}" for mu, value in points)
        out.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="2"/>')
        out += [f'<circle cx="{x(a):.1f}" cy="{y(b):.1f}" r="4" fill="{color}"/>' for a, b in points]
        if points:
            at = 62 + 18 * (law == "exact")
            out.append(f'<text x="{left + 190}" y="{at}" fill="{color}">{law} law</text>')
    return out


def figure(path, rows):
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 680 280" font-family="sans-serif" font-size="13">',
           '<rect width="680" height="280" fill="white"/>']
    out += panel(50, "solid fraction inside", rows, 3, 0.54, 0.66, 0.02, 2)
    out += panel(390, "contacts a grain", rows, 4, 3.5, 6.0, 0.5, 1)
    with open(path, "w") as file:
        file.write("\n".join(out + ["</svg>", ""]))


def main(arguments):
    path = None
    if arguments[:1] == ["--figure"]:
        path, arguments = arguments[1], arguments[2:]
    rows = []
    for run in arguments:
        whole, inside, mean, count = measure(run)
        found = f"solid fraction {whole:.3f}, inside {inside:.3f}; {mean:.2f} contacts a grain"
        print(f"{run}: {found} ({count} inside)", flush=True)
        if path:
            law, _, mu = run.rstrip("/").split("/")[-1].partition("-")
            rows.append((law, float(mu), whole, inside, mean))
    if path:
        figure(path, rows)


main(sys.argv[1:])
