"""Studies whose processes are killed at random moments, again and again, until they are complete.
usage: kill_studies.py PROGRAM SOURCE-FOLDER [MOMENTS]

In turn everything, a worker, or the process with the file dies (kill -9). After each death the file must open, with no
fewer cases than before; the next attempt goes on with --resume. In the end the contents are those of a study that nobody disturbed."""
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import h5py

program, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
moments = int(sys.argv[3]) if len(sys.argv) > 3 else 20
model = os.path.join(source, "examples", "pendulum.lua")
design = ["--sample", "m=uniform(1,2)", "--sample", "g=normal(9.81,0.1)", "--count", "400", "--to", "4"]
os.chdir(tempfile.mkdtemp())
os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
os.environ["ASAN_OPTIONS"] = "detect_leaks=0"  # MPI itself keeps memory
shared = bool(shutil.which("mpirun")) and os.path.exists(os.path.join(os.path.dirname(program), "driftless_mpi.so"))
victims = ["everything", "worker", "rank 0"] if shared else ["everything"]


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def command(path, ranks):
    what = ["--resume", path] if os.path.exists(path) else [*design, "--output", path]
    many = ["mpirun", "--oversubscribe", "-n", str(ranks)] if ranks > 1 else []
    return [*many, program, "sweep", model, *what, "--quiet", "--threads", "1"]


def is_ours(pid, path):
    try:
        return os.readlink(f"/proc/{pid}/exe") == program and path.encode() in contents(f"/proc/{pid}/cmdline")
    except OSError:
        return False


def rank_of(pid):
    try:
        for word in contents(f"/proc/{pid}/environ").split(b"\0"):
            if word.startswith(b"OMPI_COMM_WORLD_RANK="):
                return int(word.split(b"=")[1])
    except OSError:
        pass
    return 0


def kill(victim, path, process):
    """Kills the victim; whether there was one."""
    pids = [int(name) for name in os.listdir("/proc") if name.isdigit() and is_ours(int(name), path)]
    if victim != "everything":
        pids = [pid for pid in pids if (rank_of(pid) == 0) == (victim == "rank 0")][:1]
    elif process.args[0] == "mpirun":
        pids.append(process.pid)
    alive = process.poll() is None
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    return alive and bool(pids)


def cases_there(path):
    if not os.path.exists(path):
        return 0
    with h5py.File(path, "r") as file:
        return int((file["cases"][:] != 0).sum())


subprocess.run(command("whole.h5", 1), check=True)
begun = time.monotonic()
subprocess.run([*command("timed.h5", 1)], check=True)
length = time.monotonic() - begun
random.seed(7)
deaths, study, before = 0, 0, 0
while deaths < moments:
    path = f"study{study}.h5"
    victim = victims[deaths % len(victims)]
    ranks = 1 if victim == "everything" and deaths % 2 == 0 else random.choice([2, 3]) if shared else 1
    process = subprocess.Popen(command(path, ranks), stderr=subprocess.DEVNULL)
    time.sleep(random.uniform(0, length * (0.4 if ranks == 1 else 0.8)))
    died = kill(victim, path, process)
    process.wait(timeout=120)
    while any(is_ours(int(name), path) for name in os.listdir("/proc") if name.isdigit()):
        time.sleep(0.02)  # the others of a job whose process has died
    now = cases_there(path)
    assert now >= before, (path, victim, before, now)
    deaths += died
    before = now
    print(f"{deaths:3d}: {victim} of {ranks}: {now} of 400 cases", flush=True)
    if now == 400:
        subprocess.run(command(path, 1), check=True)
        assert contents(path) == contents("whole.h5"), path
        study, before = study + 1, 0
if before:
    subprocess.run(command(path, 1), check=True)
    assert contents(path) == contents("whole.h5"), path
print(f"{deaths} deaths, {study + bool(before)} studies with the contents of one without")
