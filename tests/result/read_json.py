"""Reads the summary that test_json.c writes: exactly the documented fields, with its values."""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    found = json.load(file)
names = ["model", "form", "method", "linear", "status", "message", "t", "seconds", "steps",
         "evaluations", "selectors", "decompositions", "back_substitutions", "max_residual", "energy_drift",
         "events", "switches", "tolerances", "warnings", "final"]
assert list(found) == names, list(found)
assert found["steps"] == {"accepted": 11, "rejected_error": 12, "rejected_newton": 13,
                          "attempted": 36, "unconverged": 5}
assert list(found["evaluations"]) == ["eom", "partial", "mass", "jacobian", "difference"]
assert found["evaluations"]["partial"] == 14
assert found["events"]["count"] == 3
assert found["events"]["first"] == [
    {"name": "bottom", "time": 0.25, "direction": -1, "impulses": {"floor": 7, "rod": -8},
     "energy_change": -3},
    {"name": "bottom", "time": 0.5, "direction": 1, "impulses": None, "energy_change": None}]
switches = found["switches"]
assert list(switches) == ["crossings", "retakes", "enclosures", "modes", "count", "first"]
assert switches["count"] == 5 and switches["first"] == [
    {"name": "wall", "kind": "mode", "time": 0, "state": "slips back", "impulses": None,
     "energy_change": None},
    {"name": "floor", "kind": "impact", "time": 0.25, "state": 0,
     "impulses": {"floor": 7, "rod": -8}, "energy_change": -3}]
assert list(found["decompositions"]) == ["algebraic", "differential", "pivoted", "lumped"]
assert list(found["max_residual"]) == ["position", "velocity", "acceleration", "nonholonomic",
                                       "contact", "auxiliary", "invariant", "massless"]
assert found["model"] == "swing" and found["status"] == "failed"
assert found["energy_drift"] is None  # infinite
if sys.argv[2] == "ended":
    assert found["message"] == "a \"quoted\"\nline \\ \t\x01 \u03c0 \ufffd\ufffd\ufffd"
    assert found["t"] == 1.5 and found["seconds"] == 0.25
    assert found["max_residual"]["position"] == 1e-12
    assert found["max_residual"]["acceleration"] is None
    assert list(found["final"]) == ["x", "y", "der(x)", "der(y)", "r", "lambda(rod)", "height"]
    assert found["final"]["r"] == 1 / 3 and found["final"]["height"] == 7
else:
    assert found["message"] is None and found["t"] is None and found["final"] is None
    assert all(value is None for value in found["max_residual"].values())
