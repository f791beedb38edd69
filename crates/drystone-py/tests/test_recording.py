"""Recordings read back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import drystone as ds
from conftest import ball_and_floor


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "ball"
    world_of_runs().build().run(until=0.2, out=out)
    return out


def world_of_runs() -> ds.World:
    """A ball that slides and a weight that swings."""
    world = ball_and_floor(velocity=[1, 0, 0])
    world.add(ds.box([0.1, 0.1, 0.1]), name="bob", position=[0, 3, 1])
    world.joint("revolute", None, "bob", "hinge", at=[0, 3, 2], axis=[0, 1, 0])
    world.recording(
        every=0.02,
        contacts=True,
        precision="double",
        joints=["hinge"],
        forces=[{"name": "floor", "by": "ball", "on": "floor"}],
    )
    return world


def test_frames_are_what_the_simulation_was(folder: Path) -> None:
    recording = ds.Recording(folder)
    assert recording.names == ["floor", "ball", "bob"] and len(recording) == 11
    assert recording.times == pytest.approx(np.arange(11) * 0.02)
    sim = world_of_runs().build()
    for frame in recording:
        sim.run(until=frame.time)
        assert frame.positions[1] == pytest.approx(sim.positions[1], abs=1e-12)
        assert frame.velocities[1] == pytest.approx(sim.velocities[1], abs=1e-6)
        assert frame.quaternions.shape == (3, 4) and frame.enabled.all()
    last = recording[-1]
    assert last.contacts is not None and last.contacts["normal_force"][0] > 0
    assert last.contacts.dtype == ds.CONTACT
    assert recording.at(0.099).number == 5
    assert recording.positions("ball").shape == (11, 1, 3)
    assert recording.masses[1] > 0 and recording.radii[1] == 0.1
    assert [frame.number for frame in recording[-4::2]] == [7, 9]
    assert recording.index("bob") == 2 and recording.positions([1, 2], every=5).shape == (3, 2, 3)
    for wrong in ({"every": 0}, {"bodies": 7}, {"bodies": [0.5]}, {"bodies": [True]}):
        with pytest.raises(ValueError):
            recording.positions(**wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="time"):
        recording.at(float("nan"))
    with pytest.raises(TypeError):
        recording["last"]  # type: ignore[call-overload]
    with pytest.raises(IndexError, match="there is no frame 11"):
        recording[11]
    with pytest.raises(ValueError, match="no body is called 'boll'"):
        recording.positions("boll")


def test_tables_are_arrays(folder: Path) -> None:
    pandas = pytest.importorskip("pandas")
    recording = ds.Recording(folder / "frames.dry")
    log, forces, joints = recording.log, recording.forces, recording.joints
    assert log["step"].tolist() == list(range(1, 41)) and log["step"].dtype == np.int64
    assert set(log["termination"]) == {"converged"}
    assert len(pandas.DataFrame(log)) == 40
    weight = recording.masses[1] * 9.81
    assert forces["fz"][-1] == pytest.approx(-weight, rel=1e-4)
    assert set(joints["joint"] if "joint" in (joints.dtype.names or ()) else joints["name"]) == {"hinge"}


def test_exports_and_pictures(folder: Path, tmp_path: Path) -> None:
    recording = ds.Recording(folder)
    assert recording.export(tmp_path / "npz") == 1
    archive = np.load(tmp_path / "npz" / "recording.npz")
    assert len(archive.files) > 3
    assert recording.export(tmp_path / "vtk", "vtk", every=5) > 3
    assert list((tmp_path / "vtk").glob("*.pvd"))
    picture = recording.picture(tmp_path / "x.png", frame=3, size=(120, 80), quality="sketch")
    assert (tmp_path / "x.png").read_bytes() == picture
    with pytest.raises(ValueError, match="format"):
        recording.export(tmp_path, "xls")


def test_runs_are_shown_as_one_page(folder: Path, tmp_path: Path) -> None:
    view = ds.Recording(folder).view()
    assert view.frames == 11 and "<html" in view.html.lower()
    assert view._repr_html_().startswith("<iframe srcdoc=")
    view.save(tmp_path / "run.html")
    assert (tmp_path / "run.html").read_text(encoding="utf-8") == view.html
    assert ds.Recording(folder).view(every=5).frames in (3, 4)
    sim = ball_and_floor().build()
    assert sim.view().frames == 1 and "frames" in repr(sim.view())
    sim.run(until=0.1, out=tmp_path / "run")
    assert sim.view().frames > 3
    with pytest.raises(ValueError, match="expected at most"):
        sim.view(largest=1000)
    with pytest.raises(ValueError, match="every"):
        sim.view(every=0)


def test_what_is_no_recording_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="nothing"):
        ds.Recording(tmp_path / "nothing")
    (tmp_path / "frames.dry").write_bytes(b"not a recording, only some bytes in a file")
    with pytest.raises(ValueError, match="not a recording"):
        ds.Recording(tmp_path)
