"""Evaluates a condition on a result: `rows` of a CSV file, `data` of a JSON file."""
import csv
import json
import sys

condition, path = sys.argv[1:]
names = {"json": json}
if "rows" in condition:
    with open(path, newline="", encoding="utf-8") as file:
        names["rows"] = [{name: float(value) for name, value in row.items()}
                         for row in csv.DictReader(file)]
if "data" in condition:
    with open(path, encoding="utf-8") as file:
        names["data"] = json.load(file)
sys.exit(not eval(condition, names))
