"""Worlds built from Python, and control."""

from __future__ import annotations

import math

import numpy as np
import pytest

import drystone as ds
from conftest import ball_and_floor


def grid(count: int, spacing: float) -> np.ndarray:
    side = math.ceil(count ** (1 / 3))
    axis = spacing * np.arange(side)
    points = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), -1).reshape(-1, 3)
    return points[:count] + [0, 0, spacing]


def test_a_hundred_thousand_balls_come_from_arrays() -> None:
    # How long that takes, bench/overhead.py says.
    positions = grid(100_000, 0.05)
    world = ds.World()
    world.add(ds.plane(), name="floor")
    world.add_many(None, positions, "balls", radii=0.02)
    sim = world.build()
    assert len(sim) == 100_001 and np.array_equal(sim.positions[1:], positions)


def test_arrays_and_text_give_the_same_world() -> None:
    rng = np.random.default_rng(7)
    world = ds.World("arrays", time_step=0.004, gravity=[0, 0, -9.81])
    world.material("stone", friction=0.4, density=2600)
    world.material("rubber", friction=0.9)
    world.pair("stone", "rubber", friction=0.7, restitution=0.1)
    world.add(ds.plane(), name="floor", material="rubber")
    q = rng.normal(size=(30, 4))
    world.add_many(
        None,
        grid(30, 0.11) + rng.uniform(0, 0.01, (30, 3)),
        "balls",
        radii=rng.uniform(0.03, 0.05, 30),
        velocities=rng.normal(size=(30, 3)),
        material="stone",
    )
    world.add_many(
        ds.box([0.05, 0.06, 0.07]),
        grid(30, 0.11) + [1, 0, 0],
        "boxes",
        quaternions=q / np.linalg.norm(q, axis=1)[:, None],
        angular_velocities=[0, 0, 1.0],
        masses=0.3,
        material="stone",
    )
    world.add(ds.hull(rng.normal(size=(20, 3)) * 0.1), name="rock", position=[0.2, 0.2, 1.0])
    world.recording(forces=[{"name": "floor", "by": "balls", "on": "floor"}])
    a, b = world.build(), ds.load(world.to_toml())
    assert a.names == b.names and len(a) == 62
    assert np.array_equal(a.positions, b.positions)
    for sim in (a, b):
        sim.run(until=0.2)
    assert np.array_equal(a.positions, b.positions)
    assert np.allclose(a.masses, b.masses, rtol=0, atol=0)


def test_the_order_of_bodies_is_that_of_the_calls() -> None:
    world = ds.World()
    world.add(ds.plane(), name="floor")
    world.add_many(None, [[0, 0, 1], [0, 0, 2], [0, 0, 3]], "balls", radii=0.1)
    world.add(ds.box([1, 1, 0.1]), name="lid", position=[0, 0, 5])
    sim = world.build()
    assert sim.names == ["floor", "balls[0]", "balls[1]", "balls[2]", "lid"]
    assert sim.groups["balls"].tolist() == [1, 2, 3]


def test_every_shape_falls_and_rests() -> None:
    tetrahedron = [[0, 0, 0], [0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.2]]
    faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    shapes = {
        "sphere": ds.sphere(0.1),
        "box": ds.box([0.2, 0.2, 0.2]),
        "ellipsoid": ds.ellipsoid([0.1, 0.1, 0.15]),
        "cylinder": ds.cylinder(0.1, 0.2),
        "capsule": ds.capsule(0.05, 0.1),
        "cone": ds.cone(0.1, 0.2),
        "hull": ds.hull(tetrahedron),
        "compound": ds.compound([(ds.sphere(0.1), [0, 0, z]) for z in (-0.1, 0.1)]),
        "pieces": ds.mesh(tetrahedron, faces, pieces=4),
    }
    world = ds.World()
    world.add(ds.height_field(np.zeros((5, 5)), [40, 40]), name="ground")
    for k, (name, shape) in enumerate(shapes.items()):
        world.add(shape, name=name, position=[2 * k - 8, 0, 0.4])
    sim = world.build()
    sim.run(until=1.5)
    assert (sim.positions[1:, 2] < 0.4).all() and (sim.positions[1:, 2] > -0.01).all()
    assert sim.shapes[1:4] == ["sphere", "box", "ellipsoid"]


def test_a_mesh_from_arrays_carries_a_ball() -> None:
    vertices = [[-1, -1, 0], [1, -1, 0], [1, 1, 0.5], [-1, 1, 0.5]]
    world = ds.World()
    slope = ds.mesh(vertices, [[0, 1, 2], [0, 2, 3]])
    world.add(slope, name="slope", kind="fixed")
    world.add(ds.sphere(0.1), name="ball", position=[0, 0.5, 0.7])
    sim = world.build()
    sim.run(until=0.5)
    assert sim.shapes[0] == "mesh"
    assert sim.velocities[1, 1] < -0.3 and sim.positions[1, 2] > 0.1
    with pytest.raises(ValueError, match="slope: a scene cannot hold a mesh"):
        world.to_toml()


def test_motions_are_functions_or_arrays() -> None:
    world = ds.World(gravity=[0, 0, 0])
    world.add(ds.box([0.1, 0.1, 0.1]), name="a", motion=lambda t: [math.sin(t), 0, 0])
    times, places = [0.0, 0.5, 1.0], [[0, 1, 0], [0, 1, 2], [0, 1, 0]]
    world.add(ds.box([0.1, 0.1, 0.1]), name="b", motion=(times, places))
    turn = lambda t: ([0, 3, 0], [math.cos(t / 2), 0, 0, math.sin(t / 2)])  # noqa: E731
    world.add(ds.box([0.1, 0.1, 0.1]), name="c", motion=turn)
    world.add(ds.box([0.1, 0.1, 0.1]), name="d", motion={"type": "velocity", "velocity": [0, 0, 2]})
    sim = world.build()
    sim.run(until=0.25)
    assert sim.positions[0, 0] == pytest.approx(math.sin(0.25), abs=1e-9)
    assert sim.positions[1] == pytest.approx([0, 1, 1.0])
    assert sim.angular_velocities[2] == pytest.approx([0, 0, 1.0], abs=1e-6)
    assert sim.positions[3, 2] == pytest.approx(0.5)
    with pytest.raises(ValueError, match="body a: a scene cannot hold a motion"):
        world.to_toml()


def test_an_exception_in_a_motion_is_raised_and_the_step_undone() -> None:
    world = ball_and_floor()

    def late(t: float) -> list[float]:
        if t > 0.02:
            raise LookupError("no more places")
        return [0, 0, 1 + t]

    world.add(ds.sphere(0.1), name="moved", motion=late)
    sim = world.build()
    with pytest.raises(LookupError, match="no more places"):
        sim.run(until=1.0)
    assert sim.step_count == 4
    sim.set_motion(None, bodies="moved")
    assert sim.step().step == 5
    sim.set_motion(lambda t: "nowhere", bodies="moved")
    with pytest.raises(ValueError, match="the position that a motion returned"):
        sim.step()


def pendulum(**motor: object) -> ds.World:
    world = ds.World(time_step=0.002)
    world.add(ds.box([0.05, 0.05, 1.0]), name="rod", position=[0, 0, -0.5], mass=1.0)
    world.joint("revolute", None, "rod", "hinge", at=[0, 0, 0], axis=[0, 1, 0], **motor)
    return world


def test_joints_have_coordinates_and_reactions() -> None:
    sim = pendulum().build()
    sim.set_velocities([[-0.5, 0, 0]], [[0, 1.0, 0]], bodies=[0])
    sim.run(steps=2)
    [joint] = sim.joints
    assert joint["name"] == "hinge" and joint["kind"] == "revolute"
    assert joint["bodies"].tolist() == [-1, 0]
    assert joint["speed"] == pytest.approx(1.0, rel=1e-2)
    assert joint["force"][2] == pytest.approx(9.81 + 0.5, rel=1e-2)
    sim.set_joint_enabled("hinge", False)
    sim.run(until=0.2)
    assert sim.positions[0, 2] < -0.55


def test_motors_keep_and_exert() -> None:
    sim = pendulum(motor={"position": 0.5}).build()
    sim.run(until=0.5)
    assert sim.joints["coordinate"][0] == pytest.approx(0.5, abs=1e-3)
    assert sim.joints["motor"][0] == pytest.approx(9.81 * 0.5 * math.sin(0.5), rel=1e-2)
    sim.set_motor("hinge", speed=2.0)
    sim.run(until=0.7)
    assert sim.joints["speed"][0] == pytest.approx(2.0, rel=1e-3)
    sim.set_motor("hinge", speed=lambda t: -1.0)
    sim.run(until=0.8)
    assert sim.joints["speed"][0] == pytest.approx(-1.0, rel=1e-3)
    saved = sim.save()
    sim.set_motor("hinge")
    sim.run(until=0.9)
    sim.restore(saved)
    sim.run(until=0.9)
    assert sim.joints["speed"][0] == pytest.approx(-1.0, rel=1e-3)
    by_function = pendulum(motor={"speed": lambda t: 3 * t}).build()
    by_function.run(until=0.5)
    assert by_function.joints["speed"][0] == pytest.approx(1.5, rel=1e-2)
    assert "speed" in pendulum(motor={"speed": "2*t"}).to_toml()


def test_springs_and_the_periodic_box() -> None:
    world = ds.World(gravity=[0, 0, 0], time_step=0.001, periodic={"x": [0, 1]})
    world.add(ds.sphere(0.05), name="ball", position=[0.5, 0, 0], mass=1.0, velocity=[4, 0, 0])
    world.add(ds.sphere(0.05), name="weight", position=[0, 1, 1], mass=1.0)
    spring = {"stiffness": 100.0, "rest": 0.5}
    world.joint("link", None, "weight", from_=[0, 1, 0], to=[0, 1, 1], spring=spring)
    sim = world.build()
    sim.run(until=0.2)
    assert sim.positions[0, 0] == pytest.approx(1.3)
    assert sim.positions[1, 2] < 0.7
    assert sim.settings["periodic"][0] == [0, 1]


def test_loads_for_all_bodies_at_once() -> None:
    world = ds.World(gravity=[0, 0, 0])
    world.add_many(None, grid(27, 1.0), "balls", radii=0.1, masses=2.0)
    sim = world.build()
    forces = np.zeros((27, 3))
    forces[:, 0] = np.arange(27)
    sim.set_loads(forces, torques=[0, 0, 0.01])
    sim.run(until=1.0)
    assert sim.velocities[:, 0] == pytest.approx(np.arange(27) / 2)
    assert sim.angular_velocities[:, 2] == pytest.approx(0.01 / (0.4 * 2 * 0.01))
    sim.set_velocities(np.zeros((27, 3)), [0, 0, 0])
    sim.set_loads([0, 0, 0])
    sim.set_positions(positions=[9, 9, 9], bodies="balls[3]")
    assert sim.positions[3].tolist() == [9, 9, 9] and not sim.velocities.any()
    sim.set_enabled(False, bodies=[1, 2])
    assert sim.enabled.sum() == 25


def test_velocities_of_motions_for_all_bodies_at_once() -> None:
    world = ball_and_floor(position=[0, 0, 3])
    world.add(ds.box([0.1, 0.1, 0.1]), name="ram", kind="fixed", position=[0, 1, 1])
    sim = world.build()
    sim.run(steps=3)
    sim.set_motion_velocities([[0, 0, 0], [9, 9, 9], [1, 0, 0]], [[0, 0, 0], [0, 0, 0], [0, 0, 2]])
    sim.run(steps=20)
    assert sim.positions[2] == pytest.approx([0.1, 1, 1])
    assert sim.angular_velocities[2] == pytest.approx([0, 0, 2], abs=1e-9)
    assert sim.positions[1, :2] == pytest.approx([0, 0]) and sim.kinds[0] == "fixed"


def test_settings_and_materials_change() -> None:
    sim = ball_and_floor(velocity=[1, 0, 0]).build()
    sim.set_material("default", friction=0.0)
    sim.run(until=0.2)
    assert sim.velocities[1, 0] == pytest.approx(1.0)
    sim.set_material("default", friction=0.5)
    sim.run(until=1.0)
    assert sim.velocities[1, 0] == pytest.approx(5 / 7, rel=1e-2)
    sim.set(law="exact", method="gauss-seidel", time_step=0.001)
    assert sim.step().time == pytest.approx(1.001)
    assert sim.settings["law"] == "exact" and sim.settings["method"] == "gauss-seidel"


def test_containers_fills_and_phases() -> None:
    world = ds.World(time_step=0.004)
    world.material("stone", density=2600)
    world.container("box", {"type": "box", "size": [0.4, 0.4, 0.3]}, material="stone")
    world.fill(ds.sphere(0.02), count=50, container="box", arrangement="rain", material="stone")
    world.phase("settle", until={"time": 0.1})
    world.phase("rest")
    sim = world.build()
    assert len(sim.groups["grains"]) == 50 and sim.phases == ["settle", "rest"]
    sim.run(until=0.12)
    assert sim.phase == "rest"
    loaded = ds.load(world, set={"fill.grains.count": 60})
    assert len(loaded.groups["grains"]) == 60
