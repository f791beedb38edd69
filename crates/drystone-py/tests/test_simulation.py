"""Loading, stepping, state, saving."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path

import numpy as np
import pytest

import drystone as ds
from conftest import ROOT, ball_and_floor

SCENE = """
[parameters]
radius = "5 cm"

[settings]
duration = 0.1

[[body]]
name = "ground"
shape = { type = "plane" }

[[body]]
name = "ball"
shape = { type = "sphere", radius = "radius" }
position = [0, 0, "2*radius"]
"""


def test_a_scene_comes_from_a_name_a_file_or_text(tmp_path: Path) -> None:
    file = tmp_path / "ball.toml"
    file.write_text(SCENE)
    assert len(ds.load(SCENE)) == len(ds.load(file)) == len(ds.load(str(file))) == 2
    assert ds.load(SCENE, radius="8 cm").positions[1, 2] == pytest.approx(0.16)
    assert ds.load(SCENE, radius=0.03).radii[1] == 0.03
    tight = ds.load("pile", count=10, set={"settings.tolerance": 1e-6})
    assert tight.settings["tolerance"] == 1e-6
    assert 'radius = "8 cm"' in ds.load(SCENE, radius="8 cm").to_toml()


def test_steps_tell_how_they_went(pile: ds.Simulation) -> None:
    reports = list(pile.steps(until=0.1))
    assert [r.step for r in reports] == list(range(1, 26))
    assert reports[-1].time == pytest.approx(0.1) == pile.time
    assert all(r.converged and r.residual <= 1e-4 for r in reports)
    assert reports[-1]._fields[2:4] == ("step", "time")
    assert len(list(pile.steps(count=3))) == 3
    assert pile.step().step == 29 == pile.step_count


def test_reports_make_a_table(pile: ds.Simulation) -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(list(pile.steps(count=5)))
    assert list(table["step"]) == [1, 2, 3, 4, 5]
    assert table["seconds_total"].sum() > 0


def test_steps_without_an_end_go_to_the_scenes() -> None:
    sim = ds.load(SCENE)
    assert not sim.finished
    assert list(sim.steps())[-1].time == pytest.approx(0.1)
    assert sim.finished and list(sim.steps()) == []
    assert sim.run()["ended"] == "finished"
    assert sim.run(until=0.2) == {"ended": "limit", "steps": 40, "time": pytest.approx(0.2)}


def test_arrays_follow_the_simulation_without_copies(pile: ds.Simulation) -> None:
    views = {
        name: getattr(pile, name)
        for name in ("positions", "quaternions", "velocities", "angular_velocities", "centers")
    }
    before = {name: (view.ctypes.data, view.copy()) for name, view in views.items()}
    pile.run(until=0.2)
    for name, view in views.items():
        address, values = before[name]
        assert getattr(pile, name).ctypes.data == address == view.ctypes.data
        assert not np.array_equal(view, values) or name == "quaternions"
        assert view.shape == (len(pile), 4 if name == "quaternions" else 3)
        with pytest.raises(ValueError, match="read-only"):
            view[0] = 1.0
    assert views["positions"] is not None and np.array_equal(views["positions"], pile.positions)


def test_a_view_outlives_its_simulation() -> None:
    sim = ds.load("stack")
    view = sim.positions
    sim.step()
    values = view.copy()
    del sim
    others = [ds.load("stack").positions.copy() for _ in range(20)]
    assert np.array_equal(view, values) and len(others) == 20


def test_what_is_held_is_renewed_and_what_is_not_costs_nothing(pile: ds.Simulation) -> None:
    address = pile.positions.ctypes.data
    let_go = weakref.ref(pile.positions)
    pile.run(until=0.1)
    # Nobody held it, so it was not renewed, and is there no more to show what is over.
    assert let_go() is None
    # Only a part is held: a slice, its slice, a buffer, a transposed one.
    height = pile.positions[:, 2]
    lowest = pile.positions[:, 2][::2][:10]
    buffer = memoryview(pile.positions)
    turned = pile.positions.T
    before = height.copy()
    pile.run(until=0.2)
    now = pile.positions
    assert now is pile.positions and now.ctypes.data == address
    assert np.array_equal(now, pile.copy().positions)
    assert not np.array_equal(height, before)
    assert np.array_equal(height, now[:, 2]) and np.array_equal(lowest, now[:20:2, 2])
    assert np.array_equal(np.asarray(buffer), now) and np.array_equal(turned, now.T)
    with pytest.raises(ValueError):
        turned.setflags(write=True)
    # Setters and restored states are seen as well.
    state = pile.save()
    pile.set_positions([0, 0, 7], bodies=3)
    assert height[3] == 7.0 == now[3, 2]
    pile.restore(state)
    assert height[3] != 7.0


def test_masses_inertias_and_names() -> None:
    sim = ball_and_floor().build()
    mass = 1000 * 4 / 3 * np.pi * 0.1**3
    assert sim.masses == pytest.approx([0, mass])
    assert sim.inertias[1] == pytest.approx(0.4 * mass * 0.01 * np.eye(3))
    assert sim.names == ["floor", "ball"] and sim.kinds == ["fixed", "dynamic"]
    assert sim.shapes == ["plane", "sphere"] and sim.radii.tolist() == [np.inf, 0.1]
    assert sim.index("ball") == 1 and sim.enabled.all()
    assert sim.groups["ball"].tolist() == [1]


def test_the_ground_carries_the_weight() -> None:
    sim = ball_and_floor().build()
    sim.run(until=0.5)
    weight = sim.masses[1] * 9.81
    assert sim.force(on="floor", by="ball") == pytest.approx([0, 0, -weight], rel=1e-6)
    assert sim.force(on="ball")[2] == pytest.approx(weight, rel=1e-6)
    [contact] = sim.contacts
    assert contact["bodies"].tolist() == [0, 1]
    assert contact["normal"] == pytest.approx([0, 0, 1])
    assert contact["normal_force"] == pytest.approx(weight, rel=1e-6)
    assert contact["friction"] == pytest.approx([0, 0, 0], abs=1e-9)
    forces, torques = sim.contact_loads
    assert forces[1, 2] == pytest.approx(weight, rel=1e-6) and np.allclose(torques, 0)


def test_saved_states_come_back_to_the_bit(pile: ds.Simulation, tmp_path: Path) -> None:
    pile.run(until=0.2)
    saved = pile.save(tmp_path / "state.dry")
    assert pile.run(until=0.3)["steps"] == 75
    after = pile.positions.copy()
    branch = None
    for state in (saved, tmp_path / "state.dry"):
        pile.restore(state)
        assert pile.step_count == 50
        branch = pile.copy()
        pile.run(until=0.3)
        assert np.array_equal(pile.positions, after)
    assert branch is not None and branch.step_count == 50
    branch.run(until=0.3)
    assert np.array_equal(branch.positions, after)


def test_what_python_sets_is_saved_too() -> None:
    world = ball_and_floor()
    world.add(ds.box([0.2, 0.2, 0.2]), name="ram", kind="prescribed", position=[-0.5, 0, 0.11])
    sim = world.build()
    sim.set(gravity=[0, 0, -5.0])
    sim.set_motion_velocities([1.0, 0, 0], bodies="ram")
    sim.set_material("default", friction=0.1)
    sim.set_loads([0.3, 0, 0], bodies="ball")
    sim.run(until=0.2)
    saved = sim.save()
    sim.run(until=0.6)
    after = sim.positions.copy()
    other = world.build()
    other.restore(saved)
    assert other.settings["gravity"] == [0, 0, -5.0]
    assert other.materials["default"]["friction"] == 0.1
    other.run(until=0.6)
    assert np.array_equal(other.positions, after)
    sim.set(gravity=[0, 0, -9.81])
    sim.set_motion(None, bodies="ram")
    sim.restore(saved)
    sim.run(until=0.6)
    assert np.array_equal(sim.positions, after)


def test_a_copy_is_on_its_own(stack: ds.Simulation) -> None:
    stack.run(steps=3)
    copy = stack.copy()
    copy.set(gravity=[0, 0, 0])
    copy.run(steps=3)
    assert stack.step_count == 3 and copy.step_count == 6
    assert stack.settings["gravity"] == [0, 0, -9.81]


def test_runs_call_back_between_steps(pile: ds.Simulation) -> None:
    seen: list[int] = []
    pile.run(steps=10, callback=lambda sim: seen.append(sim.step_count), every=5)
    assert seen == [0, 5, 10]
    pushed: list[float] = []

    def push(sim: ds.Simulation) -> None:
        sim.set_loads(np.tile([1.0, 0, 0], (len(sim), 1)))
        pushed.append(float(sim.velocities[:, 0].mean()))

    pile.run(steps=10, callback=push)
    assert pushed[-1] > pushed[0] + 0.1


def test_an_exception_in_a_callback_ends_the_run_and_is_raised(pile: ds.Simulation) -> None:
    def fail(sim: ds.Simulation) -> None:
        if sim.step_count == 4:
            raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        pile.run(until=1.0, callback=fail)
    assert pile.step_count == 4 and pile.step().step == 5


def test_runs_leave_what_the_command_line_leaves(tmp_path: Path, command: Path) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    summary = ds.load("pile", count=60).run(until=0.2, out=ours)
    words = [command, "run", "pile", "--set", "count=60", "--until", "0.2", "-o", theirs, "-q"]
    words += ["--picture", "none"]
    subprocess.run([str(w) for w in words], check=True, capture_output=True)
    assert (ours / "frames.dry").read_bytes() == (theirs / "frames.dry").read_bytes()
    assert (ours / "scene.toml").read_bytes() == (theirs / "scene.toml").read_bytes()
    assert (ours / "forces.csv").read_bytes() == (theirs / "forces.csv").read_bytes()
    written = json.loads((theirs / "summary.json").read_text())
    for key in ("steps", "ended", "kinetic_energy", "worst_residual", "mean_iterations"):
        assert summary[key] == written[key], key
    assert {p.name for p in theirs.iterdir()} == {p.name for p in ours.iterdir()}


def test_a_run_goes_on_from_its_folder(tmp_path: Path) -> None:
    out = tmp_path / "pile"
    ds.load("pile", count=40).run(until=0.1, out=out)
    with pytest.raises(OSError, match="holds a run already"):
        ds.load("pile", count=40).run(until=0.2, out=out)
    sim = ds.load("pile", count=40)
    sim.run(until=0.2, out=out, resume=True)
    whole = ds.load("pile", count=40)
    whole.run(until=0.2, out=tmp_path / "whole")
    assert np.array_equal(sim.positions, whole.positions)
    frames = [(tmp_path / name / "frames.dry").read_bytes() for name in ("pile", "whole")]
    assert frames[0] == frames[1]
    ds.load("pile", count=40).run(until=0.1, out=out, overwrite=True)
    assert len(ds.Recording(out)) == 6


def test_a_recorded_run_with_a_callback_has_the_same_frames(tmp_path: Path) -> None:
    for name, callback in (("a", None), ("b", lambda sim: sim.positions.mean())):
        ds.load("pile", count=40).run(until=0.1, out=tmp_path / name, callback=callback)
    frames = [(tmp_path / name / "frames.dry").read_bytes() for name in "ab"]
    assert frames[0] == frames[1]


def test_results_do_not_depend_on_threads() -> None:
    results = []
    before = ds.threads()
    for count in (1, 2):
        ds.set_threads(count)
        assert ds.threads() == count
        sim = ds.load("pile", count=300)
        sim.run(until=0.3)
        results.append(sim.positions.copy())
    ds.set_threads(before)
    assert np.array_equal(*results)


def test_python_threads_go_on_while_a_simulation_steps() -> None:
    sim = ds.load("pile", count=2000)
    ticks = 0
    done = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.001)

    ticker = threading.Thread(target=tick)
    ticker.start()
    began = time.monotonic()
    while time.monotonic() - began < 1.0:
        sim.step()
    done.set()
    ticker.join()
    assert ticks > 100


def test_two_threads_cannot_step_one_simulation() -> None:
    sim = ds.load("pile", count=2000)
    errors: list[Exception] = []

    def step() -> None:
        try:
            sim.run(steps=40)
        except RuntimeError as error:
            errors.append(error)

    threads = [threading.Thread(target=step) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(errors) == 1 and "at work" in str(errors[0])
    sim.step()


def test_each_thread_steps_its_own() -> None:
    sims = [ds.load("stack") for _ in range(4)]
    threads = [threading.Thread(target=sim.run, kwargs={"steps": 20}) for sim in sims]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(sim.positions, sims[0].positions) for sim in sims)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_steps_on() -> None:
    sim = ds.load("pile", count=200)
    sim.run(steps=5)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            sim.run(steps=5)
            os.write(write, sim.positions.tobytes()[:64])
        finally:
            os._exit(0)
    os.close(write)
    told = os.read(read, 64)
    os.waitpid(child, 0)
    sim.run(steps=5)
    assert told == sim.positions.tobytes()[:64]


INTERRUPTED = """
import os, signal, threading, time
import drystone as ds
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
sim = ds.load("pile", count=800)
sim.run(steps=80)
sim.set(tolerance=1e-14, max_iterations=100000000)
before, positions = sim.step_count, sim.positions.copy()
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
began = time.monotonic()
try:
    sim.run(until=100.0)
    print("not interrupted")
except KeyboardInterrupt:
    print("interrupted after", time.monotonic() - began)
sim.set(tolerance=1e-2, max_iterations=1000)
report = sim.step()
print("step", report.step - before, report.converged)
"""


def test_ctrl_c_stops_within_a_step_and_leaves_a_usable_simulation() -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=120
    )
    lines = done.stdout.splitlines()
    assert lines and lines[0].startswith("interrupted after"), done.stdout + done.stderr
    assert float(lines[0].split()[-1]) < 3.0
    assert lines[1].startswith("step ")


def test_pictures_and_notebooks(stack: ds.Simulation, tmp_path: Path) -> None:
    file = tmp_path / "stack.png"
    stack.step()
    picture = stack.picture(
        file, size=(200, 120), quality="sketch", color_by="force", camera="front", cuts=["y>0"]
    )
    assert file.read_bytes() == picture and picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert picture._repr_png_() == picture and "bytes" in repr(picture)
    shown = stack._repr_html_()
    assert "data:image/png;base64," in shown and "contacts" in shown
    assert repr(stack) == "<Simulation of 'A stack of plates': 21 bodies, t = 0.005 s>" or (
        "21 bodies" in repr(stack)
    )


def test_progress_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    sim = ds.load("pile", count=500)
    sim.run(until=0.4, progress=True)
    assert sim.time == pytest.approx(0.4)


def test_scenes_that_ship_are_listed() -> None:
    assert {"pile", "stack", "drum"} <= set(ds.scenes())
    assert (ROOT / "scenes" / "pile.toml").exists()


def test_the_smallest_run_works() -> None:
    summary = ds.load("pile").run(until=0.5)
    assert summary["ended"] == "limit" and summary["steps"] == 125


def test_signals_are_not_taken_over() -> None:
    words = "import signal; own = signal.getsignal(signal.SIGINT); import drystone as ds"
    words += "; ds.load('stack').step(); assert signal.getsignal(signal.SIGINT) == own"
    subprocess.run([sys.executable, "-c", words], check=True)
