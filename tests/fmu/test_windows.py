"""Exported models with a library for Windows (--windows, by mingw-w64): wine runs it, and it gives the rows of the
program. It shows the functions of the standard and needs libraries of Windows alone.
usage: test_windows.py PROGRAM SOURCE-FOLDER"""
import csv
import io
import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
import zipfile

program, root = sys.argv[1:3]
here = os.path.dirname(os.path.abspath(__file__))
COMPILER = "x86_64-w64-mingw32-gcc"
WINE = shutil.which("wine64") or shutil.which("wine") or "/usr/lib/wine/wine64"
if not shutil.which(COMPILER) or not os.path.exists(WINE):
    print("skipped: mingw-w64 or wine is not installed")
    sys.exit(77)

folder = tempfile.TemporaryDirectory()
surroundings = {**os.environ, "WINEPREFIX": os.path.join(folder.name, "wine"), "WINEDEBUG": "-all"}
RTOL = 1e-8
FUNCTIONS = {2: 44, 3: 75}  # of the standard


def export(model, version):
    """The library, and the description."""
    path = os.path.join(folder.name, "it.fmu")
    subprocess.run([program, "export", model, "--quiet", "--windows", "--fmu", str(version), "--kind", "both", "--rtol",
                    str(RTOL), "--output", path], check=True)
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        place = "binaries/" + ("win64/" if version == 2 else "x86_64-windows/")
        inside, = [n for n in names if n.startswith(place)]
        assert any(n.endswith(".so") for n in names), names
        archive.extractall(folder.name)
        root = xml.etree.ElementTree.fromstring(archive.read("modelDescription.xml"))
    assert inside == place + root.find("CoSimulation").get("modelIdentifier") + ".dll", names
    return os.path.join(folder.name, inside), root


def check_library(path, version):
    text = subprocess.run(["x86_64-w64-mingw32-objdump", "-p", path], check=True, capture_output=True, text=True).stdout
    shown = [line.split()[-1] for line in text.split("[Ordinal/Name Pointer] Table")[1].split("\n\n")[0].split("\n")[1:]]
    assert len(shown) == FUNCTIONS[version] and all(n.startswith("fmi%d" % version) for n in shown), shown
    needed = {line.split()[-1].lower() for line in text.split("\n") if "DLL Name:" in line}
    assert needed <= {"kernel32.dll", "msvcrt.dll"} or all(n.startswith("api-ms-win-crt") or n == "kernel32.dll"
                                                         for n in needed), needed


def rows(model, end, steps):
    """Names, and rows of the program; an instant at which something jumps has two rows."""
    text = subprocess.run([program, "run", model, "--quiet", "--to", str(end), "--every", repr(end / steps), "--rtol",
                           str(RTOL / 100), "--output", "-"], check=True, capture_output=True, text=True).stdout
    lines = list(csv.reader(io.StringIO(text)))
    numbers = [[float(x) for x in line] for line in lines[1:]]
    times = [line[0] for line in numbers]
    return lines[0], [line for line in numbers if times.count(line[0]) == 1]


def check(driver, model, version, end, steps=8):
    library, description = export(model, version)
    check_library(library, version)
    columns, expected = rows(model, end, steps)
    variables = {v.get("name").replace("'", ""): v.get("valueReference") for v in description.find("ModelVariables")}
    names = [n for n in columns if n in variables and n != "time"]
    token = description.get("guid") or description.get("instantiationToken")
    done = subprocess.run([WINE, driver, library, token, str(version), repr(end), str(steps)]
                          + [variables[n] for n in names], env=surroundings, capture_output=True, text=True)
    assert done.returncode == 0, (done.returncode, done.stderr)
    found = [[float(x) for x in line.split(",")] for line in done.stdout.split()]
    assert len(found) == len(expected) == steps + 1 and len(names) > 3
    worst = 0.0
    for k, name in enumerate(names, 1):
        at = columns.index(name)
        size = max(max(abs(row[at]) for row in expected), 1e-3)
        worst = max([worst] + [abs(a[at] - b[k]) / size for a, b in zip(expected, found)])
    print("%-20s FMI %d on Windows %8.1e" % (os.path.basename(model), version, worst), flush=True)
    assert worst < 10 * RTOL, worst


driver = os.path.join(folder.name, "drive.exe")
subprocess.run([COMPILER, "-O1", "-Wall", "-Wextra", os.path.join(here, "drive_windows.c"), "-o", driver], check=True)
example = lambda name: os.path.join(root, "examples", name + ".lua")
for version in (2, 3):
    check(driver, example("slider-crank"), version, 1.0)
check(driver, example("ball"), 2, 2.0)
check(driver, example("maxwell"), 3, 1.0)
check(driver, os.path.join(here, "sampled.lua"), 2, 2.0)
