"""`driftless run MODEL.fmu`: exported models give the rows of the program in both versions; an FMU of somebody else
is read and driven, and its crash, silence, error or early end is a message.
usage: test_guest.py PROGRAM SOURCE-FOLDER"""
import csv
import io
import json
import os
import subprocess
import sys
import tempfile

program, root = sys.argv[1:3]
here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
from foreign import Foreign

folder = tempfile.TemporaryDirectory()
os.environ["TMPDIR"] = os.path.join(folder.name, "tmp")
os.mkdir(os.environ["TMPDIR"])
RTOL = 1e-8


def call(*arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60)


def table(text):
    rows = list(csv.reader(io.StringIO(text)))
    times = [float(row[0]) for row in rows[1:]]
    return {n: [float(row[k]) for row in rows[1:] if times.count(float(row[0])) == 1] for k, n in enumerate(rows[0])}


def check_export(model, version, end, *options):
    path = os.path.join(folder.name, "it.fmu")
    assert call("export", model, "--fmu", version, "--rtol", str(RTOL), "--output", path).returncode == 0
    span = ["--to", str(end), "--every", str(end / 10), "--quiet", "--output", "-", *options]
    mine, own = call("run", path, *span), call("run", model, *span, "--rtol", str(RTOL / 100))
    assert mine.returncode == 0 and own.returncode == 0, mine.stderr + own.stderr
    mine, own = table(mine.stdout), table(own.stdout)
    for name in own:
        size = max(max(map(abs, own[name])), 1e-3)
        assert max(abs(a - b) for a, b in zip(mine[name], own[name])) < 10 * RTOL * size, (model, name)
        assert len(mine[name]) >= len(own[name]) > 5


def check_left():
    assert os.listdir(os.environ["TMPDIR"]) == [], "temporary files are left"


for version in "23":
    check_export(os.path.join(root, "examples", "slider-crank.lua"), version, 0.5, "--set", "m1=0.5")
    check_export(os.path.join(here, "sampled.lua"), version, 2.0)
check_left()

it = Foreign(folder.name)
foreign, pack = it.path, it.pack


laughs = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a0 "ha">%s]><fmiModelDescription fmiVersion="2.0" modelName="&a30;"/>' % "".join(
    '<!ENTITY a%d "&a%d;&a%d;">' % (k, k - 1, k - 1) for k in range(1, 31))


def fails(words, status, *arguments):
    found = call("run", foreign, *arguments)
    assert found.returncode == status and words in found.stderr, (found.returncode, found.stderr)
    check_left()


pack()
found = call("run", foreign, "--output", "-", "--set", "u & v.x=1")
rows = table(found.stdout)
assert list(rows) == ["time", "y"] and len(rows["y"]) == 9, found.stdout
y = 1.0
for k in range(9):
    assert abs(rows["y"][k] - y) < 1e-15 and rows["time"][k] == k / 8
    y += 0.125 * (1 - 2 * y)
assert "resources in file:///" in found.stderr
found = json.loads(call("run", foreign, "--json", "--set", "k=0").stdout)
assert found["status"] == "completed" and found["fmi"] == 2 and found["final"] == {"y": 1.0} and found["rows"] == 9
fails("the FMU 'foreign' crashed: Aborted", 1, "--set", "k=13")
fails("does not answer for 10 s", 1, "--set", "k=14")
fails("failed: no steps on Sundays", 1, "--set", "k=15")
fails("ended its process", 1, "--set", "k=17")
fails("has damaged its own process", 1, "--set", "k=18")
assert json.loads(call("run", foreign, "--json", "--set", "k=15").stdout)["status"] == "failed"
ended = call("run", foreign, "--output", "-", "--set", "k=16")
assert ended.returncode == 0 and "ended the simulation" in ended.stderr and table(ended.stdout)["time"][-1] == 0.5
fails("no variable 'z'", 2, "--set", "z=1")
fails("NAME=VALUE", 2, "--set", "k=two")
fails("--form: a run of an FMU", 2, "--form", "qr")
fails("writes FILE.csv", 2, "--output", "x.h5")
fails("from t = 0 to -1", 2, "--to", "-1")
pack(kind="ModelExchange")
fails("no co-simulation", 2)
pack(platform="win64")
fails("no library for this machine", 2)
pack(text="<fmiModelDescription fmiVersion=\"2.0\">")
fails("modelDescription.xml of the FMU, line", 2)
pack(text=laughs)
fails("modelDescription.xml of the FMU, line", 2)
pack()
outside = os.path.join(folder.name, "outside")
for name in ("resources/../../outside", "resources/%sx" % ("a/" * 300), "resources/..\\outside"):
    pack(more={name: b"x"})
    fails("ZIP archive is damaged", 2)
    assert not os.path.exists(outside)
pack(more={"resources/a": b"x", "resources/a/b": b"y"})
fails("cannot write", 1)
pack(more={"resources/%d" % k: bytes(1 << 26) for k in range(17)})  # 17 times 64 MiB, 1 MB in the archive
fails("more than 1 GiB together", 2)
pack(text=it.described("../foreign"))
fails("names no model", 2)
pack()
with open(foreign, "rb") as file:
    whole = file.read()
for damaged in (b"", b"PK", whole[:-30], whole[:40] + bytes(60) + whole[100:], bytes(reversed(whole))):
    with open(foreign, "wb") as file:
        file.write(damaged)
    found = call("run", foreign)
    assert found.returncode == 2 and found.stderr.startswith("driftless: "), (len(damaged), found.returncode, found.stderr)
check_left()
assert call("run", os.path.join(folder.name, "none.fmu")).returncode != 0
print("runs of FMUs: rows, messages, nothing left behind")
