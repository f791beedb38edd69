"""Checks that the exports of one recording agree: NumPy's archive, tables, and ParaView's files.

Usage: export_files.py NPZ_FOLDER CSV_FOLDER VTK_FOLDER. Needs NumPy. Where VTK is installed, its own readers are used too.
"""

import base64
import csv
import pathlib
import sys
import xml.etree.ElementTree as xml
import zlib

import numpy as np

TYPES = {"Float32": "<f4", "Float64": "<f8", "Int32": "<i4", "Int64": "<i8", "UInt8": "u1"}


def decoded(array):
    """The numbers of a DataArray: sizes in base64, then zlib blocks in base64."""
    text = array.text.strip()
    blocks = int(np.frombuffer(base64.b64decode(text[:12])[:8], "<u8")[0])
    head = 4 * -(-8 * (3 + blocks) // 3)
    _, size, last, *packed = np.frombuffer(base64.b64decode(text[:head]), "<u8")
    body, at, content = base64.b64decode(text[head:]), 0, b""
    for length in packed:
        content += zlib.decompress(body[at : at + int(length)])
        at += int(length)
    expected = 0 if blocks == 0 else (blocks - 1) * int(size) + int(last or size)
    assert at == len(body) and len(content) == expected
    numbers = np.frombuffer(content, TYPES[array.get("type")])
    components = int(array.get("NumberOfComponents"))
    return numbers if components == 1 else numbers.reshape(-1, components)


def words(array):
    """The words of a string array: codes of characters, a zero after each word."""
    codes = bytes(int(code) for code in array.text.split())
    found = codes.split(b"\0")[:-1]
    assert len(found) == int(array.get("NumberOfTuples")) and array.get("type") == "String"
    return [word.decode() for word in found]


def vtp(path):
    """All arrays of a file by name, and the counts of its piece."""
    root = xml.parse(path).getroot()
    assert root.get("type") == "PolyData" and root.get("compressor") == "vtkZLibDataCompressor"
    piece = root.find("PolyData/Piece")
    arrays = {}
    for group in [root.find("PolyData/FieldData"), *piece]:
        for array in group:
            read = words if array.tag == "Array" else decoded
            arrays[f"{group.tag}/{array.get('Name')}"] = read(array)
    return arrays, {k: int(v) for k, v in piece.attrib.items()}


def collection(path):
    """Times and files of a .pvd."""
    sets = xml.parse(path).getroot().findall("Collection/DataSet")
    return [(float(s.get("timestep")), path.parent / s.get("file")) for s in sets]


def table(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    return {key: [row[key] for row in rows] for key in rows[0]} if rows else {}


def columns(rows, names):
    return np.array([[float(x) for x in rows.get(n, [])] for n in names.split()]).T.reshape(-1, len(names.split()))


def check_tables(data, folder):
    frames = table(folder / "frames.csv")
    assert np.array_equal(np.array(frames["time"], float), data["time"])
    assert np.array_equal(np.array(frames["step"], int), data["step"])
    bodies = table(folder / "bodies.csv")
    assert bodies["name"] == list(data["name"]) and bodies["shape"] == list(data["shape"])
    for key in ["radius", "height", "volume", "mass"]:
        assert np.array_equal(np.array(bodies[key], float), data[key], equal_nan=True), key
    assert np.array_equal(columns(bodies, "size_x size_y size_z"), data["size"], equal_nan=True)
    assert bodies["group"] == list(data["group"]) == list(data["group_name"][data["group_index"]])
    assert np.array_equal(np.array(bodies["number"], int), data["number"])
    # Every index is signed: -1 and differences of indices mean what they say.
    for key in ["step", "contact_offset", "contact_bodies", "material", "group_index", "number"]:
        assert data[key].dtype.kind == "i", key
    for k, index in enumerate(frames["frame"]):
        rows = table(folder / f"bodies_{int(index):06}.csv")
        assert rows["name"] == bodies["name"]
        for names, key in [
            ("x y z", "position"),
            ("qw qx qy qz", "quaternion"),
            ("vx vy vz", "velocity"),
            ("wx wy wz", "angular_velocity"),
        ]:
            assert np.array_equal(columns(rows, names).astype(data[key].dtype), data[key][k]), (key, k)
        first, last = data["contact_offset"][k : k + 2]
        file = folder / f"contacts_{int(index):06}.csv"
        if not file.exists():
            assert first == last
            continue
        rows = table(file)
        for names, key in [("first second", "bodies"), ("x y z", "point"), ("nx ny nz", "normal"), ("fx fy fz", "force"), ("tx ty tz", "torque")]:
            array = data[f"contact_{key}"][first:last]
            assert np.array_equal(columns(rows, names).astype(array.dtype), array), (key, k)


def check_paraview(data, folder):
    spheres = collection(folder / "spheres.pvd")
    assert [t for t, _ in spheres] == list(data["time"])
    for k, (time, file) in enumerate(spheres):
        arrays, counts = vtp(file)
        shown = arrays["PointData/body"]
        assert counts["NumberOfVerts"] == counts["NumberOfPoints"] == len(shown)
        assert arrays["FieldData/TimeValue"][0] == time
        assert np.array_equal(arrays["Points/Points"].reshape(-1, 3), data["position"][k][shown])
        assert np.array_equal(arrays["PointData/radius"], data["radius"][shown].astype("f4"))
        assert np.array_equal(arrays["PointData/velocity"].reshape(-1, 3), data["velocity"][k][shown])
        assert np.array_equal(arrays["PointData/size"].reshape(-1, 3), data["size"][shown].astype("f4"))
        assert arrays["FieldData/group_name"] == list(data["group_name"])
        assert np.array_equal(arrays["PointData/group"], data["group_index"][shown])
        assert np.array_equal(arrays["PointData/number"], data["number"][shown])
        assert np.array_equal(shown, [b for b in shown if data["enabled"][k][b] and data["shape"][b] == "sphere"])
    assert table(folder / "bodies.csv")["name"] == list(data["name"])
    for time, file in collection(folder / "surfaces.pvd"):
        arrays, counts = vtp(file)
        sizes = data["size"][arrays["CellData/body"]].astype("f4")
        assert np.array_equal(arrays["CellData/size"].reshape(-1, 3), sizes, equal_nan=True)
        assert counts["NumberOfPolys"] == len(arrays["CellData/body"]) == len(arrays["Polys/offsets"])
        assert arrays["Polys/connectivity"].max() < counts["NumberOfPoints"]
    for time, file in collection(folder / "contacts.pvd"):
        arrays, _ = vtp(file)
        k = list(data["time"]).index(time)
        first, last = data["contact_offset"][k : k + 2]
        assert np.array_equal(arrays["PointData/force"].reshape(-1, 3), data["contact_force"][first:last])
        assert np.array_equal(arrays["PointData/gap"], data["contact_gap"][first:last])


def check_with_vtk(folder):
    try:
        from vtkmodules.util.numpy_support import vtk_to_numpy
        from vtkmodules.vtkIOXML import vtkXMLPolyDataReader
    except ImportError:
        return 0
    count = 0
    for series in ["spheres", "surfaces", "contacts"]:
        for _, file in collection(folder / f"{series}.pvd"):
            reader = vtkXMLPolyDataReader()
            reader.SetFileName(str(file))
            reader.Update()
            data = reader.GetOutput()
            arrays, counts = vtp(file)
            assert reader.GetErrorCode() == 0
            assert data.GetNumberOfPoints() == counts["NumberOfPoints"]
            assert data.GetNumberOfCells() == counts["NumberOfVerts"] + counts["NumberOfPolys"]
            for kind, found in [("PointData", data.GetPointData()), ("CellData", data.GetCellData())]:
                for k in range(found.GetNumberOfArrays()):
                    array = found.GetArray(k)
                    expected = arrays[f"{kind}/{array.GetName()}"]
                    assert np.array_equal(vtk_to_numpy(array), expected, equal_nan=True)
            if series != "contacts":
                names = data.GetFieldData().GetAbstractArray("group_name")
                found = [names.GetValue(k) for k in range(names.GetNumberOfValues())]
                assert found == arrays["FieldData/group_name"]
            count += 1
    return count


def main():
    npz, tables, paraview = map(pathlib.Path, sys.argv[1:])
    data = np.load(npz / "recording.npz")
    bodies, frames = len(data["name"]), len(data["time"])
    assert data["position"].shape == (frames, bodies, 3)
    assert data["quaternion"].shape == (frames, bodies, 4)
    assert np.allclose(np.linalg.norm(data["quaternion"], axis=2), 1, atol=1e-6)
    assert data["enabled"].dtype == bool
    data = {key: data[key] for key in data.files}
    check_tables(data, tables)
    check_paraview(data, paraview)
    print(f"agree: {frames} frames of {bodies} bodies; VTK read {check_with_vtk(paraview)} files")


main()
