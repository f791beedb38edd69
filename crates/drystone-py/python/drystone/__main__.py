"""``python -m drystone run SCENE``: one run, for sweeps. The whole command line is `drystone`."""

from __future__ import annotations

import argparse
import sys

from . import DrystoneError, load, set_threads


def main() -> int:
    """Makes one run; the status is that of the command line."""
    parser = argparse.ArgumentParser(prog="python -m drystone")
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="run a scene and leave a folder of results")
    run.add_argument("scene")
    run.add_argument("-o", "--output", required=True)
    run.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    run.add_argument("--until", type=float)
    run.add_argument("--resume", action="store_true")
    run.add_argument("--overwrite", action="store_true")
    run.add_argument("--allow-outside", action="store_true")
    run.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    values = dict(pair.split("=", 1) for pair in args.set)
    try:
        set_threads(args.threads)
        sim = load(args.scene, set=values, allow_outside=args.allow_outside)
        sim.run(until=args.until, out=args.output, resume=args.resume, overwrite=args.overwrite)
    except (DrystoneError, ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
