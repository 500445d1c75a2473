"""Studies, their interruption and searches of optimize on several threads, for a program that was built with the thread sanitizer.
usage: thread_races.py PROGRAM SOURCE-FOLDER"""
import os
import signal
import subprocess
import sys
import tempfile
import time

program, source = (os.path.abspath(argument) for argument in sys.argv[1:3])
folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)
os.environ |= {"OPENBLAS_NUM_THREADS": "1", "TSAN_OPTIONS": "halt_on_error=1:exitcode=66"}
example = lambda name: os.path.join(source, "examples", name)
with open("spring.lua", "w") as file:
    file.write("""
local n, k, d = setting("n", 1), param("k", 4), param("d", 0.1)
local x = position("x")
kinetic(velocity(x)^2/2)
potential(k/2*x^2)
force(x, -d*velocity(x))
output("place", x) output("root", sqrt(x + 2 - n))
event("through", x, { direction = "falling" })
if n == 3 then error("no such machine") end
initial{ x = 1, [velocity(x)] = 0 }
optimize{ vary = { k = {1, 9}, d = {0, 1} }, fit = { file = "measured.csv", x = "x" } }
simulate{ to = 3 }
""")
with open("measured.csv", "w") as file:
    file.write("t,x\n0.5,0.51\n1,-0.37\n1.5,-0.83\n2,-0.58\n2.5,0.24\n3,0.79\n")


def run(*arguments, expect=0):
    done = subprocess.run([program, *arguments, "--quiet"], capture_output=True, text=True, timeout=300)
    assert done.returncode == expect, (arguments, done.returncode, done.stdout[-500:], done.stderr[-3000:])


def study(name, *arguments, expect=0):
    run("sweep", *arguments, "--threads", "4", "--output", name + ".h5", expect=expect)
    print("ok", name)


study("values", "spring.lua", "--sample", "k=uniform(1,9)", "--count", "60", "--every", "0.5", "--csv", "values.csv")
study("structure", "spring.lua", "--over", "n=1,2,3", "--over", "k=1:4:6", "--case-seconds", "5", "--case-memory", "100")
study("indices", "spring.lua", "--sample", "k=uniform(1,9)", "--sample", "d=uniform(0,1)", "--count", "16", "--design", "saltelli", "--json",
      "--bootstrap", "50")
study("drawn", example("slider-crank-bodies.lua"), "--over", "g=9:10:8", "--to", "0.1")
begun = subprocess.Popen([program, "sweep", "spring.lua", "--sample", "k=uniform(1,9)", "--count", "5000", "--threads", "4", "--output", "cut.h5", "--quiet"],
                         stderr=subprocess.PIPE, text=True)
time.sleep(3)
begun.send_signal(signal.SIGINT)
told = begun.communicate(timeout=120)[1]
assert begun.returncode == 130, (begun.returncode, told[-3000:])
print("ok interrupted")
run("optimize", "spring.lua", "--starts", "6", "--threads", "4")
run("optimize", "spring.lua", "--bootstrap", "20", "--threads", "4", "--json")
print("ok searches")
