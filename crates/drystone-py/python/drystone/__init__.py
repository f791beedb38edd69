"""Rigid bodies with contact and dry friction.

Load a scene, step it, read its state as numpy arrays:

>>> import drystone as ds
>>> sim = ds.load("stack")
>>> report = sim.step()
>>> report.converged
True
>>> sim.positions.shape
(21, 3)

Lengths are in m, masses in kg, times in s, forces in N, angles of scenes in degrees, angular
velocities in rad/s. Quaternions are ``[w, x, y, z]``. Every name is that of the scene language,
which the book's page ``docs/scenes.md`` describes.
"""

from ._core import VERSION as __version__
from ._core import DrystoneError, MeshError, SceneError, StepError
from ._threads import set_threads, threads
from .cones import Box, Cone, Free, Friction, NonNegative, Rolling
from .loading import load, scenes
from .pictures import Picture, View
from .problem import Problem, Solution
from .recording import Frame, Recording
from .reports import CONTACT, JOINT, StepReport
from .shapes import (
    Shape,
    box,
    capsule,
    compound,
    cone,
    cylinder,
    ellipsoid,
    height_field,
    hull,
    mesh,
    plane,
    sphere,
)
from .simulation import Simulation
from .solvers import Comparison, compare, methods, read_problem, solve
from .sweeps import Sweep, sweep
from .world import World

__all__ = [
    "CONTACT",
    "JOINT",
    "Box",
    "Comparison",
    "Cone",
    "DrystoneError",
    "Frame",
    "Free",
    "Friction",
    "MeshError",
    "NonNegative",
    "Picture",
    "Problem",
    "Recording",
    "Rolling",
    "SceneError",
    "Shape",
    "Simulation",
    "Solution",
    "StepError",
    "StepReport",
    "Sweep",
    "View",
    "World",
    "__version__",
    "box",
    "capsule",
    "compare",
    "compound",
    "cone",
    "cylinder",
    "ellipsoid",
    "height_field",
    "hull",
    "load",
    "mesh",
    "methods",
    "plane",
    "read_problem",
    "scenes",
    "set_threads",
    "solve",
    "sphere",
    "sweep",
    "threads",
]
