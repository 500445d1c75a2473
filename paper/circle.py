"""Steinbrecher (2002), figures 1 to 5: a point on a circle in five forms."""
import math

from draw import Curve, Panel, figure

G0, G1, G2 = 0.00020002, 0.0022, -0.002195780036  # residuals of the start

HEAD = """
## Steinbrecher 2002, figures 1 to 5: a point on a circle

Section 6: p' = v, v' = f - G^T λ, 0 = p1² + p2² - 1, with the solution p = (sin t, cos t), λ = sin t cos t; the implicit
trapezoidal rule, 1000 steps of 0.005 from the inconsistent start (37). Broad pale curves show the solution,
and the residuals that the paper's section 3 predicts from the residuals of the start.

| residual of the start | published | here |
| --- | --- | --- |
| g | 0.00020002 | {g:.8f} |
| gI | 0.0022 | {gI:.4f} |
| gII | -0.0013956 | {gII:.7f} |

gII differs: the printed value belongs to λ = -0.0001, but the printed λ is +0.0001.
Everything below uses the printed λ, so slopes of gI and g that contain gII follow from -0.0021958.
"""


def predicted(form, t):
    return {"uode": (G0 + G1 * t + G2 * t * t / 2, G1 + G2 * t, G2),
            "eom1": (G0 + G1 * t, G1, 0),
            "eom2": (G0, 0, 0)}.get(form, (0, 0, 0))


def regular(rows):
    """The rows up to where a step of 0.005 was not possible any more."""
    for i in range(1, len(rows)):
        if abs(rows[i][0] - rows[i - 1][0] - 0.005) > 1e-9:
            return rows[:i]
    return rows


def draw(form, rows):
    t = [row[0] for row in rows]
    column = lambda k: [row[k] for row in rows]
    exact = {1: [math.sin(s) for s in t], 2: [math.cos(s) for s in t],
             3: [math.cos(s) for s in t], 4: [-math.sin(s) for s in t],
             5: [math.sin(s) * math.cos(s) for s in t]}
    theory = list(zip(*[predicted(form, s) for s in t]))

    def both(ks, names):
        curves = []
        for i, k in enumerate(ks):
            curves.append(Curve("solution, predicted residual", t, exact[k], 4, pale=True))
            curves.append(Curve(names[i], t, column(k), i))
        return curves

    def residual(k, name):
        return Panel(name, "t", "", [
            Curve("solution, predicted residual", t, theory[k], 4, pale=True),
            Curve("residual computed", t, column(6 + k), 6)])

    return figure(f"A point on a circle, {form}", [
        [Panel("positions", "t", "", both((1, 2), ("p1, v1, λ", "p2, v2"))),
         Panel("velocities", "t", "", both((3, 4), ("p1, v1, λ", "p2, v2"))),
         Panel("multiplier", "t", "", both((5,), ("p1, v1, λ",)))],
        [residual(0, "g"), residual(1, "gI"), residual(2, "gII")]])


def most(values):
    return max(abs(v) for v in values)


def captions(runs):
    uode, eom1, eom2, eom, psf = (runs[k] for k in ("uode", "eom1", "eom2", "eom", "psf"))
    off = lambda rows, form, k: most(row[6 + k] - predicted(form, row[0])[k] for row in rows)
    swing = [(a[5] - b[5]) / 2 * (-1) ** i for i, (a, b) in enumerate(zip(eom2[1:], eom2[2:]))]
    return {
        "uode": f"""**Figure 1 (uode).** Agrees: g quadratic, gI linear, gII constant, no oscillation. The residuals follow the
prediction g0 + gI0 t + gII0 t²/2 within {off(uode, 'uode', 0):.1e}, gI0 + gII0 t within {off(uode, 'uode', 1):.1e}, gII0 within
{off(uode, 'uode', 2):.0e}; at t = 5 g = {uode[-1][6]:.5f} and gI = {uode[-1][7]:.5f}. Differs: the size of gII0,
see above. In the paper, which integrates λ' with the rule, gII is almost constant;
here it is constant by construction.""",
        "eom1": f"""**Figure 2 (eom1).** Agrees: gII jumps from {eom1[0][8]:.7f} to {eom1[1][8]:.0e} in the first step, g grows linearly with
the slope {(eom1[-1][6] - eom1[1][6]) / (eom1[-1][0] - eom1[1][0]):.6f} (gI0 = 0.0022),
gI stays at {eom1[-1][7]:.6f}, no oscillation; g = {eom1[-1][6]:.5f} at t = 5. Differs: only the value of gII0;
its jump changes gI by gII0 times half a step.""",
        "eom2": f"""**Figure 3 (eom2).** Agrees: gI = 0 after one step (at most {most(r[7] for r in eom2[1:]):.0e}), g constant
({eom2[1][6]:.7f} to {eom2[-1][6]:.7f}), λ alternates around its solution with the amplitude {min(swing):.3f} to {max(swing):.3f}, permanently, because the rule is not L-stable; gII
alternates with {most(r[8] for r in eom2[1:]):.2f}. Differs: nothing that the text mentions.""",
        "eom": f"""**Figure 4 (eom).** Agrees: g = 0 (at most {most(r[6] for r in eom[1:]):.0e}), λ oscillates extremely, and so do velocities, whose
oscillation is not negligible: at t = 3 λ is off by {eom[min(600, len(eom) - 1)][5]:.0f} and gI = {eom[min(600, len(eom) - 1)][7]:.2f}. Differs: the paper shows [0, 5]; here Newton's iteration
does not converge with the whole step beyond t = {eom[-1][0]:.2f},
where the curves end (the solver would go on with parts of the step).
The text does not say how its iteration continued; the amplitude grows from step to step up to there.""",
        "psf": f"""**Figure 5 (strangeness-free form, psf).** Agrees: no deviation and no oscillation: after the first step
|g| ≤ {most(r[6] for r in psf[1:]):.0e}, |gI| ≤ {most(r[7] for r in psf[1:]):.0e}, |gII| ≤ {most(r[8] for r in psf[1:]):.0e}, through the paper's changes of selectors at p1 = 1/2. Differs: nothing that the text mentions. The inconsistent start is corrected to a point of the circle next to the right one, so p is off by up to
{max(most(r[1] - math.sin(r[0]) for r in psf), most(r[2] - math.cos(r[0]) for r in psf)):.2f}."""}


def write(figures, lines):
    runs = {line["form"]: regular(line["rows"]) for line in lines}
    start = runs["uode"][0]
    text = captions(runs)
    parts = [HEAD.format(g=start[6], gI=start[7], gII=start[8])]
    for k, form in enumerate(("uode", "eom1", "eom2", "eom", "psf"), 1):
        name = f"circle-{k}.svg"
        figures[name] = draw(form, runs[form])
        parts.append(f"![Counterpart of figure {k}: {form}]({name})\n\n{text[form]}\n")
    return parts
