"""The package: stubs, docstrings, the wheel in an empty environment, the notebook.
usage: test_package.py PROGRAM SOURCE-FOLDER"""
import ast
import glob
import importlib.util
import inspect
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import driftless as dl

PROGRAM, SOURCE = sys.argv[1:3]
BUILD = os.path.dirname(os.path.abspath(PROGRAM))


class Stubs(unittest.TestCase):
    def setUp(self):
        with open(os.path.join(os.path.dirname(dl.__file__), "__init__.pyi")) as text:
            self.body = ast.parse(text.read()).body
        self.top = {n.name: n for n in self.body if isinstance(n, (ast.ClassDef, ast.FunctionDef))}

    def members(self, name):
        found = set()
        for n in self.top[name].body:
            found.add(n.name if isinstance(n, ast.FunctionDef) else n.target.id if isinstance(n, ast.AnnAssign) else None)
        return found

    def test_all_public_names_have_types(self):
        typed = set(self.top) | {n.target.id for n in self.body if isinstance(n, ast.AnnAssign)}
        self.assertEqual(set(dl.__all__) - typed, set())
        calls = self.members("Model") - {"__init__", "__getattr__", "pi"}
        self.assertEqual(calls - dl.language(), set())  # nothing that the language does not have
        self.assertLess({"position", "body", "revolute", "spring", "event", "simulate"}, calls)
        for kind in (dl.BaseModel, dl.Simulation, dl.Result, dl.Stored):
            known = self.members(kind.__name__) | (self.members("_Table") if kind in (dl.Result, dl.Stored) else set())
            public = {name for name in vars(kind) if not name.startswith("_")}
            self.assertEqual(public - known, set(), kind)

    def test_arguments_are_those_of_the_functions(self):
        pairs = [(dl, name) for name in ("load", "loads", "solve_ivp", "solve_constrained", "compare")]
        for owner, name in pairs:
            own = list(inspect.signature(getattr(owner, name)).parameters)
            a = self.top[name].args
            stub = [p.arg for p in (*a.args, *a.kwonlyargs, *((a.kwarg,) if a.kwarg else ()))]
            self.assertEqual(stub, own, name)

    def test_everything_public_is_explained(self):
        for name in dl.__all__:
            it = getattr(dl, name)
            if not callable(it) or name == "Error":
                continue
            self.assertTrue(inspect.getdoc(it), name)
            for member, function in vars(it).items() if inspect.isclass(it) else ():
                if not member.startswith("_") and inspect.isfunction(function) and it is not dl.Symbol:
                    self.assertTrue(inspect.getdoc(getattr(it, member)), f"{name}.{member}")


class Wheel(unittest.TestCase):
    @unittest.skipUnless(importlib.util.find_spec("build") and importlib.util.find_spec("wheel"), "there is no python3-build")
    def test_the_wheel_in_an_empty_environment(self):
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "source")
            shutil.copytree(os.path.dirname(dl.__file__), os.path.join(source, "driftless"))
            for name in ("setup.py", "pyproject.toml"):
                shutil.copy(os.path.join(BUILD, "wheel", name), source)
            env = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
            done = subprocess.run([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, source], cwd=folder, env=env,
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            (wheel,) = glob.glob(os.path.join(folder, "*.whl"))
            self.assertRegex(os.path.basename(wheel), r"^driftless-[0-9.]+-cp311-abi3-linux_\w+\.whl$")
            empty = os.path.join(folder, "empty")
            made = subprocess.run([sys.executable, "-m", "venv", empty], capture_output=True, env=env)
            if made.returncode:
                self.skipTest("there is no python3-venv")
            python = os.path.join(empty, "bin", "python")
            subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", wheel], check=True, env=env, cwd=folder)
            code = """if True:
                import driftless as dl, math
                m = dl.Model()
                x = m.position("x")
                m.mass(x, 1); m.force(x, -x); m.initial({x: 1, m.velocity(x): 0})
                s = m.start(rtol=1e-9)
                s.advance(2)
                assert abs(s["x"] - math.cos(2)) < 1e-6 and m.run(to=1).status == "completed"
                try:
                    m.run(to=1).t
                except ModuleNotFoundError as error:
                    print(dl.__version__, error.name)"""
            done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True, env=env, cwd=folder)
            self.assertEqual(done.stdout.split(), [dl.__version__, "numpy"])  # all but arrays works without NumPy

    def test_version(self):
        done = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True)
        self.assertIn(dl.__version__, done.stdout)

    def test_the_extension_uses_the_stable_interface_only(self):
        path = os.path.join(os.path.dirname(dl.__file__), "_library.abi3.so")
        symbols = subprocess.run(["nm", "-D", "--undefined-only", path], capture_output=True, text=True)
        if symbols.returncode:
            self.skipTest("there is no nm")
        known = {"_Py_NoneStruct", "_Py_TrueStruct", "_Py_FalseStruct", "_Py_Dealloc"}  # part of it, as are *_SizeT
        private = {name for name in re.findall(r" (_Py\w+)", symbols.stdout) if not name.endswith("_SizeT")}
        self.assertEqual(private - known, set())



@unittest.skipUnless(all(importlib.util.find_spec(m) for m in ("nbclient", "ipykernel", "pandas", "matplotlib")), "there is no python3-nbclient")
class Notebook(unittest.TestCase):
    def test_the_tutorial_runs(self):
        import nbclient
        import nbformat

        notebook = nbformat.read(os.path.join(SOURCE, "examples", "python", "tutorial.ipynb"), 4)
        with tempfile.TemporaryDirectory() as folder:
            client = nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": folder}})
            client.execute()
        outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
        self.assertFalse([o for o in outputs if o.output_type == "error"])
        shown = "".join(o.get("text", "") for o in outputs)
        self.assertIn("crane: ready to run", shown)
        self.assertIn("19.62", shown)
        self.assertTrue(shown.rstrip().endswith("True True"))
        self.assertTrue(any("image/png" in o.get("data", {}) for o in outputs))
        self.assertTrue(any("<iframe" in o.get("data", {}).get("text/html", "") for o in outputs))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
