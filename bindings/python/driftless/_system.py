"""A mechanical system with constraints whose functions are Python's, as the solver asks for them."""
from ._library import Error

_FORCE, _POSITION, _VELOCITY, _DIRECTIONS, _BIAS = 2, 16, 32, 64, 128  # as in driftless/eom.h


class Counted:
    """A function that counts its calls."""

    def __init__(self, function):
        self.function, self.calls = function, 0

    def __call__(self, *arguments):
        self.calls += 1
        return self.function(*arguments)


def vector(values, name):
    import numpy as np

    try:
        array = np.asarray(values)
        if array.dtype.kind == "c":
            raise Error(f"{name} is complex; give real and imaginary parts as unknowns of their own")
        array = array.astype(float).reshape(-1)
    except (TypeError, ValueError):
        raise Error(f"{name}: {values!r} is not a list of numbers") from None
    if not np.isfinite(array).all():
        raise Error(f"{name} has values that are not finite numbers")
    if not len(array):
        raise Error(f"{name} has no values")
    return array


def shaped(values, shape, name):
    """An array of this shape, or a message."""
    import numpy as np

    array = np.asarray(values.toarray() if hasattr(values, "toarray") else values)  # sparse matrices, too
    if array.dtype.kind not in "fiub":
        raise Error(f"{name} gives {values!r}; real numbers are needed")
    if array.shape == shape:
        return array
    if array.size == 1 and all(k == 1 for k in shape):
        return array.reshape(shape)
    raise Error(f"{name} gives shape {array.shape}; {shape} is needed")


class System:
    """The functions of a mechanical system, as the solver asks for them."""

    def __init__(self, np, force, mass, constraint, constraint_jac, constraint_bias, jac, args):
        def with_arguments(function):
            return (lambda *a: function(*a, *args)) if args and function else function

        self.np, self.view, self.nl = np, None, 0
        self.force = Counted(with_arguments(force))
        self.mass_function = with_arguments(mass) if callable(mass) else None
        self.mass_value = None if mass is None or callable(mass) else np.asarray(mass, dtype=float)
        self.has_mass, self.diagonal = mass is not None, False
        self.constraint, self.G = with_arguments(constraint), with_arguments(constraint_jac)
        self.bias, self.jac = with_arguments(constraint_bias), with_arguments(jac)
        self.complex = False

    def look(self, t, p, v):
        """What the functions give at the start: sizes, and whether constraints take complex numbers."""
        np, n = self.np, len(p)
        self.n = n
        shaped(self.force(t, p.copy(), v.copy()), (n,), "force(t, p, v)")
        if self.has_mass:
            M = np.asarray(self.mass_function(t, p.copy()) if self.mass_function else self.mass_value)
            if M.shape not in ((n,), (n, n)):
                raise Error(f"mass has shape {M.shape}; ({n},) or ({n}, {n}) is needed")
            self.diagonal = M.ndim == 1
        if self.constraint is None:
            return
        g = np.asarray(self.constraint(t, p.copy()))
        if g.ndim > 1:
            raise Error(f"constraint(t, p) gives shape {g.shape}; a list of numbers is needed")
        if not np.isfinite(g).all():
            raise Error("constraint(t, p) gives values that are not finite numbers at the start")
        self.nl = g.size
        if self.nl > n:
            raise Error(f"there are {self.nl} constraints of {n} coordinates")
        self.complex = self._takes_complex(t, p, v)
        if self.G:
            shaped(self.G(t, p.copy()), (self.nl, n), "constraint_jac(t, p)")
        if self.bias:
            shaped(self.bias(t, p.copy(), v.copy()), (self.nl,), "constraint_bias(t, p, v)")
        if self.jac:
            for part, name in zip(self.jac(t, p.copy(), v.copy()), ("first", "second")):
                shaped(part, (n, n), f"jac(t, p, v): the {name} matrix")

    def g(self, t, p):
        return self.np.reshape(self.constraint(t, p), self.nl)

    def _takes_complex(self, t, p, v):
        """Whether complex steps give the derivatives that differences give: at the start and beside it, since a
        function that drops the imaginary part (abs, norm) may do so unseen where its derivative is zero."""
        np = self.np
        size = 1 + abs(p).max()
        apart = np.linspace(0.7, 1.3, self.n)
        tried = [(t, p, v + apart)]
        for k in (1, 2, 3):
            turned = np.roll(apart, k) * (-1) ** k
            tried.append((t + 0.137 * k, p + 0.061 * k * size * turned, np.roll(turned, 1)))
            tried.append((t, p + 0.013 * k * size * apart, turned))
        return all(self._steps_agree(*point, first=i == 0) for i, point in enumerate(tried))

    def _steps_agree(self, t, p, along, first):
        """Whether both derivatives along a direction are the same, in each coordinate and in time apart; beside the
        start also where the function has no value."""
        import warnings

        np = self.np
        h = 1e-6 * (1 + abs(p).max()) / (1 + abs(along).max())
        moves = [(1.0, along), (1.0, 0 * along), (0.0, along)]
        for dt, d in moves:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    rough = (self.g(t + h * dt, p + h * d) - self.g(t - h * dt, p - h * d)) / (2 * h)
            except Exception:
                rough = np.full(self.nl, np.nan)
            if not np.isfinite(rough).all():
                if first:
                    return False
                continue
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    exact = np.imag(self.g(t + 1e-20j * dt, p + 1e-20j * d)) / 1e-20
            except Exception:  # whatever a function does with numbers that it does not know
                return False
            if not np.allclose(exact, rough, rtol=1e-4, atol=1e-6 * (1 + abs(rough).max())):
                return False
        return True

    def directions(self, t, p):
        """G"""
        np, n = self.np, self.n
        if self.G:
            return np.reshape(self.G(t, p), (self.nl, n))
        G = np.empty((self.nl, n))
        for j in range(n):
            if self.complex:
                q = p.astype(complex)
                q[j] += 1e-20j
                G[:, j] = np.imag(self.g(t, q)) / 1e-20
            else:
                h = 6e-6 * max(1.0, abs(p[j]))
                up, down = p.copy(), p.copy()
                up[j] += h
                down[j] -= h
                G[:, j] = (self.g(t, up) - self.g(t, down)) / (up[j] - down[j])
        return G

    def rate(self, t, p, v, G=None):
        """G v + g_t; without complex steps the part with time is exactly zero for constraints that do not depend on it."""
        if self.complex:
            return self.np.imag(self.g(t + 1e-20j, p + 1e-20j * v)) / 1e-20
        h = 6e-6 * max(1.0, abs(t))
        moving = (self.g(t + h, p) - self.g(t - h, p)) / (2 * h)
        return (self.directions(t, p) if G is None else G) @ v + moving

    def second(self, t, p, v):
        """The second derivative along the motion without accelerations."""
        np = self.np
        if self.bias:
            return np.reshape(self.bias(t, p, v), self.nl)
        if self.G or self.complex:  # the rate is exact (without complex steps: but for time)
            h = 1e-3 * (1 + abs(p).max()) / (1 + abs(v).max())
            r = [self.rate(t + k * h, p + k * h * v, v) for k in (-2, -1, 1, 2)]
            return (r[0] - 8 * r[1] + 8 * r[2] - r[3]) / (12 * h)
        h = 5e-3 * (1 + abs(p).max()) / (1 + abs(v).max())
        g = [self.g(t + k * h, p + k * h * v) for k in (-2, -1, 0, 1, 2)]
        return (-g[0] + 16 * g[1] - 30 * g[2] + 16 * g[3] - g[4]) / (12 * h * h)

    def evaluate(self, need, t):
        view, nl, n = self.view, self.nl, self.n
        x = view["x"].copy()
        v, p = x[nl:nl + n], x[nl + n:]
        if need & _FORCE:
            view["f"][:] = self.force(t, p, v)
        if not nl:
            return
        if need & _POSITION:
            view["g"][:] = self.g(t, p)
        G = self.directions(t, p) if need & _DIRECTIONS or (need & _VELOCITY and not self.complex) else None
        if need & _VELOCITY:
            view["gI"][:] = self.rate(t, p, v, G)
        if need & _DIRECTIONS:
            view["W"][:] = G
        if need & _BIAS:
            view["bias"][:] = self.second(t, p, v)

    def mass(self, t, p):
        return self.mass_function(t, p) if self.mass_function else self.mass_value

    def write_mass(self, t):
        x = self.view["x"].copy()
        self.view["mass"][:] = self.mass(t, x[self.nl + self.n:])

    def write_jacobian(self, t):
        """Derivatives of all rows: those of the force are given, the others are differences."""
        np, view, nl, n = self.np, self.view, self.nl, self.n
        x, a = view["x"].copy(), view["a"].copy()
        lam, v, p = x[:nl], x[nl:nl + n], x[nl + n:]
        by_p, by_v = self.jac(t, p, v)
        dyn, acc = view["jac_dyn"], view["jac_acc"]
        dyn[:, nl:nl + n], dyn[:, nl + n:] = by_v, by_p
        if nl:
            G = self.directions(t, p)
            dyn[:, :nl], acc[:, :nl] = -G.T, 0
            view["jac_pos"][:] = G
            view["jac_vel"][:, :n] = G
        for j in range(n):
            q, h = p.copy(), 1e-6 * max(1.0, abs(p[j]))
            q[j] += h
            up, q[j] = q.copy(), p[j] - h
            down, width = q, up[j] - q[j]
            if self.mass_function:
                slope = (np.asarray(self.mass(t, up)) - np.asarray(self.mass(t, down))) / width
                dyn[:, nl + n + j] -= slope * a if self.diagonal else slope @ a
            if nl:
                slope = (self.directions(t, up) - self.directions(t, down)) / width
                dyn[:, nl + n + j] -= slope.T @ lam
                view["jac_vel"][:, n + j] = (self.rate(t, up, v) - self.rate(t, down, v)) / width
                acc[:, nl + n + j] = slope @ a + (self.second(t, up, v) - self.second(t, down, v)) / width
                k = 1e-4 * max(1.0, abs(v[j]))
                faster, slower = v.copy(), v.copy()
                faster[j] += k
                slower[j] -= k
                acc[:, nl + j] = (self.second(t, p, faster) - self.second(t, p, slower)) / (faster[j] - slower[j])
