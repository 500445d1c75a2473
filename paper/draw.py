"""Diagrams as SVG, with the standard library only: panels in rows, legends below."""
import math

# Okabe and Ito: told apart with any colour vision
COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8a8a8a"]
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM, LINE = 900, 230, 60, 18, 26, 44, 17
MOST_POINTS = 700


class Curve:
    def __init__(self, name, xs, ys, color=0, dashed=False, pale=False, marks=False, line=True):
        points = [(x, y) for x, y in zip(xs, ys)]
        stride = max(1, math.ceil(len(points) / MOST_POINTS))
        # an odd stride keeps what alternates from step to step
        self.points = points[::stride + (stride > 1 and stride % 2 == 0)]
        self.name, self.color, self.dashed = name, COLORS[color % len(COLORS)], dashed
        self.pale, self.marks, self.line = pale, marks, line


class Panel:
    def __init__(self, title, xlabel, ylabel, curves, xlog=False, ylog=False, yrange=None):
        self.title, self.xlabel, self.ylabel, self.curves = title, xlabel, ylabel, curves
        self.log = (xlog, ylog)
        values = [[], []]
        for curve in curves:
            for point in curve.points:
                if all(self.usable(k, point[k]) for k in (0, 1)):
                    for k in (0, 1):
                        values[k].append(point[k])
        self.range = [span(v, log) for v, log in zip(values, self.log)]
        if yrange:
            self.range[1] = yrange

    def usable(self, axis, value):
        return value is not None and math.isfinite(value) and (value > 0 or not self.log[axis])

    def place(self, axis, value):
        """Where a value lies between 0 and 1."""
        low, high = self.range[axis]
        if self.log[axis]:
            value, low, high = math.log10(value), math.log10(low), math.log10(high)
        return (value - low) / (high - low)


def span(values, log):
    if not values:
        return (0.1, 1) if log else (0, 1)
    low, high = min(values), max(values)
    if log:
        return 10 ** math.floor(math.log10(low)), 10 ** max(math.ceil(math.log10(high)),
                                                            math.floor(math.log10(low)) + 1)
    if high - low < 1e-6 * abs(high):
        return low - 0.5 * abs(low), high + 0.5 * abs(high)
    room = 0.04 * (high - low) or 1
    return low - room, high + room


def ticks(low, high, log):
    if log:
        first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
        step = max(1, math.ceil((last - first) / 6))
        return [10.0 ** k for k in range(first, last + 1, step)]
    raw = (high - low) / 5
    size = 10 ** math.floor(math.log10(raw))
    step = next(size * k for k in (1, 2, 2.5, 5, 10) if size * k >= raw * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]


def label(value, log):
    if log:
        return f"1e{round(math.log10(value))}"
    return f"{value:.6g}" if abs(value) > 1e-12 else "0"


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def text_at(x, y, text, anchor="middle", more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escaped(text)}</text>'


def draw_axes(out, panel, x0, y0, width, height):
    for axis in (0, 1):
        for value in ticks(*panel.range[axis], panel.log[axis]):
            at = panel.place(axis, value)
            if not -1e-9 <= at <= 1 + 1e-9:
                continue
            x, y = (x0 + at * width, y0) if axis == 0 else (x0, y0 + (1 - at) * height)
            x1, y1 = (x, y0 + height) if axis == 0 else (x0 + width, y)
            out.append(f'<path d="M{x:.1f} {y:.1f}L{x1:.1f} {y1:.1f}" stroke="#e4e4e4"/>')
            word = label(value, panel.log[axis])
            out.append(text_at(x, y0 + height + 14, word) if axis == 0
                       else text_at(x0 - 5, y + 4, word, "end"))
    out.append(f'<rect x="{x0}" y="{y0}" width="{width:.1f}" height="{height}" fill="none" '
               'stroke="#444"/>')
    out.append(text_at(x0 + width / 2, y0 - 8, panel.title, more=' font-weight="bold"'))
    out.append(text_at(x0 + width / 2, y0 + height + 30, panel.xlabel))
    out.append(text_at(0, 0, panel.ylabel, more=f' transform="translate({x0 - 48:.1f} '
                       f'{y0 + height / 2:.1f}) rotate(-90)"'))


def draw_curve(out, panel, curve, x0, y0, width, height, clip):
    path, pen, spots = [], False, []
    for x, y in curve.points:
        if not (panel.usable(0, x) and panel.usable(1, y)):
            pen = False
            continue
        px = x0 + panel.place(0, x) * width
        py = y0 + (1 - min(max(panel.place(1, y), -1), 2)) * height
        path.append(f'{"L" if pen else "M"}{px:.1f} {py:.1f}')
        spots.append((px, py))
        pen = True
    style = ' stroke-dasharray="5 3"' if curve.dashed else ""
    style += ' stroke-opacity="0.35" stroke-width="5"' if curve.pale else ' stroke-width="1.4"'
    if path and curve.line:
        out.append(f'<path d="{"".join(path)}" fill="none" stroke="{curve.color}"{style} '
                   f'stroke-linejoin="bevel" clip-path="url(#{clip})"/>')
    if curve.marks:
        out.append("".join(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="2.6" fill="{curve.color}" '
                           f'clip-path="url(#{clip})"/>' for px, py in spots))


def draw_entry(out, curve, x, y):
    style = ' stroke-dasharray="5 3"' if curve.dashed else ""
    style += ' stroke-opacity="0.35" stroke-width="5"' if curve.pale else ' stroke-width="2"'
    if curve.line:
        out.append(f'<path d="M{x:.1f} {y - 4}h26" stroke="{curve.color}"{style}/>')
    if curve.marks:
        out.append(f'<circle cx="{x + 13:.1f}" cy="{y - 4}" r="2.6" fill="{curve.color}"/>')
    out.append(text_at(x + 32, y, curve.name, "start"))


def draw_legend(out, curves, y):
    x = LEFT
    for curve in curves:
        length = 34 + 6.7 * len(curve.name) + 14
        if x + length > WIDTH and x > LEFT:
            x, y = LEFT, y + LINE
        draw_entry(out, curve, x, y)
        x += length
    return y


def unique(panels):
    """Curves by name."""
    return list({curve.name: curve for panel in panels for curve in panel.curves}.values())


def figure(title, rows, by_column=False):
    """The text of an SVG file: `rows` of panels; curves of one name have one entry in the legend, of which
    there is one, or one below each column."""
    out = []
    y = 0
    clip = 0
    for row in rows:
        each = WIDTH / len(row)
        for k, panel in enumerate(row):
            x0, y0 = k * each + LEFT, y + TOP
            width, height = each - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
            out.append(f'<clipPath id="c{clip}"><rect x="{x0:.1f}" y="{y0}" width="{width:.1f}" '
                       f'height="{height}"/></clipPath>')
            draw_axes(out, panel, x0, y0, width, height)
            for curve in panel.curves:
                draw_curve(out, panel, curve, x0, y0, width, height, f"c{clip}")
            clip += 1
        y += HEIGHT
    if by_column:
        columns = [unique(column) for column in zip(*rows)]
        for k, curves in enumerate(columns):
            for i, curve in enumerate(curves):
                draw_entry(out, curve, k * WIDTH / len(columns) + LEFT, y + LINE * (i + 1))
        y += LINE * max(len(curves) for curves in columns) + 10
    else:
        y = draw_legend(out, unique(sum(rows, [])), y + LINE) + 10
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y}" '
            f'viewBox="0 0 {WIDTH} {y}" font-family="Helvetica, Arial, sans-serif" '
            f'font-size="12">\n<title>{escaped(title)}</title>\n'
            f'<rect width="{WIDTH}" height="{y}" fill="#ffffff"/>\n' + "\n".join(out) + "\n</svg>\n")
