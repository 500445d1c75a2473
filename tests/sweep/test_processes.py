"""Studies of several processes, and of several studies at once; statistics of every method.
usage: test_processes.py PROGRAM [PART]; PART below 1: fewer cases, of a slower program"""
import csv
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

program = os.path.abspath(sys.argv[1])
part = float(sys.argv[2]) if len(sys.argv) > 2 else 1.0
os.chdir(tempfile.mkdtemp())
os.environ["OPENBLAS_NUM_THREADS"] = "1"


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def has_mpi():
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", ASAN_OPTIONS="detect_leaks=0")  # MPI itself keeps memory
    found = shutil.which("mpirun") and os.path.exists(os.path.join(os.path.dirname(program), "driftless_mpi.so"))
    if not found:
        print("no MPI: skipped")
    return found


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


# x = cos(w t)
write("harmonic.lua", """
local w = param("w", 1)
local x = position("x")
mass(x, 1) force(x, -w^2*x)
output("X", x)
initial{ x = 1, [velocity(x)] = 0 }
simulate{ to = 10 }
""")


def statistics_have_the_tolerance_of_the_run():
    for method in ("radau", "bdf", "half-explicit", "explicit-pair", "extrapolation"):
        for w in (1, 2.5):
            subprocess.run([program, "sweep", "harmonic.lua", "--over", f"w={w}", "--method", method, "--rtol", "1e-9", "--output", "h.h5", "--replace",
                            "--csv", "h.csv", "--quiet"], check=True, timeout=60)
            found = {name: float(value) for name, value in table("h.csv")[0].items() if name.startswith("X.")}
            exact = {"X.final": math.cos(10*w), "X.min": -1, "X.max": 1, "X.mean": math.sin(10*w)/(10*w),
                     "X.rms": math.sqrt(0.5 + math.sin(20*w)/(40*w))}
            for name in exact:
                assert abs(found[name] - exact[name]) < 1e-6*(0.02 if method == "extrapolation" else 1), (method, w, name, found[name], exact[name])


# Without --replace one study wins; the others change nothing, and say why.
def studies_at_once_do_not_lose_each_other():
    command = [program, "sweep", "harmonic.lua", "--sample", "w=uniform(1,2)", "--count", "20", "--threads", "1", "--output", "same.h5"]
    for turn in range(8):
        if os.path.exists("same.h5") and turn % 2 == 0:
            os.remove("same.h5")
        more = [] if turn % 2 == 0 else ["--replace"]
        children = [subprocess.Popen([*command, "--seed", str(seed), "--csv", f"{seed}.csv", *more], stderr=subprocess.PIPE, text=True) for seed in range(1, 6)]
        messages = [child.communicate(timeout=60)[1] for child in children]
        well = [seed for seed in range(1, 6) if children[seed - 1].returncode == 0]
        assert len(well) == 1 if turn % 2 == 0 else well, messages
        for child, message in zip(children, messages):
            assert child.returncode == 0 or (child.returncode == 2 and ("being written" in message or "is a study with" in message)), message
        subprocess.run([program, "sweep", "harmonic.lua", "--resume", "same.h5", "--csv", "same.csv", "--quiet"], check=True, timeout=60)
        assert any(table("same.csv") == table(f"{seed}.csv") for seed in well)
        assert all(row["status"] == "completed" for row in table("same.csv"))
        assert not os.path.exists("same.h5.part") and not os.path.exists("same.h5.tables")


# Two models under one name: what the second one finds must not come into the file.
def all_processes_have_one_model():
    if not has_mpi():
        return
    for folder, frequency in (("one", "w"), ("two", "(2*w)")):
        os.mkdir(folder)
        with open("harmonic.lua") as file:
            write(f"{folder}/harmonic.lua", file.read().replace("-w^2", f"-{frequency}^2"))
    arguments = [program, "sweep", "harmonic.lua", "--sample", "w=uniform(1,2)", "--count", "200", "--threads", "1", "--output", "y.h5", "--csv", "y.csv",
                 "--replace", "--quiet"]
    def shared(second, *more):
        command = ["mpirun", "--oversubscribe", "-n", "1", "--wdir", os.path.abspath("one"), *arguments, ":",
                   "-n", "1", "--wdir", os.path.abspath(second), *arguments, *more]
        return subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert shared("one").returncode == 0
    for second, more, text in (("two", (), "another model"), ("one", ("--rtol", "1e-3"), "other settings")):
        done = shared(second, *more)
        assert done.returncode == 2 and "process 1" in done.stderr and text in done.stderr, done


# Two processes that send to each other what does not fit into MPI's buffers: with MPI_Send, half of these studies waited for ever.
def short_cases_do_not_block_each_other():
    if not has_mpi():
        return
    write("short.lua", "param('a', 1) local x = position('x') mass(x, 1) for i = 1, 40 do output('f'..i, x) end simulate{ to = 0.001 }")
    arguments = [program, "sweep", "short.lua", "--over", f"a=1:2:{int(3000*part)}", "--threads", "1", "--quiet", "--replace"]
    subprocess.run([*arguments, "--output", "short1.h5"], check=True, timeout=100)
    for _ in range(4):
        subprocess.run(["mpirun", "--oversubscribe", "--mca", "btl_vader_eager_limit", "256", "-n", "3", *arguments, "--output", "short3.h5"],
                       check=True, timeout=100)
        with open("short1.h5", "rb") as one, open("short3.h5", "rb") as other:
            assert one.read() == other.read()


# A process that is interrupted gives its cases back, and the others do them.
def an_interrupted_process_loses_nothing():
    if not has_mpi():
        return
    arguments = ["sweep", "harmonic.lua", "--sample", "w=uniform(1,2)", "--count", str(int(240*part)), "--threads", "1", "--to", "1000", "--rtol", "1e-9", "--quiet", "--replace"]
    subprocess.run([program, *arguments, "--output", "alone.h5"], check=True, timeout=120)
    for number, rank in ((signal.SIGTERM, 1), (signal.SIGINT, 1), (signal.SIGTERM, 0)):
        for path in ("0.pid", "1.pid", "shared.h5"):
            if os.path.exists(path):
                os.remove(path)
        child = subprocess.Popen(["mpirun", "--oversubscribe", "-n", "2", "bash", "-c", 'echo $$ > $OMPI_COMM_WORLD_RANK.pid; exec "$@"', "bash", program,
                                  *arguments, "--output", "shared.h5"], stderr=subprocess.PIPE, text=True)
        while not os.path.exists("shared.h5") and child.poll() is None:
            time.sleep(0.01)
        time.sleep(0.2)
        assert child.poll() is None, "the study is too short"
        with open(f"{rank}.pid") as file:
            os.kill(int(file.read()), number)
        message = child.communicate(timeout=100)[1]
        if rank == 1:
            assert child.returncode == 0 and "process 1 was interrupted" in message, message
        else:
            assert child.returncode == 143 and "--resume shared.h5" in message, message
            subprocess.run([program, "sweep", "harmonic.lua", "--resume", "shared.h5", "--quiet"], check=True, timeout=120)
        with open("alone.h5", "rb") as one, open("shared.h5", "rb") as other:
            assert one.read() == other.read()


def another_version_reads_a_study_but_adds_nothing():
    import h5py
    for count, expected in (("all", 0), ("some", 2)):
        subprocess.run([program, "sweep", "harmonic.lua", "--over", "w=1,2", "--output", "older.h5", "--replace", "--quiet"], check=True, timeout=60)
        with h5py.File("older.h5", "r+") as file:
            version = file["meta/version"]
            version[()] = version[()][:-1] + b"x"
            if count == "some":
                file["cases"][1] = 0
        done = subprocess.run([program, "sweep", "harmonic.lua", "--resume", "older.h5", "--quiet"], capture_output=True, text=True, timeout=60)
        assert done.returncode == expected and (expected == 0 or "was begun with Driftless" in done.stderr), done


for check in [f for f in list(globals().values()) if callable(f) and getattr(f, "__module__", "") == "__main__"
              and f.__name__ not in ("write", "table", "has_mpi")]:
    check()
    print("ok", check.__name__.replace("_", " "))
