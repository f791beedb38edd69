"""Sweeps."""

from __future__ import annotations

import os
import subprocess
import warnings
from pathlib import Path

import numpy as np
import pytest

import drystone as ds
from conftest import ball_and_floor

PARAMETERS = {"radius": ["2 cm", 0.03], "width": [0.6]}


def run(out: Path, **keys: object) -> ds.Sweep:
    keys = {"repeats": 2, "until": 0.04, "set": {"count": 20}, **keys}
    return ds.sweep("pile", PARAMETERS, out=out, **keys)  # type: ignore[arg-type]


def frames(out: Path) -> list[bytes]:
    return [(out / f"run-{k:04}" / "frames.dry").read_bytes() for k in range(1, 5)]


def test_a_sweep_is_a_table_ready_for_pandas(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    measured = run(tmp_path / "a", measure=lambda r: {"top": r[-1].positions[:, 2].max()})
    assert [row["radius"] for row in measured] == ["2 cm", "2 cm", 0.03, 0.03]
    assert measured["seed"].tolist() == [1, 2, 3, 4] and measured["steps"].tolist() == [10] * 4
    table = pandas.DataFrame(measured)
    assert table.groupby("radius")["top"].mean().shape == (2,)
    assert (tmp_path / "a" / "results.csv").read_text().splitlines()[1].startswith("1,2 cm,0.6,1,1,")
    assert len(measured.recording(2)) == 3 and len(list(measured.recordings())) == 4
    with pytest.raises(KeyError, match="no column"):
        measured["nonsense"]


def test_seeds_go_by_the_run_and_not_by_the_worker(tmp_path: Path, command: Path) -> None:
    for workers in (1, 2):
        run(tmp_path / str(workers), workers=workers)
    words = [command, "sweep", "pile", "--set", "radius=2 cm,0.03", "--set", "width=0.6"]
    words += ["--fix", "count=20", "--repeats", "2", "--until", "0.04", "-q", "-o", tmp_path / "c"]
    subprocess.run([str(w) for w in words], check=True, capture_output=True)
    first = frames(tmp_path / "1")
    assert first == frames(tmp_path / "2") == frames(tmp_path / "c")
    assert len(set(first)) == 4


def test_a_sweep_goes_on_where_it_was(tmp_path: Path) -> None:
    run(tmp_path)
    before = frames(tmp_path)
    kept = (tmp_path / "run-0001" / "frames.dry").stat().st_mtime_ns
    (tmp_path / "run-0003" / "summary.json").unlink()
    for file in (tmp_path / "run-0004").iterdir():
        file.unlink()
    assert len(run(tmp_path)) == 4 and frames(tmp_path) == before
    assert (tmp_path / "run-0001" / "frames.dry").stat().st_mtime_ns == kept
    with pytest.raises(ValueError, match="holds another sweep"):
        run(tmp_path, repeats=3)


def test_worlds_and_text_are_swept(tmp_path: Path) -> None:
    world = ds.World(duration=0.05)
    world.add(ds.plane(), name="floor")
    world.add(ds.sphere(0.1), name="ball", position=[0, 0, 1])
    speeds = [[0, 0, -1.0], [0, 0, 1.0]]
    table = ds.sweep(world, {"body.ball.velocity": speeds}, out=tmp_path / "w")
    heights = [recording[-1].positions[1, 2] for _, recording in table.recordings()]
    assert heights[0] < 1 < heights[1] and table[0]["body.ball.velocity"] == speeds[0]
    assert len(ds.sweep(world.to_toml(), {"settings.tolerance": [1e-3]}, out=tmp_path / "t")) == 1


def test_a_refused_sweep_leaves_no_scene_behind(tmp_path: Path) -> None:
    world = ds.World(duration=0.05)
    world.add(ds.sphere(0.1), name="ball", velocity=[0, 0, 1])
    with pytest.raises(ValueError, match="nothing random"):
        ds.sweep(world, {"settings.tolerance": [1e-3]}, repeats=2, out=tmp_path / "r")
    assert not (tmp_path / "r").exists()
    with pytest.raises((TypeError, ValueError), match="friction"):
        ds.sweep(world, {"settings.tolerance": [1e-3]}, set={"friction": object()}, out=tmp_path / "r")
    assert not (tmp_path / "r").exists()
    # A folder that was there and empty stays so.
    (tmp_path / "e").mkdir()
    with pytest.raises(ValueError, match="nothing random"):
        ds.sweep(world, {"settings.tolerance": [1e-3]}, repeats=2, out=tmp_path / "e")
    assert not list((tmp_path / "e").iterdir())
    world.parameters(seed=1)
    assert len(ds.sweep(world, {"settings.tolerance": [1e-3]}, repeats=2, out=tmp_path / "r")) == 2
    # What has run stays, whatever is asked for next.
    with pytest.raises(ValueError, match="holds another sweep"):
        ds.sweep(world, {"settings.tolerance": [1e-3, 1e-2]}, repeats=2, out=tmp_path / "r")
    assert (tmp_path / "r" / "scene.toml").exists()
    # And so does a file that was there before.
    own = tmp_path / "own" / "scene.toml"
    own.parent.mkdir()
    own.write_text(ds.World(duration=0.05).to_toml(), encoding="utf-8")
    with pytest.raises(ValueError, match="nothing random"):
        ds.sweep(own.read_text(encoding="utf-8"), {"settings.tolerance": [1e-3]}, repeats=2, out=own.parent)
    assert own.exists()


def test_what_measure_returns_is_a_dictionary(tmp_path: Path) -> None:
    world = ds.World(duration=0.05)
    world.add(ds.sphere(0.1), name="ball", velocity=[0, 0, 1])
    with pytest.raises(TypeError, match="measure: returned float, expected a dictionary"):
        ds.sweep(
            world,
            {"settings.tolerance": [1e-3]},
            out=tmp_path / "m",
            measure=lambda recording: 1.0,  # type: ignore[arg-type, return-value]
        )


def test_mistakes_show_before_any_run(tmp_path: Path) -> None:
    with pytest.raises(ds.SceneError, match="did you mean `radius`"):
        ds.sweep("pile", {"radios": [1]}, out=tmp_path / "x")
    with pytest.raises(ds.SceneError):
        ds.sweep("pile", {"radius": [0.02, -1]}, out=tmp_path / "x")
    with pytest.raises(ValueError, match="nothing random"):
        ds.sweep("stack", {"ratio": [1]}, repeats=2, out=tmp_path / "x")
    with pytest.raises(ValueError, match="workers"):
        ds.sweep("pile", {}, workers=0, out=tmp_path / "x")
    with pytest.raises(ValueError, match="no duration"):
        ds.sweep(ball_and_floor(), {"settings.tolerance": [1e-3]}, out=tmp_path / "x")
    for values in ("12", 12):
        with pytest.raises(TypeError, match="count: found"):
            ds.sweep("pile", {"count": values}, out=tmp_path / "x")  # type: ignore[dict-item]
    with pytest.raises(TypeError, match="found int"):
        ds.sweep(3, {"count": [5]}, out=tmp_path / "x")  # type: ignore[arg-type]
    assert not (tmp_path / "x").exists()


@pytest.mark.skipif(os.geteuid() == 0 and not hasattr(os, "fork"), reason="needs fork")
def test_a_run_that_fails_fails_alone(tmp_path: Path) -> None:
    text = """
[parameters]
push = 0

[settings]
duration = 0.05

[[body]]
name = "ball"
shape = { type = "sphere", radius = 0.1 }
load = { force = ["push", 0, 0] }
"""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        table = ds.sweep(text, {"push": [1.0, 1e300]}, out=tmp_path)
    assert list(table.failed) == [2] and "body ball" in table.failed[2]
    assert table[0]["ended"] == "finished" and table[1]["ended"] != "finished"
    assert "run 2 failed" in str(caught[-1].message)
    assert np.isfinite(table["run"]).all()
