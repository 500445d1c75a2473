"""Writes docs/paper: README.md and its figures, from the numbers that `paper` and the peers printed.

usage: page.py BUILD DATA FOLDER      (scripts/paper calls it)
"""
import datetime
import json
import os
import platform
import subprocess
import sys
import textwrap
import time

import circle
import geoms
import neweul
import arnold

INTRODUCTION = """# The papers, computed again

`make paper` repeats the numerical experiments of the papers that Driftless is based on and writes this page.
Published numbers come from the tables and texts of the papers. We cannot reproduce their pictures here,
so we compare our figures with what the papers say about theirs.
The text under each figure names the published figure and says what agrees, what differs, and why.

{date}, {machine}, {system}, {compiler}. Times are CPU times on a shared and busy machine, the least of a few runs;
single ones are several times too long. All other numbers are the same in every run of one build. Peers: {peers}.
The program is in [../../paper](../../paper/README.md), the peers' part in [../../bench/peers](../../bench/README.md).

| paper | here |
| --- | --- |
| Steinbrecher 2007, GEOMS | [tables 3 and 4](#geoms-tables-3-and-4), [figures 1 to 6](#geoms-figures-1-to-5-a-pendulum-over-500-periods), [figure 8](#geoms-figure-8-a-truck) |
| Steinbrecher 2002 | [figures 1 to 5](#steinbrecher-2002-figures-1-to-5-a-point-on-a-circle) |
| Arnold 2013 | [figure 2](#arnold-2013-figure-2-a-small-mass) |
| Kurz, Burkhardt, Eberhard 2011, Neweul-M² | [table 1](#neweul-m-table-1-a-slider-crank), [figure 3](#neweul-m-figure-3-drift) |
"""


def read_lines(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def machine_name():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.machine()


def system_name():
    try:
        with open("/etc/os-release", encoding="utf-8") as file:
            for line in file:
                if line.startswith("PRETTY_NAME"):
                    return line.split("=", 1)[1].strip().strip('"')
    except OSError:
        pass
    return platform.system()


def compiler_name():
    try:
        found = subprocess.run(["cc", "--version"], capture_output=True, text=True, check=True)
        return found.stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError):
        return "compiler unknown"


def peers_found(lines):
    names = {"radau5": "RADAU5", "daspk": "DASPK", "dassl": "DASSL", "ida": "IDA"}
    found = {line["solver"] for line in lines}
    have = [name for key, name in names.items() if key in found]
    lack = [name for key, name in names.items() if key not in found]
    text = ", ".join(have) or "none"
    return text + (f"; not installed here: {', '.join(lack)}; what is said about them is from a run with them" if lack else "")


def modelling_seconds(build):
    """Wall-clock time from a script to printed equations; None without the program."""
    program = os.path.join(build, "driftless")
    if not os.path.exists(program):
        return None
    begin = time.perf_counter()
    subprocess.run([program, "equations", "examples/slider-crank.lua"], check=True,
                   stdout=subprocess.DEVNULL)
    return time.perf_counter() - begin


def wrapped(text):
    """Paragraphs in lines of one width; tables, headings and figures as they are."""
    blocks = text.split("\n\n")
    return "\n\n".join(block if block.lstrip()[:1] in ("|", "#", "!", "") else
                       textwrap.fill(" ".join(block.split()), 118, break_on_hyphens=False,
                                     break_long_words=False) for block in blocks)


def main():
    build, data, folder = sys.argv[1:4]
    read = {name: read_lines(os.path.join(data, name + ".jsonl"))
            for name in ("circle", "swing", "pendulum", "truck", "oscillator", "closure",
                         "peers-pendulum", "peers-truck", "peers-oscillator")}
    parts = [INTRODUCTION.format(date=datetime.date.today().isoformat(), machine=machine_name(),
                                 system=system_name(), compiler=compiler_name(),
                                 peers=peers_found(read["peers-pendulum"]))]
    figures = {}
    parts += geoms.write(figures, read)
    parts += circle.write(figures, read["circle"])
    parts += arnold.write(figures, read["oscillator"], read["peers-oscillator"])
    parts += neweul.write(figures, read["closure"], modelling_seconds(build))
    for name, text in figures.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    with open(os.path.join(folder, "README.md"), "w", encoding="utf-8") as file:
        file.write(wrapped("\n".join(part.strip("\n") + "\n" for part in parts)) + "\n")


main()
