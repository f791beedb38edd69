#!/usr/bin/env python3
"""Solves every problem of the shared folder with the built binary, no method named, and judges the answers with
that folder's own checker: nothing of ours says whether we are right.

    .venv/bin/python tests/outside_problems.py --binary target/release/drystone [--only NAME]

The relaxed law on symmetric problems, the exact law on all. Needs numpy, scipy and h5py. Skips, with status 0, where
the folder `shared/problems` beside the repository is absent. Seconds are shown and never fail a run.
"""

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
PROBLEMS = REPOSITORY.parent / "shared" / "problems"

TOLERANCE = 1e-8
# Share of the largest impulse that a point may lie outside its cone: rounding of the projection.
CONE_VIOLATION = 1e-12
OBJECTIVE_GAP = 1e-6
# Above this the checker itself no longer takes W for a symmetric matrix.
ASYMMETRY = 1e-12
# Shown as a warning.
SLOW_SECONDS = 10.0

FIELDS = {
    "problem": str,
    "contacts": int,
    "rows": int,
    "mean_diagonal": float,
    "method": str,
    "answered_by": str,
    "law": str,
    "tolerance": float,
    "threads": int,
    "termination": str,
    "iterations": int,
    "products": int,
    "seconds": float,
    "residual": float,
    "residual_velocity": float,
    "objective": float,
    "cone_violation": float,
    "dual_violation": float,
    "duality_gap": (float, type(None)),
}


def scale():
    """The factor by which every tolerance of the tests may be widened."""
    return float(os.environ.get("DRYSTONE_TEST_TOLERANCE_SCALE", "1"))


def load_checker():
    spec = importlib.util.spec_from_file_location("check", PROBLEMS / "check.py")
    checker = importlib.util.module_from_spec(spec)
    # The folder may be read-only: leave no bytecode there.
    sys.dont_write_bytecode = True
    spec.loader.exec_module(checker)
    return checker


def manifest():
    """What the folder says of each problem, by path. A storage variant is the problem it is a copy of."""
    entries = {}
    for folder in (PROBLEMS, PROBLEMS / "rolling"):
        for entry in json.loads((folder / "manifest.json").read_text())["problems"]:
            entries[folder / f"{entry['name']}.hdf5"] = entry
    for file in (PROBLEMS / "formats").glob("*.hdf5"):
        original = PROBLEMS / f"{file.name.split('.')[0]}.hdf5"
        entries[file] = entries[original]
    return entries


def run(binary, file, law, output):
    """The binary's report and what is wrong with how it ended."""
    command = [binary, "solve", file, "--law", law, "--tolerance", str(TOLERANCE)]
    command += ["--output", output, "--json", "--quiet"]
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)
    faults = []
    if done.returncode != 0:
        faults.append(f"exit status {done.returncode}: {done.stderr.strip()}")
    try:
        report = json.loads(done.stdout)
    except ValueError as error:
        return {}, [*faults, f"no JSON on standard output: {error}"]
    for name, kind in FIELDS.items():
        kinds = kind if isinstance(kind, tuple) else (kind,)
        # A whole number may be written without its point.
        kinds += (int,) if float in kinds else ()
        if name not in report or not isinstance(report[name], kinds) or isinstance(report[name], bool):
            faults.append(f"field {name} is {report.get(name, 'missing')!r}, expected {kind}")
    return report, faults


def judge(checker, entry, file, law, output, report):
    """The checker's error under the law, and what is wrong with the answer."""
    import numpy as np

    if not output.exists():
        return float("nan"), ["no solution was written"]
    measures = checker.evaluate(str(file), np.load(output))
    faults = []
    error = measures["ccp_residual_scaled" if law == "relaxed" else "ncp_error_scaled"]
    if not error <= scale() * TOLERANCE:
        faults.append(f"scaled error {error:.2e}, expected {TOLERANCE:.0e} at most")
    violation = measures["cone_violation_rel"]
    if not violation <= scale() * CONE_VIOLATION:
        faults.append(f"relative cone violation {violation:.2e}, expected {CONE_VIOLATION:.0e} at most")
    f_star = entry.get("f_star")
    # An indefinite W has no minimum to compare with.
    if law == "relaxed" and f_star is not None and entry.get("psd", True):
        bound = scale() * OBJECTIVE_GAP * abs(f_star)
        for who, found in (("checker", measures["objective_projected"]), ("report", report.get("objective"))):
            if found is None or not abs(found - f_star) <= bound:
                faults.append(f"objective {found} by the {who}, expected {f_star}")
    if report:
        faults += judge_report(report, measures, law)
    return error, faults


def judge_report(report, measures, law):
    """Whether the report is about this problem and tells the truth about its point."""
    faults = []
    expected = {
        "law": law,
        "method": "auto",
        "termination": "converged",
        "contacts": measures["contacts"],
        "rows": measures["contacts"] * measures["dim"],
    }
    for name, value in expected.items():
        if report.get(name) != value:
            faults.append(f"{name} {report.get(name)!r}, expected {value!r}")
    if not report.get("residual", 1.0) <= TOLERANCE:
        faults.append(f"residual {report.get('residual')}, expected {TOLERANCE:.0e} at most")
    objective = measures["objective"]
    if not abs(report.get("objective", 1e300) - objective) <= scale() * 1e-9 * (1e-30 + abs(objective)):
        faults.append(f"objective {report.get('objective')}, the checker's is {objective}")
    return faults


def cases(entries, only):
    for folder in ("", "rolling", "formats"):
        for file in sorted((PROBLEMS / folder).glob("*.hdf5")):
            if only not in short_name(file):
                continue
            entry = entries[file]
            if entry["relative_asymmetry"] <= ASYMMETRY:
                yield file, "relaxed", entry
            yield file, "exact", entry


def short_name(file):
    return str(file.relative_to(PROBLEMS)).removesuffix(".hdf5")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=Path, default=REPOSITORY / "target" / "release" / "drystone")
    parser.add_argument("--only", default="", help="only problems whose name contains this")
    args = parser.parse_args()
    if not PROBLEMS.is_dir():
        print("skipped: the folder of reference problems is not there")
        return 0
    if not args.binary.is_file():
        print(f"{args.binary}: there is no such binary; build it with cargo build --release", file=sys.stderr)
        return 2

    checker = load_checker()
    passed, failed, slow, longest = 0, [], [], 0.0
    todo = [(short_name(file), file, law, entry) for file, law, entry in cases(manifest(), args.only)]
    width = max((len(name) for name, *_ in todo), default=0)
    print(f"{'problem':<{width}} {'law':<8} {'answered by':<15} {'iterations':>10} {'seconds':>8} {'error':>9}")
    with tempfile.TemporaryDirectory() as folder:
        for name, file, law, entry in todo:
            output = Path(folder) / "solution.npy"
            output.unlink(missing_ok=True)
            report, faults = run(args.binary.resolve(), file, law, output)
            error, wrong = judge(checker, entry, file, law, output, report)
            faults += wrong
            seconds = report.get("seconds", float("nan"))
            longest = max(longest, seconds)
            if seconds > SLOW_SECONDS:
                slow.append(f"{name} ({law}): {seconds:.1f} s")
            by, iterations = report.get("answered_by", "?"), report.get("iterations", "?")
            print(f"{name:<{width}} {law:<8} {by:<15} {iterations:>10} {seconds:>8.3f} {error:>9.1e}", flush=True)
            for fault in faults:
                print(f"    {fault}")
            if faults:
                failed.append(f"{name} ({law})")
            else:
                passed += 1
    for line in slow:
        print(f"warning: slow: {line}")
    print(f"longest {longest:.2f} s")
    print(f"{passed} passed, {len(failed)} failed" + "".join(f"\n    {name}" for name in failed))
    # Nothing run is nothing shown.
    return 1 if failed or passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
