"""Bad input of every kind: a clear exception, never a crash."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import drystone as ds
from conftest import ball_and_floor


def test_scene_errors_have_file_line_and_key(tmp_path: Path) -> None:
    file = tmp_path / "bad.toml"
    file.write_text('[settings]\nduration = 1\n\n[[body]]\nname = "ball"\nshape = { type = "spheer" }\n')
    with pytest.raises(ds.SceneError, match="did you mean `sphere`") as caught:
        ds.load(file)
    error = caught.value
    assert (error.file, error.line, error.key) == (str(file), 6, "body.ball.shape.type")
    assert isinstance(error, ds.DrystoneError)
    with pytest.raises(ds.SceneError) as caught:
        ds.load(tmp_path / "missing.toml")
    assert caught.value.file == str(tmp_path / "missing.toml") and caught.value.line is None
    with pytest.raises(ds.SceneError, match="no built-in scene"):
        ds.load("pill")
    with pytest.raises(ds.SceneError, match="not TOML"):
        ds.load("a = \nb")
    with pytest.raises(ds.SceneError) as caught:
        ds.load("pile", cout=3)
    assert caught.value.key == "cout"
    for wrong in (3, None, b"pile", ["pile"]):
        with pytest.raises(TypeError):
            ds.load(wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="count: nan"):
        ds.load("pile", count=float("nan"))
    with pytest.raises(TypeError, match="count"):
        ds.load("pile", count=object())


def test_meshes_that_cannot_be() -> None:
    square = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
    with pytest.raises(ds.MeshError, match="names vertex 7"):
        ds.mesh(square, [[0, 1, 7]])
    with pytest.raises(ds.MeshError, match="span no volume"):
        ds.hull(square)
    with pytest.raises(ds.MeshError, match="no area"):
        ds.mesh(square, [[0, 1, 1]])
    with pytest.raises(ValueError, match="not the index"):
        ds.mesh(square, [[0, 1, -1]])
    with pytest.raises(ValueError, match="not the index"):
        ds.mesh(square, [[0, 1, 1.5]])
    with pytest.raises(ValueError, match="expected an array of n x 3"):
        ds.mesh([[0, 0], [1, 1]], [[0, 1, 2]])
    with pytest.raises(ValueError, match="not a finite number"):
        ds.hull([[0, 0, np.nan]] * 4)
    with pytest.raises(ds.MeshError, match="missing.stl") as caught:
        world = ds.World()
        world.add(ds.mesh("missing.stl"), kind="fixed")
        world.build()
    assert caught.value.file is not None


@pytest.mark.parametrize(
    "forces",
    [
        np.zeros((3, 3)),
        np.zeros((2, 2)),
        np.zeros(4),
        np.full((2, 3), np.nan),
        np.full((2, 3), np.inf),
        "text",
        None,
        [[1, 2, 3], [1, 2]],
        [["a", "b", "c"]],
        np.zeros((2, 3), dtype=complex),
        np.array([[object()] * 3] * 2),
        np.zeros((2, 3, 1)),
        np.array([["1", "2", "3"]] * 2),
        np.zeros((2, 3), dtype="M8[s]"),
        np.zeros(2, dtype=[("force", float, (3,))]),
        np.ma.masked_array(np.ones((2, 3)), mask=[[False] * 3, [False, True, False]]),
        {"x": 1},
        (n for n in (1, 2, 3)),
    ],
)
def test_wrong_arrays_are_refused(forces: Any) -> None:
    sim = ball_and_floor().build()
    for setter in (sim.set_loads, sim.set_positions, sim.set_velocities, sim.set_motion_velocities):
        if forces is None and setter != sim.set_loads:
            continue
        with pytest.raises((ValueError, TypeError)):
            setter(forces)
    assert sim.step().converged


@pytest.mark.parametrize(
    "forces",
    [
        np.ones((4, 6))[::2, ::2],
        np.asfortranarray(np.ones((2, 3))),
        np.ones((2, 3), dtype=np.float32),
        np.ones((2, 3), dtype=np.int16),
        np.broadcast_to(1.0, (2, 3)),
        [[1, 1, 1], [1, 1, 1]],
        ((1.0, 1, 1),) * 2,
        np.ones((2, 3), dtype=">f8"),
        [1, 1, 1],
        np.ones((2, 3))[::-1, ::-1],
        np.ones((2, 3), dtype=bool),
        np.ones((2, 3), dtype=object),
        np.ma.masked_array(np.ones((2, 3))),
    ],
)
def test_arrays_of_any_layout_are_taken(forces: Any) -> None:
    if isinstance(forces, np.ndarray) and forces.flags.writeable:
        forces.flags.writeable = False
    sim = ball_and_floor(position=[0, 0, 5]).build()
    sim.set_loads(forces)
    sim.set(gravity=[0, 0, 0])
    sim.step()
    assert sim.velocities[1] == pytest.approx(np.full(3, 0.005 / sim.masses[1]))


@pytest.mark.parametrize("layout", ["rows", "columns", "turned", "spread", "reversed", "foreign"])
def test_numbers_stay_where_they_are_in_any_layout(layout: str) -> None:
    numbers = np.arange(1.0, 7.0).reshape(2, 3)
    wide = np.zeros((4, 9))
    wide[::2, ::3] = numbers
    same = {
        "rows": numbers,
        "columns": np.asfortranarray(numbers),
        "turned": np.ascontiguousarray(numbers.T).T,
        "spread": wide[::2, ::3],
        "reversed": np.ascontiguousarray(numbers[::-1, ::-1])[::-1, ::-1],
        "foreign": numbers.astype(">f4"),
    }[layout]
    sim = ball_and_floor().build()
    sim.set_positions(same)
    assert np.array_equal(sim.positions, numbers)
    world = ds.World()
    world.add_many(None, same, "balls", radii=0.1)
    assert np.array_equal(world.build().positions, numbers)
    heights = np.arange(6.0).reshape(2, 3)
    assert ds.height_field(np.asfortranarray(heights), [1, 1]).table["heights"] == heights.tolist()


def test_wrong_bodies_and_joints_are_refused() -> None:
    sim = ball_and_floor().build()
    for bodies in (7, [-1], [0.5], "nobody", "ball[3]", [[0]], np.array([True]), "", [np.nan]):
        with pytest.raises(ValueError):
            sim.set_loads([0, 0, 0], bodies=bodies)
    with pytest.raises(ValueError, match="no joint is called .hinge.; there are none"):
        sim.set_motor("hinge", speed=1.0)
    with pytest.raises(ValueError, match="no body is called .boll.; there are floor, ball"):
        sim.force(on="boll", by="floor")
    with pytest.raises(ValueError, match="floor: no force moves it"):
        sim.set_velocities([0, 0, 0], bodies="floor")
    with pytest.raises(ValueError, match="ball: forces move it"):
        sim.set_motion(lambda t: [0, 0, 0], bodies="ball")
    with pytest.raises(ValueError, match="is not a quaternion"):
        sim.set_positions(quaternions=[0, 0, 0, 0], bodies="ball")
    with pytest.raises(ValueError, match="no material is called .gold."):
        sim.set_material("gold", friction=1.0)
    with pytest.raises(ValueError, match="friction -1"):
        sim.set_material("default", friction=-1.0)
    with pytest.raises(ValueError, match="there is no figure .shine."):
        sim.set_material("default", shine=1.0)
    with pytest.raises(ds.SceneError, match="did you mean `gravity`"):
        sim.set(gravty=[0, 0, 0])
    with pytest.raises(ds.SceneError, match="time_step"):
        sim.set(time_step=-1.0)
    with pytest.raises(ValueError, match="duration"):
        sim.set(duration=2.0)
    with pytest.raises(TypeError):
        sim.set_motion(3, bodies="floor")  # type: ignore[arg-type]
    assert sim.settings["time_step"] == 0.005 and sim.step().step == 1


def test_worlds_that_cannot_be() -> None:
    world = ds.World()
    with pytest.raises(TypeError, match="expected a shape"):
        world.add("sphere")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="expected \\(n, 3\\)"):
        world.add_many(None, [[0, 0]], radii=1)
    with pytest.raises(ValueError, match="either a shape or radii"):
        world.add_many(None, [[0, 0, 0]])
    with pytest.raises(ValueError, match="radii have the shape"):
        world.add_many(None, [[0, 0, 0]], radii=[1, 2])
    with pytest.raises(ValueError, match="row 1: not a finite"):
        world.add_many(None, [[0, 0, 0], [0, 0, np.nan]], radii=1)
    with pytest.raises(ValueError, match="row 1: -1"):
        world.add_many(None, [[0, 0, 0], [0, 0, 1]], radii=[1, -1])
    with pytest.raises(ValueError, match="a motor has one of"):
        world.joint("revolute", None, "ball", motor={"sped": 1})
    with pytest.raises(ValueError, match="rising"):
        world.add(ds.sphere(1), motion=([0, 0], [[0, 0, 0]] * 2))
    for wrong in (np.zeros((1, 3), dtype=complex), [["a", "b", "c"]]):
        with pytest.raises(ValueError, match="expected real numbers"):
            world.add_many(None, wrong, radii=1)
    world.add(ds.sphere(0.1), name="ball", materiel="steel")
    with pytest.raises(ds.SceneError, match="did you mean `material`") as caught:
        world.build()
    assert caught.value.key == "body.ball.materiel"
    with pytest.raises(ds.SceneError, match="no body is called|`rod`|rod"):
        joined = ball_and_floor()
        joined.joint("revolute", None, "rod", at=[0, 0, 0])
        joined.build()
    with pytest.raises(ValueError, match="no duration"):
        ball_and_floor().build().run()


def test_what_is_found_by_its_name_has_it_alone() -> None:
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    world = ds.World()
    world.add(ds.mesh(corners, faces, pieces=1), name="rock")
    for shape in (ds.mesh(2 * corners, faces, pieces=1), ds.sphere(0.1)):
        with pytest.raises(ValueError, match="body rock: the name is taken"):
            world.add(shape, name="rock")
    world.add(ds.sphere(0.1), name="ball")
    with pytest.raises(ValueError, match="body ball: the name is taken"):
        world.add(ds.sphere(0.1), name="ball", motion=lambda t: [0, 0, t])
    with pytest.raises(ValueError, match="the name is taken"):
        world.add_many(None, [[0, 0, 0]], "ball", radii=0.1)
    world.add(ds.sphere(0.1), name="ball")
    with pytest.raises(ValueError, match="part 0 is a mesh from arrays"):
        ds.compound([ds.mesh(corners, faces)])
    assert len(world.build()) == 3


def test_motors_that_cannot_be() -> None:
    world = ds.World()
    for name in ("a", "b"):
        place = [0, ord(name), 0]
        world.add(ds.cylinder(0.1, 0.05), name=name, position=place)
        world.joint("revolute", None, name, name=name, at=place, axis=[0, 0, 1])
    world.joint("distance", "a", "b", name="rope", from_=[0, ord("a"), 0], to=[0, ord("b"), 0])
    sim = world.build()
    sim.set_motors(speed=[1.0, 2.0], max_force=50)
    for keys in (
        {"speed": [1, 2, 3]},
        {"speed": [1, np.nan]},
        {"speed": "fast"},
        {"speed": 1, "force": 1},
        {"speed": 1, "max_force": [1, -1]},
        {"speed": 1, "joints": ["a", "c"]},
        {"speed": 1, "joints": ["rope"]},
        {},
    ):
        with pytest.raises(ValueError):
            sim.set_motors(**keys)
    assert sim.step().converged
    assert sim.joints["speed"][:2] == pytest.approx([1, 2], abs=1e-4)


def test_a_step_that_cannot_be_made_names_the_body() -> None:
    sim = ball_and_floor().build()
    sim.set_loads([1e300, 0, 0], bodies="ball")
    with pytest.raises(ds.StepError, match="body ball") as caught:
        sim.step()
    assert caught.value.step == 1 and caught.value.body == "ball"
    sim.set_loads([0, 0, 0])
    assert sim.step().step == 1


def test_states_that_do_not_fit(tmp_path: Path) -> None:
    sim, other = ball_and_floor().build(), ds.load("stack")
    saved = bytearray(sim.save())
    with pytest.raises(ValueError, match="the saved state"):
        other.restore(bytes(saved))
    saved[len(saved) // 2] ^= 1
    for wrong in (bytes(saved), b"", b"nonsense", bytes(100)):
        with pytest.raises(ValueError, match="the saved state"):
            sim.restore(wrong)
    with pytest.raises(OSError):
        sim.restore(tmp_path / "missing")
    world = ball_and_floor()
    world.add(ds.sphere(0.1), name="moved", motion=lambda t: [0, 0, 3])
    moved = world.build()
    state = moved.save()
    twin = ball_and_floor()
    twin.add(ds.sphere(0.1), name="moved", kind="prescribed")
    with pytest.raises(ValueError, match="follows a Python function"):
        twin.build().restore(state)
    assert sim.step().step == 1


def test_runs_and_pictures_with_nonsense(tmp_path: Path) -> None:
    sim = ball_and_floor().build()
    for keys in (
        {"until": float("nan")},
        {"steps": -1},
        {"steps": 1.5},
        {"until": 0.1, "every": 0},
        {"until": 0.1, "resume": True},
        {"until": "soon"},
        {"until": 0.1, "every": 1.5},
    ):
        with pytest.raises(ValueError):
            sim.run(**keys)  # type: ignore[arg-type]
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError):
        sim.run(until=0.1, out=tmp_path / "file")
    with pytest.raises(OSError, match="holds no run"):
        sim.run(until=0.1, out=tmp_path / "none", resume=True)
    for look in (
        {"quality": "best"},
        {"color_by": "mood"},
        {"camera": "above"},
        {"cuts": ["w>0"]},
        {"size": (0, 10)},
        {"size": (10**6, 10**6)},
        {"size": 5},
        {"size": (5, 5, 5)},
        {"color_range": (float("nan"), 1)},
    ):
        with pytest.raises((ValueError, OverflowError)):
            sim.picture(**look)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="no keyword .colour., only size"):
        sim.picture(colour="red")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="callback"):
        sim.run(until=0.1, callback=3)  # type: ignore[arg-type]
    with pytest.raises(OSError):
        sim.picture(tmp_path / "no" / "folder.png", size=(64, 40), quality="sketch")
    assert sim.step_count == 0 and sim.step().step == 1


def test_problems_that_cannot_be() -> None:
    eye = np.eye(3)
    for arguments in (
        (np.ones((3, 2)), [1, 2, 3], [0.5]),
        (eye, [1, 2], [0.5]),
        (eye, [1, 2, np.nan], [0.5]),
        (eye * np.nan, [1, 2, 3], [0.5]),
        (eye, [1, 2, 3], [-0.5]),
        (eye, [1, 2, 3], [0.5, 0.5]),
        (np.ones(3), [1, 2, 3], [0.5]),
        (eye, [1, 2, 3], None),
        (eye, None, [0.5]),
    ):
        with pytest.raises(ValueError):
            ds.solve(*arguments)  # type: ignore[arg-type]
    problem = ds.Problem.of(eye, [-1, 0, 0], [0.5])
    for keys in (
        {"method": "magic"},
        {"law": "murphy"},
        {"tolerance": 0.0},
        {"tolerance": np.nan},
        {"time_limit": -1.0},
        {"warm_start": [1.0]},
        {"warm_start": [np.nan] * 3},
        {"method": "jacobi", "omega": 7},
        {"method": "jacobi", "omga": 0.5},
    ):
        with pytest.raises(ValueError):
            problem.solve(**keys)
    with pytest.raises(ValueError, match="rows"):
        problem.velocity([1.0])
    with pytest.raises(TypeError, match="expected a Cone"):
        ds.Problem.of(eye, [1, 2, 3], cones=["friction"])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="cone 0|rows"):
        ds.Problem.of(eye, [1, 2, 3], cones=[ds.Free(0)])
    with pytest.raises(OSError):
        ds.read_problem("/nowhere/problem.hdf5")
    with pytest.raises(ValueError, match="no method"):
        ds.compare(problem, ["magic"])


def test_threads_out_of_range() -> None:
    for wrong in (0, -1, 10**6):
        with pytest.raises(ValueError, match="threads"):
            ds.set_threads(wrong)


def test_simulations_are_copied_but_not_pickled(stack: ds.Simulation) -> None:
    assert copy.copy(stack).step_count == 0
    with pytest.raises(TypeError):
        pickle.dumps(stack)
    with pytest.raises(TypeError):
        copy.deepcopy(stack)


def test_a_simulation_called_from_its_own_motion_refuses() -> None:
    world = ball_and_floor()
    seen: list[str] = []

    def motion(t: float) -> list[float]:
        try:
            sim.step()
        except RuntimeError as error:
            seen.append(str(error))
        return [0, 0, 2]

    world.add(ds.sphere(0.1), name="moved", motion=motion)
    sim = world.build()
    sim.step()
    assert seen and "at work" in seen[0]


def test_another_simulation_may_be_stepped_from_a_motion() -> None:
    inner = ds.load("pile", count=50)
    world = ball_and_floor()
    world.add(ds.sphere(0.1), name="moved", motion=lambda t: [0, 0, 2 + inner.step().time])
    sim = world.build()
    sim.run(steps=3)
    assert inner.step_count >= 3 and sim.positions[2, 2] > 2


def test_exceptions_survive_a_process() -> None:
    with pytest.raises(ds.SceneError) as caught:
        ds.load("pile", cout=3)
    again = pickle.loads(pickle.dumps(caught.value))
    assert isinstance(again, ds.SceneError) and again.key == "cout" and str(again) == str(caught.value)
