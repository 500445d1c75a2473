#!/usr/bin/env python3
"""Processor time of a communication step of exported FMUs (co-simulation, FMI 2.0) beside the program: steps alone beside
steps of the same length in the program, and steps after which all outputs and unknowns are read beside its rows, which also
have residuals and energy. Each communication step is one of the solver. The least of several runs of each in turn; of
the program the difference of a long and a short run, without its start. fmu_steps.c calls the FMU.
usage: fmu_steps.py PROGRAM EXAMPLES-FOLDER"""
import os
import subprocess
import sys
import tempfile

program, examples = sys.argv[1:3]
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "fmu"))
import fmu2

MODELS = ["slider-crank", "four-bar", "rolling-disk", "maxwell", "backlash"]
STEP, STEPS, TURNS = 1e-3, 20000, 3


def processor_time(arguments):
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0, arguments
    return used.ru_utime + used.ru_stime


def time_program(model, rows):
    def run(count):
        end = repr(STEP * count)
        often = ["--every", repr(STEP)] if rows else ["--every", end, "--max-step", repr(STEP)]
        return processor_time([program, "run", model, "--quiet", "--json", "--to", end, *often])
    return (run(STEPS) - run(10)) * STEPS / (STEPS - 10)


def time_fmu(archive, driver, read):
    names = [v.get("name") for v in archive.variables if v.get("causality") in ("output", "local")] if read else []
    text = subprocess.run([driver, archive.library_path, archive.root.get("guid"), str(STEPS), repr(STEP)]
                          + [str(archive.reference[n]) for n in names], check=True, capture_output=True, text=True).stdout
    return float(text)


print("| model | step: program, us | FMU | ratio | row: program, us | FMU | ratio |\n| --- | --- | --- | --- | --- | --- | --- |")
with tempfile.TemporaryDirectory() as folder:
    driver = os.path.join(folder, "fmu_steps")
    subprocess.run([os.environ.get("CC", "cc"), "-O2", os.path.join(os.path.dirname(os.path.abspath(__file__)), "fmu_steps.c"),
                    "-ldl", "-lm", "-o", driver], check=True)
    for name in MODELS:
        model, path = os.path.join(examples, name + ".lua"), os.path.join(folder, name + ".fmu")
        subprocess.run([program, "export", model, "--quiet", "--fmu", "2", "--output", path], check=True)
        archive, found = fmu2.Archive(path), [[], [], [], []]
        for _ in range(TURNS):
            for k, rows in enumerate((False, True)):
                found[2 * k].append(time_program(model, rows))
                found[2 * k + 1].append(time_fmu(archive, driver, rows))
        a, b, c, d = [min(times) / STEPS * 1e6 for times in found]
        print("| %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f |" % (name, a, b, b / a, c, d, d / c))
