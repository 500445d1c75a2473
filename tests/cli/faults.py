"""Files, signals and strange texts: what a run leaves behind when something goes wrong.

usage: faults.py PROGRAM
"""
import os
import pathlib
import pty
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import h5py

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = sys.argv[1]
# the address sanitizer itself needs terabytes of address space
SANITIZED = b"__asan_init" in pathlib.Path(PROGRAM).read_bytes()
SIGNALS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}


def as_usual():
    """A child of a test does not inherit ignored signals."""
    for one in SIGNALS:
        signal.signal(one, signal.SIG_DFL)


def small_files():
    as_usual()
    resource.setrlimit(resource.RLIMIT_FSIZE, (20480, 20480))


class Faults(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        for script in HERE.glob("*.lua"):
            shutil.copy(script, self.folder)
        self.before = self.names()

    def names(self):
        return sorted(os.listdir(self.folder))

    def new_names(self):
        return [name for name in self.names() if name not in self.before]

    def start(self, *words, prepare=as_usual, **environment):
        environment = dict(os.environ, XDG_CACHE_HOME=str(self.folder / "caches"), **environment)
        return subprocess.Popen([PROGRAM, *words], cwd=self.folder, env=environment, text=True, preexec_fn=prepare,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run_program(self, *words, **more):
        child = self.start(*words, **more)
        out, err = child.communicate(timeout=100)
        return child.returncode, out, err

    def write(self, name, text):
        (self.folder / name).write_text(text)
        self.before = self.names()

    def wait_until_it_listens(self, child, one):
        """Until the program has its own handler of a signal: a loaded machine may take a while to start it."""
        def listens():
            with open(f"/proc/{child.pid}/status") as file:
                caught = next(line for line in file if line.startswith("SigCgt:"))
            return int(caught.split()[1], 16) >> (one - 1) & 1
        self.wait_for(listens, child)

    def wait_for(self, condition, child):
        for _ in range(1000):
            if condition():
                return
            self.assertIsNone(child.poll(), "it has ended early")
            time.sleep(0.02)
        self.fail("nothing happens")

    def read(self, name):
        return (self.folder / name).read_bytes()

    def status(self, name):
        with h5py.File(self.folder / name) as file:
            return file["meta/status"][()].decode()

    # ------------------------------------------------------------------------------- files

    def test_a_second_run_to_the_same_file_is_refused_and_harmless(self):
        for older in (False, True):
            for ending in ("h5", "csv"):
                name = f"twice{older}.{ending}"
                if older:
                    self.assertEqual(self.run_program("run", "swing.lua", "--quiet", "--output", name)[0], 0)
                written = name + ".part" if older else name
                first = self.start("run", "endless.lua", "--to", "1e9", "--quiet", "--output", name)
                self.wait_for(lambda: (self.folder / written).exists() and len(self.read(written)) > 0, first)
                status, _, said = self.run_program("run", "swing.lua", "--output", name)
                self.assertEqual(status, 2)
                self.assertIn("is being written already", said)
                first.send_signal(signal.SIGINT)
                first.communicate(timeout=50)
                self.assertEqual(first.returncode, 130)
                if ending == "h5":
                    self.assertEqual(self.status(name), "interrupted")
                self.assertFalse((self.folder / (name + ".part")).exists())

    def test_one_file_under_two_names_is_refused(self):
        status, _, said = self.run_program("run", "swing.lua", "--output", "a.csv", "--output", "./a.csv")
        self.assertEqual((status, self.new_names()), (2, []))
        self.assertIn("under another name", said)

    def test_a_failing_run_leaves_older_results_alone(self):
        files = ["a.h5", "a.csv", "a.html", "a.svg"]
        words = ["--output", "a.h5", "--output", "a.csv", "--report", "a.html", "--plot", "a.svg"]
        self.assertEqual(self.run_program("run", "swing.lua", *words)[0], 0)
        older = {name: self.read(name) for name in files}

        def unchanged():
            self.assertEqual({name: self.read(name) for name in files}, older)

        status, _, said = self.run_program("run", "swing.lua", "--evaluation", "native", *words, CC="false")
        self.assertEqual((status, self.new_names()), (2, sorted(files + ["caches"])))
        unchanged()
        status, _, said = self.run_program("run", "off.lua", *words)
        self.assertEqual((status, self.new_names()), (1, sorted(files + ["caches"])))
        unchanged()
        status, _, said = self.run_program("run", "endless.lua", "--to", "1e5", *words, prepare=small_files)
        self.assertEqual((status, self.new_names()), (1, sorted(files + ["caches"])))
        self.assertIn("File too large", said)
        unchanged()
        status, _, said = self.run_program("run", "swing.lua", "--max-steps", "5", *words)
        self.assertEqual(status, 1)
        self.assertIn("what this run has computed is in 'a.failed.h5'", said)
        self.assertEqual(self.status("a.failed.h5"), "failed")
        self.assertGreater(len(self.read("a.failed.csv").splitlines()), 1)
        unchanged()
        status, _, said = self.run_program("run", "swing.lua", "--output", "a.csv", "--output", "nowhere/a.csv")
        self.assertEqual(status, 2)
        unchanged()
        for name in files + [name.replace("a.", "a.failed.") for name in files]:
            (self.folder / name).unlink()
        status, _, said = self.run_program("run", "swing.lua", "--output", "a.csv", "--output", "nowhere/a.csv")
        self.assertEqual((status, self.new_names()), (2, ["caches"]))

    def test_texts_are_written_whole_or_not_at_all(self):
        self.assertEqual(self.run_program("run", "swing.lua", "--quiet", "--output", "s.h5")[0], 0)
        commands = [("equations", "swing.lua", "--output", "out"), ("export", "swing.lua", "--c", "--output", "out"),
                    ("view", "s.h5", "--output", "out.html"), ("view", "s.h5", "--output", "out.svg")]
        limit = lambda: (as_usual(), resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512)))
        for words in commands:
            name = words[-1]
            (self.folder / name).write_text("older")
            status, _, said = self.run_program(*words, prepare=limit)
            self.assertEqual((status, self.read(name)), (1, b"older"), said)
            self.assertIn("File too large", said)
            self.assertEqual(self.run_program(*words)[0], 0)
            self.assertNotEqual(self.read(name), b"older")
            self.assertFalse((self.folder / (name + ".part")).exists())

    def test_links_devices_and_modes_stay_what_they_are(self):
        (self.folder / "real.csv").write_text("older")
        (self.folder / "real.csv").chmod(0o640)
        (self.folder / "link.csv").symlink_to("real.csv")
        self.assertEqual(self.run_program("run", "swing.lua", "--quiet", "--output", "link.csv")[0], 0)
        self.assertTrue((self.folder / "link.csv").is_symlink())
        self.assertIn(b"time,x", self.read("real.csv"))
        self.assertEqual((self.folder / "real.csv").stat().st_mode & 0o777, 0o640)
        (self.folder / "null.csv").symlink_to("/dev/null")
        self.assertEqual(self.run_program("run", "swing.lua", "--quiet", "--output", "null.csv")[0], 0)
        (self.folder / "full.csv").symlink_to("/dev/full")
        status, _, said = self.run_program("run", "swing.lua", "--output", "full.csv")
        self.assertEqual(status, 1)
        self.assertIn("No space left", said)

    def test_a_csv_has_whole_lines_after_a_kill_and_on_a_full_disk(self):
        child = self.start("run", "endless.lua", "--to", "1e9", "--quiet", "--output", "k.csv")
        self.wait_for(lambda: (self.folder / "k.csv").exists() and self.read("k.csv").count(b"\n") > 1000, child)
        child.kill()
        child.communicate()
        status = self.run_program("run", "endless.lua", "--to", "1e5", "--output", "f.csv", prepare=small_files)[0]
        self.assertEqual(status, 1)
        for name in ("k.csv", "f.csv"):
            lines = self.read(name).decode().split("\n")
            columns = lines[0].count(",")
            self.assertGreater(len(lines), 50)
            self.assertTrue(all(line.count(",") == columns for line in lines[:-1]))
        self.assertEqual(lines[-1], "")

    def test_a_cut_line_of_a_killed_run_is_not_used(self):
        whole = "time,x,der(x)\n0,0,1\n1,0.5,2\n2,0.75,3.25\n"
        self.write("reader.lua", '''local x = position("x")
            kinetic(velocity(x)^2 / 2)
            local f = signal("killed.csv", "der(x)", { outside = "hold" })
            output("f", f(time))
            simulate{ from = 1.5, to = 2 }''')
        found = []
        for text in (whole, whole + "3,0.9,-1.23", whole + "3,0.", whole + "3"):
            self.write("killed.csv", text)
            status, out, said = self.run_program("run", "reader.lua")
            self.assertEqual(status, 0, said)
            found.append(out.splitlines()[-1].split(",")[-1])
            self.assertEqual("the last line is cut off" in said, text != whole, said)
        self.assertEqual(set(found), {"3.25"})

    # ------------------------------------------------------------------------------- signals

    def test_a_run_under_way_closes_its_results(self):
        for one, wanted in SIGNALS.items():
            name = f"i{wanted}"
            child = self.start("run", "endless.lua", "--to", "1e9", "--json", "--output", name + ".h5", "--output", name + ".csv")
            self.wait_for(lambda: (self.folder / (name + ".csv")).exists() and self.read(name + ".csv").count(b"\n") > 100, child)
            seen = [self.run_program("view", name + ".h5", "--output", name + ".svg")[0] for _ in range(3)]
            self.assertIn(0, seen)  # but in the milliseconds of a flush
            child.send_signal(one)
            out, said = child.communicate(timeout=50)
            self.assertEqual(child.returncode, wanted)
            self.assertIn("interrupted at t = ", said)
            self.assertIn('"status": "interrupted"', out)
            self.assertEqual(self.status(name + ".h5"), "interrupted")
            self.assertTrue(self.read(name + ".csv").endswith(b"\n"))

    def test_a_reader_that_does_not_read_does_not_hold_a_run(self):
        for one, wanted in SIGNALS.items():
            child = self.start("run", "endless.lua", "--to", "1e9", "--quiet")
            self.wait_until_it_listens(child, one)
            time.sleep(1)
            child.send_signal(one)
            self.assertEqual(child.wait(timeout=50), wanted)
            child.communicate()

    def test_every_other_stage_ends_at_once(self):
        self.write("loading.lua", "while true do end")
        self.write("deriving.lua", """local p, x, y, t = {}, 0, 0, 0
            for i = 1, 600 do
                p[i] = position("q" .. i)
                x = x + sin(p[i]) * (1 + x * x)
                y = y + cos(p[i]) * (1 + x * y)
                t = t + velocity(p[i])^2 * (1 + x^2 + y^2)
            end
            kinetic(t)
            simulate{ to = 1 }""")
        commands = [("run", "loading.lua"), ("check", "loading.lua"), ("run", "deriving.lua", "--output", "d.h5")]
        for words in commands:
            for one, wanted in SIGNALS.items():
                child = self.start(*words)
                self.wait_until_it_listens(child, one)
                time.sleep(0.5)
                child.send_signal(one)
                child.communicate(timeout=20)
                self.assertEqual(child.returncode, wanted, words)
        self.assertEqual([name for name in self.new_names() if name != "caches"], [])

    def test_files_that_wait_and_comparisons_end_too(self):
        self.assertEqual(self.run_program("run", "swing.lua", "--quiet", "--output", "s.h5")[0], 0)
        for name in ("pipe.csv", "pipe.html", "pipe.svg", "pipe.c"):
            os.mkfifo(self.folder / name)
        commands = [("run", "swing.lua", "--output", "other.csv", "--output", "pipe.csv"),
                    ("run", "swing.lua", "--report", "pipe.html"), ("view", "s.h5", "--output", "pipe.svg"),
                    ("export", "swing.lua", "--c", "--output", "pipe.c"),
                    ("compare", "endless.lua", "--to", "1e6", "--tol", "1e-10")]
        for words in commands:
            for one, wanted in SIGNALS.items():
                child = self.start(*words)
                self.wait_until_it_listens(child, one)
                time.sleep(0.7)
                child.send_signal(one)
                child.communicate(timeout=50)
                self.assertEqual(child.returncode, wanted, words)
        self.assertFalse((self.folder / "other.csv").exists())

    def test_a_search_ends_inside_its_runs(self):
        self.write("search.lua", """local m = param("m", 1)
            local x, y = position("x", "y")
            kinetic(m * (velocity(x)^2 + velocity(y)^2) / 2)
            potential(9.81*y)
            constraint("rod", x^2 + y^2 - 1)
            initial{ x = 1, y = 0 }
            simulate{ to = 1e9 }
            optimize{ vary = { m = {0.5, 2} }, minimize = final(y) }""")
        for words in ((), ("--starts", "3"), ("--output", "best.csv", "--output", "best.html", "--output", "best.lua")):
            for one, wanted in SIGNALS.items():
                child = self.start("optimize", "search.lua", "--json", "--quiet", *words)
                self.wait_until_it_listens(child, one)
                time.sleep(0.3)
                child.send_signal(one)
                out, said = child.communicate(timeout=50)
                self.assertEqual(child.returncode, wanted, said)
                self.assertIn('"status": "interrupted"', out)
        self.assertEqual([name for name in self.new_names() if name != "caches"], ["best.lua"])
        child = self.start("gradient", "search.lua", "--of", "y", "--derivatives", "adjoint")
        self.wait_until_it_listens(child, signal.SIGINT)
        child.send_signal(signal.SIGINT)
        said = child.communicate(timeout=50)[1]
        self.assertEqual((child.returncode, said), (130, "driftless: interrupted\n"))

    def test_a_second_signal_ends_at_once_and_removes_the_part(self):
        self.assertEqual(self.run_program("run", "swing.lua", "--quiet", "--output", "s.csv")[0], 0)
        older = self.read("s.csv")
        os.mkfifo(self.folder / "pipe.csv")
        child = self.start("run", "swing.lua", "--output", "s.csv", "--output", "pipe.csv")
        self.wait_for(lambda: (self.folder / "s.csv.part").exists(), child)
        child.send_signal(signal.SIGINT)
        child.send_signal(signal.SIGTERM)
        child.communicate(timeout=50)
        self.assertIn(child.returncode, (130, 143))
        self.assertEqual(self.read("s.csv"), older)
        self.assertFalse((self.folder / "s.csv.part").exists())

    # ------------------------------------------------------------------------------- compilers

    def compiler(self, name, text):
        path = self.folder / name
        path.write_text("#!/bin/sh\n" + text.replace("CC", os.environ.get("CC", "cc")))
        path.chmod(0o755)
        return str(path)

    def alive(self, group):
        """The processes of a group that have not ended."""
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                state, _, of_group = path.read_text().rsplit(")", 1)[1].split()[:3]
            except OSError:
                continue
            if int(of_group) == group and state != "Z":
                found.append(path)
        return found

    def assert_ended(self, group):
        """A process that was killed may need a moment to be gone."""
        for _ in range(100):
            if not self.alive(group):
                return
            time.sleep(0.05)
        self.fail("processes are alive: " + str(self.alive(group)))

    def cached(self):
        folder = self.folder / "caches" / "driftless"
        return sorted(os.listdir(folder)) if folder.exists() else []

    def rows(self, **environment):
        status, out, said = self.run_program("run", "swing.lua", "--evaluation", "native", **environment)
        self.assertEqual(status, 0, said)
        return out, said

    # The last word but one is the source: text that replaces a sum by a difference in it.
    wrong = """for last; do before=$source; source=$last; done
        sed 's/ + / - /' "$before" >"$before.wrong.c"
        case $* in *-lm*) set -- -std=c17 -w -fPIC -shared -o "${before%.c}.so" "$before.wrong.c" -lm;; esac
        exec CC "$@"
        """

    def test_wrong_code_is_not_used(self):
        right, said = self.rows()
        self.assertNotIn("other numbers", said)
        kept = self.cached()
        self.assertEqual(len(kept), 2)
        rows, said = self.rows(CC=self.compiler("wrong", self.wrong))
        self.assertEqual(rows, right)
        self.assertIn("compiled code gives other numbers", said)
        self.assertEqual(self.cached(), kept)

    def test_a_compiler_that_was_replaced_is_asked_again(self):
        good = "echo called >>calls\nexec CC \"$@\"\n"
        rows = [self.rows(CC=self.compiler("cc", good))[0] for _ in range(2)]
        self.assertEqual(self.read("calls").count(b"called"), 2, "each was written anew")
        command = self.compiler("cc", good)
        (self.folder / "calls").unlink()
        rows += [self.rows(CC=command)[0] for _ in range(2)]
        self.assertEqual(self.read("calls").count(b"called"), 1)
        self.assertEqual(len(set(rows)), 1)

    def test_include_paths_do_not_matter(self):
        (self.folder / "evil").mkdir()
        (self.folder / "evil" / "math.h").write_text("#define sin(x) 7\n#define sqrt(x) 7\ndouble pow(double, double);\n")
        right, _ = self.rows()
        kept = self.cached()
        evil = str(self.folder / "evil")
        shutil.rmtree(self.folder / "caches")
        rows, said = self.rows(CPATH=evil, C_INCLUDE_PATH=evil)
        self.assertEqual((rows, self.cached()), (right, kept))
        self.assertNotIn("other numbers", said)

    def test_damaged_objects_are_compiled_again(self):
        right, _ = self.rows()
        for name in self.cached():
            path = self.folder / "caches" / "driftless" / name
            for size in (0, 100):
                path.write_bytes(path.read_bytes()[:size])
                rows, _ = self.rows()
                self.assertEqual(rows, right)

    def test_runs_that_fill_the_cache_at_the_same_time_agree(self):
        children = [self.start("run", "swing.lua", "--evaluation", "native") for _ in range(4)]
        rows = {child.communicate(timeout=100)[0] for child in children}
        self.assertEqual((len(rows), {child.returncode for child in children}), (1, {0}))
        self.assertEqual(len(self.cached()), 2)

    def test_a_signal_ends_the_compiler(self):
        for text in ("echo $$ >pid; sleep 1000\n", "trap '' TERM INT HUP; echo $$ >pid; while :; do sleep 1; done\n"):
            command = self.compiler("slow", text)
            for one, wanted in SIGNALS.items():
                child = self.start("run", "swing.lua", "--evaluation", "native", "--output", "slow.h5", CC=command)
                self.wait_for(lambda: (self.folder / "pid").exists() and self.read("pid").endswith(b"\n"), child)
                compiler = int(self.read("pid"))
                (self.folder / "pid").unlink()
                child.send_signal(one)
                child.communicate(timeout=50)
                self.assertEqual(child.returncode, wanted)
                self.assert_ended(compiler)
                self.assertEqual(self.cached(), [])
                self.assertFalse((self.folder / "slow.h5").exists())

    def test_a_signal_ends_the_compilers_of_all_commands(self):
        command = self.compiler("slow", "echo $$ >pid; sleep 1000\n")
        self.write("searched.lua", (self.folder / "swing.lua").read_text() + "optimize{ vary = { m = {0.5, 2} }, minimize = final(x) }\n")
        native = ("--evaluation", "native")
        commands = [("export", "swing.lua", "--fmu", "2", "--output", "slow.fmu"), ("compare", "swing.lua", *native),
                    ("gradient", "swing.lua", "--of", "height", "--by", "m", *native), ("optimize", "searched.lua", *native),
                    ("sweep", "swing.lua", "--over", "m=1:2:3", "--threads", "1", "--output", "slow.h5", *native)]
        temporary = self.folder / "temporary"
        temporary.mkdir()
        for words in commands:
            for one, wanted in SIGNALS.items():
                child = self.start(*words, CC=command, TMPDIR=str(temporary))
                self.wait_for(lambda: (self.folder / "pid").exists() and self.read("pid").endswith(b"\n"), child)
                compiler = int(self.read("pid"))
                (self.folder / "pid").unlink()
                child.send_signal(one)
                said = child.communicate(timeout=50)[1]
                self.assertEqual(child.returncode, wanted, (words, said))
                self.assertEqual(os.listdir(temporary), [], words)
                self.assert_ended(compiler)
                (self.folder / "slow.h5").unlink(missing_ok=True)
        self.assertFalse((self.folder / "slow.fmu").exists())

    def test_a_signal_ends_the_compiler_of_a_run_under_way(self):
        command = self.compiler("slow", "echo $$ >pid; sleep 1000\n")
        child = self.start("run", "endless.lua", "--to", "1e7", "--output", "slow.h5", CC=command)
        self.wait_for(lambda: (self.folder / "pid").exists() and self.read("pid").endswith(b"\n"), child)
        child.send_signal(signal.SIGTERM)
        child.communicate(timeout=50)
        self.assertEqual((child.returncode, self.status("slow.h5"), self.cached()), (143, "interrupted", []))
        self.assertEqual(self.alive(int(self.read("pid"))), [])

    # ------------------------------------------------------------------------------- texts

    def test_control_characters_are_shown_and_not_obeyed(self):
        self.write("escape.lua", 'print("a\\27]0;title\\7b\\tc\\u{9b}31m \\u{e9}")\nerror("\\27[31mred\\127")\n')
        status, _, said = self.run_program("run", "escape.lua")
        self.assertEqual(status, 2)
        self.assertIn("a\\x1b]0;title\\x07b\tc\\xc2\\x9b31m \u00e9\n", said)
        self.assertIn("\\x1b[31mred\\x7f", said)
        status, _, said = self.run_program("run", "no\033[31mfile.lua")
        self.assertNotIn("\033", said)
        status, _, said = self.run_program("ru\033[31mn")
        self.assertNotIn("\033", said)
        shutil.copy(self.folder / "swing.lua", self.folder / "a\033[31m.lua")
        ours, theirs = pty.openpty()
        subprocess.run([PROGRAM, "check", "a\033[31m.lua"], cwd=self.folder, stdout=theirs, check=True, timeout=100)
        os.close(theirs)
        shown = os.read(ours, 10000)
        os.close(ours)
        self.assertIn(b"a\\x1b[31m: ready to run", shown)


    # ------------------------------------------------------------------------------- results from elsewhere

    def change(self, how):
        """A result after `how` has changed it, seen with little memory: the status and the messages of view."""
        shutil.copy(self.folder / "sound.h5", self.folder / "odd.h5")
        with h5py.File(self.folder / "odd.h5", "r+") as file:
            how(file)
        limit = lambda: (as_usual(), resource.setrlimit(resource.RLIMIT_AS, (900000000,) * 2))
        status, _, said = self.run_program("view", "odd.h5", "--output", "odd.svg", prepare=limit)
        self.assertEqual((self.folder / "odd.svg").exists(), status == 0)
        return status, said

    @unittest.skipIf(SANITIZED, "needs a limit of the address space")
    def test_results_from_elsewhere_open_no_other_file_and_little_memory(self):
        self.write("secret.txt", "secret " * 100)
        self.assertEqual(self.run_program("run", "swing.lua", "--quiet", "--output", "sound.h5")[0], 0)
        secret = str(self.folder / "secret.txt")

        def replace(name, **more):
            def how(file):
                if name in file:
                    del file[name]
                file.create_dataset(name, **more)
            return how

        def virtual(file):
            del file["time"]
            layout = h5py.VirtualLayout((21,), "f8")
            layout[:] = h5py.VirtualSource("sound.h5", "time", (21,))
            file.create_virtual_dataset("time", layout)

        def link(name, to):
            def how(file):
                del file[name]
                file[name] = to
            return how

        def external(file):
            del file["meta/model"]
            space = h5py.h5s.create(h5py.h5s.SCALAR)
            kind = h5py.h5t.C_S1.copy()
            kind.set_size(500)
            plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            plist.set_external(secret.encode(), 0, 500)
            h5py.h5d.create(file.id, b"meta/model", kind, space, plist)

        def long_text(file):
            del file["meta/text"]
            kind = h5py.h5t.C_S1.copy()
            kind.set_size(4 * 10**9)
            h5py.h5d.create(file.id, b"meta/text", kind, h5py.h5s.create(h5py.h5s.SCALAR))

        elsewhere = "is stored in other files"
        size = "declares more than the file contains"
        memory = "more memory than a file of its size"
        packed = {"compression": "gzip", "compression_opts": 9}
        cases = [
            (external, elsewhere),
            (virtual, elsewhere),
            (link("meta/model", h5py.SoftLink("/meta/text")), "is a link"),
            (link("meta", h5py.ExternalLink("sound.h5", "/meta")), "is a link"),
            (link("time", h5py.ExternalLink("sound.h5", "/time")), "is a link"),
            (long_text, size),
            (replace("meta/text", shape=(), dtype="S4000000"), size),
            (replace("time", shape=(10**12,), dtype="f8", chunks=(10**6,)), size),
            (replace("state", shape=(21, 10**9), dtype="f8", chunks=(1, 10**6)), size),
            (replace("events/time", shape=(10**7,), dtype="f8", chunks=(10**6,)), size),
            (replace("scene/values", shape=(21, 10**7), dtype="f8", chunks=(1, 10**6)), size),
            (replace("time", shape=(10,), maxshape=(None,), dtype="f8", chunks=(33 * 10**6,), data=[0.0] * 10, compression="gzip", compression_opts=1), size),
            (replace("meta/names/outputs", data=[b"x"] * 3000000, dtype="S1", **packed), memory),
            (replace("meta/names/outputs", data=[b"x"] * 300000, dtype="S900", **packed), memory),
        ]
        for number, (how, wanted) in enumerate(cases):
            with self.subTest(case=number):
                status, said = self.change(how)
                self.assertEqual(status, 2, said)
                self.assertIn(wanted, said)

        def pack(file):
            for name in ("time", "state", "outputs", "steps/time", "residuals"):
                data, attributes = file[name][:], dict(file[name].attrs)
                del file[name]
                file.create_dataset(name, data=data, **packed)
                file[name].attrs.update(attributes)

        self.assertEqual(self.change(pack)[0], 0)
        self.assertEqual(self.change(lambda file: None)[0], 0)
        os.mkfifo(self.folder / "pipe.h5")
        self.assertEqual(self.run_program("view", "pipe.h5")[0], 2)
        status, _, said = self.run_program("run", "swing.lua", "--output", "pipe.h5")
        self.assertEqual(status, 2, said)
        self.assertIn("is no regular file", said)

    # ------------------------------------------------------------------------------- masses

    def test_negative_masses_are_refused_by_name(self):
        start = 'local m = param("m", 1)\nlocal x, y = position("x"), position("y")\n'
        end = "\npotential((x^2 + y^2) / 2)\ninitial{ x = 1, y = 0 }\nsimulate{ to = 0.1 }\n"
        models = {
            "kinetic": start + "kinetic(m * velocity(x)^2 / 2 + velocity(y)^2 / 2)" + end,
            "mass": start + "mass(x, m) mass(y, 1)" + end,
            "sum": start + "kinetic(velocity(x)^2 / 2 + velocity(y)^2 / 2 + (m - 1) * velocity(x) * velocity(y))" + end,
            "body": 'planar()\nlocal m = param("m", 1)\nlocal b = body("rod", { mass = m, inertia = 0.1, com = {1, 0} })\n'
                    'revolute("pin", ground, b, { at = {0, 0} })\nsimulate{ to = 0.1 }\n',
            "inertia": 'planar()\nlocal m = param("m", 1)\nlocal b = body("rod", { mass = 1, inertia = m, com = {1, 0} })\n'
                       'revolute("pin", ground, b, { at = {0, 0} })\nsimulate{ to = 0.1 }\n',
            "space": 'local m = param("m", 1)\nlocal b = body("rod", { mass = 1, inertia = {1, 1, m}, com = {1, 0, 0} })\n'
                     'revolute("pin", ground, b, { at = {0, 0, 0}, axis = {0, 0, 1} })\nsimulate{ to = 0.1 }\n',
        }
        named = {"sum": "mass between der(y) and der(x), -2,", "body": "body 'rod'", "inertia": "body 'rod'", "space": "body 'rod'"}
        for name, text in models.items():
            self.write(name + ".lua", text)
            self.assertEqual(self.run_program("run", name + ".lua")[0], 0, name)
            status, _, said = self.run_program("run", name + ".lua", "--set", "m=-1")
            self.assertEqual(status, 2, name)
            self.assertIn(named.get(name, "along der("), said)
            self.assertRegex(said, name + r"\.lua:\d+: ")
        self.assertEqual(self.run_program("run", "body.lua", "--set", "m=0")[0], 0)
        self.assertIn("sum of the others", self.run_program("run", "space.lua", "--set", "m=3")[2])

    # ------------------------------------------------------------------------------- memory

    @unittest.skipIf(SANITIZED, "needs a limit of the address space")
    def test_little_address_space_ends_soon(self):
        os.environ.pop("OPENBLAS_NUM_THREADS", None)
        self.write("bodies.lua", (HERE.parents[1] / "examples" / "four-bar-bodies.lua").read_text())
        self.write("big.lua", """local t, u = 0, 0
            for i = 1, 80 do
                local x = position("x" .. i)
                t, u = t + velocity(x)^2, u + (x - i)^2 * cos(x / 9)
            end
            kinetic(t)
            potential(u)
            simulate{ to = 0.1 }""")
        endings = set()
        for megabytes in (20, 50, 80, 100, 120, 150, 200, 250, 300, 400, 600):
            limit = megabytes * 1000000
            prepare = lambda: (as_usual(), resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
            for script in ("bodies.lua", "big.lua"):
                status, out, said = self.run_program("run", script, "--to", "0.1", prepare=prepare)
                self.assertTrue(said, "there is a message")
                self.assertTrue(status != 0 or out)
                endings.add(status)
        self.assertIn(0, endings)
        self.assertIn(1, endings)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
