#!/usr/bin/env python3
"""A settled pile of ours in MuJoCo: time of a step and deepest overlap.

    drystone bench peers --sizes 4000 --write-state pile.json
    python3 tests/peers/mujoco_pile.py pile.json

The first call makes a virtual environment beside the state file and installs MuJoCo from PyPI into it; later ones use it.
Prints one JSON object. MuJoCo's contacts are soft: how deep spheres sink depends on its `solref` and `solimp`, which stay at their
defaults unless --stiff is given.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
import venv
from pathlib import Path

PACKAGES = ["mujoco", "numpy"]


def own_python(folder: Path) -> Path:
    return folder / ("Scripts" if os.name == "nt" else "bin") / "python"


def with_packages(folder: Path) -> None:
    """Goes on in an environment that has the packages."""
    python = own_python(folder)
    if Path(sys.prefix).resolve() == folder.resolve():
        return
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    os.execv(python, [str(python), *sys.argv])


def model_text(state: dict, solver: str, iterations: int, stiff: bool) -> str:
    """The pile as MJCF. Quaternions there begin with the scalar."""
    def numbers(values) -> str:
        return " ".join(repr(float(v)) for v in values)

    def turned(xyzw) -> str:
        return numbers([xyzw[3], *xyzw[:3]])

    # Elliptic cones are Coulomb's; three contact dimensions have no rolling and no torsion. Stiff: the time constant of contacts
    # is two steps, the shortest that MuJoCo's manual allows.
    step = state["time_step"]
    soft = f' solref="{2 * step} 1" solimp="0.95 0.99 0.0001"' if stiff else ""
    geom = f'condim="3" friction="{state["friction"]} 0 0"{soft}'
    lines = [
        "<mujoco>",
        f'<option timestep="{step}" gravity="{numbers(state["gravity"])}" cone="elliptic" '
        f'solver="{solver}" iterations="{iterations}"/>',
        '<size memory="2G"/>',
        "<worldbody>",
    ]
    for wall in state["boxes"]:
        lines.append(
            f'<geom type="box" size="{numbers(wall["half"])}" pos="{numbers(wall["position"])}" '
            f'quat="{turned(wall["rotation_xyzw"])}" {geom}/>'
        )
    for ball in state["spheres"]:
        lines.append(
            f'<body pos="{numbers(ball["position"])}" quat="{turned(ball["rotation_xyzw"])}"><freejoint/>'
            f'<geom type="sphere" size="{ball["radius"]!r}" mass="{ball["mass"]!r}" {geom}/></body>'
        )
    lines += ["</worldbody>", "</mujoco>"]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("state", type=Path, help="file that `drystone bench peers --write-state` wrote")
    parser.add_argument("--solver", default="CG", choices=["CG", "Newton", "PGS"])
    parser.add_argument("--iterations", type=int, default=100, help="most iterations of a step; MuJoCo's own default is 100")
    parser.add_argument("--settle", type=int, default=200, help="steps to find its own rest")
    parser.add_argument("--steps", type=int, default=10, help="steps to time")
    parser.add_argument("--stiff", action="store_true", help="contacts as stiff as the step allows")
    parser.add_argument("--venv", type=Path, help="the environment; beside the state file unless given")
    args = parser.parse_args()
    if args.iterations < 1 or args.settle < 0 or args.steps < 1:
        parser.error("expected --iterations and --steps of at least 1, --settle of at least 0")
    state = json.loads(args.state.read_text())
    with_packages(args.venv or args.state.resolve().parent / "mujoco-venv")

    import mujoco
    import numpy as np

    model = mujoco.MjModel.from_xml_string(model_text(state, args.solver, args.iterations, args.stiff))
    data = mujoco.MjData(model)
    for k, ball in enumerate(state["spheres"]):
        data.qvel[6 * k : 6 * k + 3] = ball["velocity"]
        # The spin of a free joint is told in the body's own axes.
        back, own = np.zeros(4), np.zeros(3)
        mujoco.mju_negQuat(back, data.qpos[7 * k + 3 : 7 * k + 7])
        mujoco.mju_rotVecQuat(own, np.array(ball["angular_velocity"], dtype=float), back)
        data.qvel[6 * k + 3 : 6 * k + 6] = own
    for _ in range(args.settle):
        mujoco.mj_step(model, data)
    times, used = [], []
    for _ in range(args.steps):
        start = time.perf_counter()
        mujoco.mj_step(model, data)
        times.append(time.perf_counter() - start)
        used.append(int(np.max(data.solver_niter)))
    mujoco.mj_forward(model, data)
    radius = min(ball["radius"] for ball in state["spheres"])
    deepest = max(0.0, -float(np.min(data.contact.dist))) if data.ncon else 0.0
    print(json.dumps({
        "engine": f"MuJoCo {mujoco.__version__}",
        "solver": args.solver,
        "stiff": args.stiff,
        "bodies": len(state["spheres"]),
        "contacts": int(data.ncon),
        "step_ms": 1e3 * statistics.median(times),
        "iterations": statistics.median(used),
        "iteration_limit": args.iterations,
        "overlap_percent": 100.0 * deepest / radius,
    }, indent=2))


if __name__ == "__main__":
    main()
