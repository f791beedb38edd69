"""What the tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import drystone as ds

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def stack() -> ds.Simulation:
    """Twenty plates on each other: small, with contacts from the first step on."""
    return ds.load("stack")


@pytest.fixture
def pile() -> ds.Simulation:
    """A hundred balls that fall into a box."""
    return ds.load("pile", count=100)


@pytest.fixture(scope="session")
def command() -> Path:
    """The command line program; made by `tests/run`."""
    built = os.environ.get("DRYSTONE_COMMAND", ROOT / "target/release/drystone")
    if not Path(built).exists():
        pytest.skip(f"{built} is not there: build it with cargo build --release")
    return Path(built)


def ball_and_floor(**keys: object) -> ds.World:
    """A ball of 10 cm just above the floor."""
    world = ds.World("a ball", time_step=0.005)
    world.add(ds.plane(), name="floor")
    world.add(ds.sphere(0.1), name="ball", **{"position": [0, 0, 0.1], "density": 1000, **keys})
    return world
