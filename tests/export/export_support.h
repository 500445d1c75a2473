/* export_support.h: models for the tests of exports, loaded from their scripts, and what the engine
   itself says about them at any state. */
#ifndef DFL_EXPORT_SUPPORT_H
#define DFL_EXPORT_SUPPORT_H

#include "support.h"

#include "export/export.h"
#include "engine/engine.h"
#include "script/script.h"
#include "study/study.h"

#include <lapacke.h>
#include <stdlib.h>
#include <unistd.h>

/* One small model per kind of equation. `ode`: it has an ODE form. */
typedef struct example {
    const char *name, *identifier;
    bool ode;
    const char *script;
} example;

static const example examples[] = {
    {"pendulum", "pendulum", true,
     "local m, L, g = param('m', 1, 'kg'), param('L', 1, 'm'), param('g', 13.75)\n"
     "local x, y = position('x', 'y')\n"
     "kinetic(m/2 * (velocity(x)^2 + velocity(y)^2))\n"
     "potential(m*g*y)\n"
     "local rod = constraint('rod', x^2 + y^2 - L^2)\n"
     "invariant('total', energy())\n"
     "output('force', 2*L*multiplier(rod))\n"
     "event('bottom', x, { direction = 'falling' })\n"
     "initial{ x = 1, y = 0 }\n"
     "simulate{ to = 2 }\n"},
    {"double-pendulum", "double_pendulum", true, /* generalized coordinates, no constraints */
     "local m1, m2, l1, l2, g = param('m1', 1), param('m2', 0.7), param('l1', 1), param('l2', "
     "0.6),\n"
     "    param('g', 9.81)\n"
     "local a, b = position('a', 'b')\n"
     "local va, vb = velocity(a), velocity(b)\n"
     "kinetic(m1/2*l1^2*va^2 + m2/2*(l1^2*va^2 + l2^2*vb^2 + 2*l1*l2*va*vb*cos(a - b)))\n"
     "potential(-m1*g*l1*cos(a) - m2*g*(l1*cos(a) + l2*cos(b)))\n"
     "initial{ a = 1, b = -0.5 }\n"},
    {"sleigh", "sleigh", true,
     "local m, J, c = param('m', 2), param('J', 0.3), param('c', 0.1)\n"
     "local x, y, phi = position('x', 'y', 'phi')\n"
     "local drive = input('drive', 0.5)\n"
     "mass(x, m); mass(y, m); mass(phi, J + m*c^2)\n"
     "mass(x, phi, -m*c*sin(phi)); mass(y, phi, m*c*cos(phi))\n"
     "force(x, m*c*velocity(phi)^2*cos(phi) + drive*cos(phi))\n"
     "force(y, m*c*velocity(phi)^2*sin(phi) + drive*sin(phi))\n"
     "nonholonomic('edge', -sin(phi)*velocity(x) + cos(phi)*velocity(y))\n"
     "initial{ phi = 0.3, ['der(phi)'] = 1 }\n"},
    {"top", "top", true, /* unit quaternion, speeds, rectangular kinematics */
     "local A, C, mgl = param('A', 0.2), param('C', 0.1), param('mgl', 2)\n"
     "local e0, e1, e2, e3 = position('e0', 'e1', 'e2', 'e3')\n"
     "local w1, w2, w3 = speed('w1', 'w2', 'w3')\n"
     "kinematics(e0, (-e1*w1 - e2*w2 - e3*w3)/2)\n"
     "kinematics(e1, (e0*w1 - e3*w2 + e2*w3)/2)\n"
     "kinematics(e2, (e3*w1 + e0*w2 - e1*w3)/2)\n"
     "kinematics(e3, (-e2*w1 + e1*w2 + e0*w3)/2)\n"
     "mass(w1, A); mass(w2, A); mass(w3, C)\n"
     "force(w1, (A - C)*w2*w3 + mgl*2*(e2*e3 + e0*e1))\n"
     "force(w2, (C - A)*w1*w3 - mgl*2*(e1*e3 - e0*e2))\n"
     "invariant('norm', e0^2 + e1^2 + e2^2 + e3^2)\n"
     "initial{ e0 = 0.8, e1 = 0.6, e2 = 0, e3 = 0, w1 = 0, w2 = 0, w3 = 20 }\n"},
    {"maxwell", "maxwell", true, /* a dynamic variable, fed by a multiplier as well */
     "local m, c, d, k = param('m', 1), param('c', 40), param('d', 3), param('k', 10)\n"
     "local x, y = position('x', 'y')\n"
     "kinetic(m/2*velocity(x)^2 + m*velocity(y)^2)\n"
     "local link = constraint('link', y - sin(x))\n"
     "local r = dynamic('r', function(r) return c/d*(x - r) + 0.01*multiplier(link) end)\n"
     "force(x, -c*(x - r) - k*x)\n"
     "initial{ x = 0.4, ['der(x)'] = 0, r = 0.1 }\n"},
    {"auxiliary", "auxiliary", false,
     "local m, k = param('m', 1), param('k', 5)\n"
     "local x = position('x')\n"
     "local w = auxiliary('w', function(w) return w + 0.1*w^3 - k*x - velocity(x) end)\n"
     "mass(x, m)\n"
     "force(x, -w)\n"
     "initial{ x = 1, ['der(x)'] = 0 }\n"},
    {"contact", "contact",
     false, /* a disc above a wavy floor; s is the place of the nearest point */
     "local m, R = param('m', 1), param('R', 0.3)\n"
     "local x, y = position('x', 'y')\n"
     "kinetic(m/2*(velocity(x)^2 + velocity(y)^2))\n"
     "potential(m*9.81*y)\n"
     "local s = contact('s', function(s) return (x - s) + 0.1*cos(s)*(y - 0.1*sin(s)) end)\n"
     "constraint('floor', (x - s)^2 + (y - 0.1*sin(s))^2 - R^2)\n"
     "initial{ x = 0.2 }\n"
     "guess{ y = 0.35, s = 0.2 }\n"},
    {"redundant", "redundant", true, /* two rows say the same */
     "local x, y, z = position('x', 'y', 'z')\n"
     "kinetic(0.5*velocity(x)^2 + velocity(y)^2 + 2*velocity(z)^2)\n"
     "potential(9.81*z)\n"
     "constraint('sphere', (x^2 + y^2 + z^2 - 1)/2)\n"
     "constraint('again', 3*(x^2 + y^2 + z^2) - 3)\n"
     "constraint('plane', x - y)\n"
     "initial{ x = 0.5 }\n"
     "guess{ y = 0.5, z = -0.7, ['der(x)'] = 0.2 }\n"},
    {"table", "table", true, /* a spline in a force, in a constraint and in time */
     "local x, y = position('x', 'y')\n"
     "local road = spline({-2, -1, 0, 1, 2, 3}, {0, 0.2, 0.1, -0.1, 0.3, 0})\n"
     "local drive = spline({0, 1, 2, 4}, {0, 1, -1, 0.5})\n"
     "kinetic(velocity(x)^2 + velocity(y)^2)\n"
     "potential(9.81*y)\n"
     "force(x, drive(time) - 0.1*velocity(x))\n"
     "constraint('road', y - road(x))\n"
     "initial{ x = 0.2, ['der(x)'] = 0.5 }\n"},
    {"lookups", "lookups", true, /* tables of every kind and of parameters, remainders */
     "local x, y = position('x', 'y')\n"
     "local p = param('p', 0.7)\n"
     "local xs, ys = {-2, -1, 0, 1, 2, 3}, {0, 0.2, 0.1, -0.1, 0.3, 0}\n"
     "local road = lookup(xs, ys, {kind = 'smooth'})\n"
     "local soft = lookup(xs, {p, 0.2, p^2, -0.1, 0.3, p}, {outside = 'repeat'})\n"
     "local rough = lookup({0, 1, 1, 2}, {0, 1, p, 0}, {kind = 'linear', outside = 'error'})\n"
     "local field = map({-1, 0, 2}, {-1, 1}, {{1, 2}, {p, 0}, {3, 1}}, {kind = 'bicubic'})\n"
     "local plane = map({-1, 0, 2}, {-1, 1}, {{1, 2}, {0.5, 0}, {3, 1}})\n"
     "kinetic(velocity(x)^2 + velocity(y)^2)\n"
     "force(x, field(x, y) + rough(0.5 + 0.01*tanh(x)) - 0.1*velocity(x) + time % 0.3)\n"
     "force(y, soft(x + 7*y) + plane(x, velocity(y)) + floor(3*x)*mod(y, -p))\n"
     "constraint('road', y - road(x))\n"
     "initial{ x = 0.2, ['der(x)'] = 0.5 }\n"},
    {"driven", "driven", true, /* a constraint that depends on time */
     "local l, w = param('l', 0.8), param('omega', 3)\n"
     "local x, y = position('x', 'y')\n"
     "kinetic(velocity(x)^2 + velocity(y)^2)\n"
     "potential(2*9.81*y)\n"
     "constraint('rod', ((x - 0.2*sin(w*time))^2 + y^2 - l^2)/2)\n"
     "guess{ x = 0.5, y = -0.6 }\n"
     "simulate{ from = 0.25, to = 1.25 }\n"},
    {"rough", "rough", true, /* every function that has a kink, and most that have none */
     "local x, y = position('x', 'y')\n"
     "mass(x, 1 + exp(-x^2)); mass(y, 2 + tanh(y)); mass(x, y, 0.1*atan(x*y))\n"
     "force(x, select(x - 0.3, -2*x, sinh(y)/cosh(x)) - abs(velocity(x))*velocity(x))\n"
     "force(y, min(x, y) - max(velocity(y), sqrt(1 + x^2)) + sign(y)*log(2 + y^2) + atan2(y, x))\n"
     "output('more', tan(x/4) + asin(x/9) + acos(y/9) + abs(x)^1.5 + (2 + y)^-3)\n"
     "initial{ x = 1, y = 0.5 }\n"},
    {"4 sin*/", "model_4_sin__", false, /* names and units made to disturb; a massless velocity */
     "local m = param('m[1].a-b', 1, [[kg*/ \"?\?/' \\]])\n"
     "local x, y = position('x.1', 'y_2')\n"
     "mass(x, m)\n"
     "force(x, -100*(x - y))\n"
     "force(y, 100*(x - y) - velocity(y))\n"
     "output('it-s', x - y)\n"
     "initial{ [x] = 1, [y] = 0 }\n"},
    {"rotor", "rotor",
     false, /* a massless direction that moves: K0 = (1, y, -x), and one along a circle */
     "local phi, x, y, u, w = position('phi', 'x', 'y', 'u', 'w')\n"
     "local vp, vx, vy = velocity(phi, x, y)\n"
     "kinetic(((vx - y*vp)^2 + (vy + x*vp)^2)/2)\n"
     "potential(25*phi^2 + 150*(x^2 + y^2) + u)\n"
     "force(phi, -4*vp) force(x, -2*vx) force(y, -2*vy)\n"
     "constraint('circle', u^2 + w^2 - 1) force(u, -velocity(u)) force(w, -velocity(w))\n"
     "initial{ phi = 0.3, x = 0.7, y = 0.4, u = 0.6 } guess{ w = 0.8 }\n"},
    {"sin", "sin", false, /* friction that depends on a multiplier */
     "local x, y = position('x', 'y')\n"
     "kinetic(velocity(x)^2 + velocity(y)^2)\n"
     "local floor = constraint('floor', y - x/4)\n"
     "force(y, -9.81)\n"
     "force(x, -0.1*multiplier(floor)*tanh(10*velocity(x)))\n"
     "initial{ x = 1, ['der(x)'] = 2 }\n"},
    {"switches", "switches", true, /* every kind: exports follow every state */
     "local x, y = position('x', 'y')\n"
     "local u, v = velocity(x), velocity(y)\n"
     "kinetic((u^2 + v^2)/2)\n"
     "force(x, select(x - 0.2, -u, sign(v)) - abs(y) + floor(3*x) + mod(y, 0.3))\n"
     "force(y, 100*max(0, -y)^1.5 - min(x, y, u) + noevent(abs(x*v)))\n"
     "initial{ x = 0.3, y = 0.4 }\n"},
};
enum { EXAMPLES = sizeof examples / sizeof *examples, MOST = 400 };

/* An example, loaded. */
typedef struct loaded {
    dfl_context *ctx;
    dfl_model *model;
    dfl_equations *eq;
    dfl_runnable *run;
    int npar; /* parameters, inputs, levels */
} loaded;

static inline loaded load(const example *ex)
{
    loaded it = {.ctx = dfl_context_create()};
    char path[100];
    snprintf(path, sizeof path, "%s.lua", ex->name);
    dfl_status status =
        dfl_script_load_text(&it.model, it.ctx, path, ex->script, strlen(ex->script), NULL);
    if (!status)
        status = dfl_equations_create(&it.eq, it.model, true);
    if (!status)
        status = dfl_runnable_create(&it.run, it.eq);
    if (status)
        fail_msg("%s: %s", ex->name, dfl_message(it.ctx));
    /* a path would lose what stands before its slash */
    dfl_free(it.ctx, it.model->name);
    it.model->name = dfl_copy_string(it.ctx, ex->name);
    it.npar = it.model->count[DFL_A_PARAM] + it.model->count[DFL_AN_INPUT] +
              it.model->count[DFL_AN_INVARIANT];
    return it;
}

static inline void unload(loaded *it)
{
    dfl_runnable_free(it->run);
    dfl_equations_free(it->eq);
    dfl_model_free(it->model);
    assert_int_equal(dfl_context_live(it->ctx), 0);
    dfl_context_free(it->ctx);
}

static inline const example *example_named(const char *name)
{
    for (int i = 0; i < EXAMPLES; i++)
        if (!strcmp(examples[i].name, name))
            return &examples[i];
    fail_msg("no example %s", name);
    return NULL;
}

/* A number in (-1, 1), the same in every run. */
static inline double next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

/* A point at which exports and engine are compared, the engine set to its parameters and levels. */
typedef struct point {
    double t, x[RUN_MOST], a[RUN_MOST], par[RUN_MOST];
} point;

static inline point random_point(loaded *it, uint64_t *seed)
{
    point p = {.t = 0.5 + 0.4 * next_random(seed)};
    for (int i = 0; i < it->eq->n; i++)
        p.x[i] = next_random(seed);
    for (int i = 0; i < it->eq->nv; i++)
        p.a[i] = next_random(seed);
    const int nparams = it->model->count[DFL_A_PARAM], ninputs = it->model->count[DFL_AN_INPUT];
    dfl_expr invariant[RUN_MOST];
    for (int i = 0; i < it->model->declarations.count; i++) {
        const dfl_declaration *decl = &it->model->declarations.item[i];
        const double value = decl->value * (1.0 + 0.1 * next_random(seed));
        if (decl->kind == DFL_A_PARAM || decl->kind == DFL_AN_INPUT) {
            dfl_runnable_set(it->run, decl->kind, decl->index, value);
            p.par[decl->index + (decl->kind == DFL_A_PARAM ? 0 : nparams)] = value;
        } else if (decl->kind == DFL_AN_INVARIANT)
            invariant[decl->index] = decl->expr;
    }
    double other[RUN_MOST]; /* where the invariants get their levels */
    for (int i = 0; i < it->eq->n; i++)
        other[i] = next_random(seed);
    dfl_runnable_set_levels(it->run, p.t, other);
    assert_int_equal(dfl_runnable_values(p.par + nparams + ninputs, it->run, invariant,
                                         it->npar - nparams - ninputs, p.t, other, NULL),
                     DFL_OK);
    return p;
}

/* What the engine computes at a point. */
typedef struct engine {
    double kin[RUN_MOST], f[RUN_MOST], b[RUN_MOST], d[RUN_MOST], c[RUN_MOST], g[RUN_MOST];
    double ep[RUN_MOST], gI[RUN_MOST], hv[RUN_MOST], e[RUN_MOST], gam[RUN_MOST], bias[RUN_MOST];
    double W[MOST], K0[MOST], M[MOST], outputs[RUN_MOST], events[RUN_MOST], energy;
    double Jd[MOST], Jacc[MOST], Jvel[MOST], Jgam[MOST], Jpos[MOST], Jb[MOST], Jdyn[MOST],
        Jkin[MOST];
} engine;

static inline void evaluate_engine(engine *out, loaded *it, const point *p)
{
    const dfl_eom *eom = dfl_runnable_eom(it->run);
    const dfl_equations *eq = it->eq;
    memset(out, 0, sizeof *out);
    dfl_blocks blocks = {out->kin, out->f,  out->b, out->d,   out->c, out->g,  out->ep,
                         out->gI,  out->hv, out->e, out->gam, out->W, out->K0, out->bias};
    assert_int_equal(eom->eval(&blocks, p->t, p->x, DFL_EVERYTHING, eom->user), 0);
    if (eq->flags.trivial_kinematics) /* the engine is not asked for it then */
        memcpy(out->kin, p->x + eq->n - eq->np - eq->ns - eq->nv,
               (size_t)eq->nv * sizeof *out->kin);
    assert_int_equal(eom->mass(out->M, p->t, p->x, eom->user), 0);
    if (eom->mass_diagonal) /* spread it out, from the end */
        for (int i = eq->nv - 1; i >= 1; i--) {
            out->M[i + i * eq->nv] = out->M[i];
            out->M[i] = 0;
        }
    dfl_jacobian J = {out->Jd,   out->Jacc, out->Jvel, out->Jgam,
                      out->Jpos, out->Jb,   out->Jdyn, out->Jkin};
    assert_int_equal(eom->jacobian(&J, p->t, p->x, p->a, eom->user), 0);
    dfl_runnable_outputs(out->outputs, it->run, p->t, p->x);
    dfl_runnable_events(out->events, it->run, p->t, p->x);
    out->energy = dfl_runnable_energy(it->run, p->t, p->x);
}

/* The blocks under the names of the exports, with the number of their entries. */
typedef struct named_block {
    const char *name, *octave; /* in C, in Octave's check script */
    const double *value;
    int count;
} named_block;
enum { NAMED_BLOCKS = 26 };

static inline void name_blocks(named_block *out, const engine *at, const loaded *it)
{
    const dfl_equations *eq = it->eq;
    const int nc = eq->nl + eq->nm, n = eq->n, nsp = eq->ns + eq->np, nvsp = eq->nv + nsp;
    const named_block all[NAMED_BLOCKS] = {
        {"kin", "@_kinematics(t,x,par)", at->kin, eq->np},
        {"M", "@_mass(t,x,par)", at->M, eq->nv * eq->nv},
        {"f", "@_force(t,x,par)", at->f, eq->nv},
        {"b", "@_dynamic(t,x,par)", at->b, eq->nr},
        {"d", "@_auxiliary(t,x,par)", at->d, eq->nw},
        {"c", "@_contact(t,x,par)", at->c, eq->ns},
        {"g", "g", at->g, eq->nl},
        {"gI", "gI", at->gI, eq->nl},
        {"hv", "hv", at->hv, eq->nm},
        {"W", "W", at->W, nc * eq->nv},
        {"bias", "bias", at->bias, nc},
        {"e", "e", at->e, eq->ne},
        {"ep", "ep", at->ep, eq->nep},
        {"gam", "gam", at->gam, eq->n0},
        {"K0", "K0", at->K0, eq->nv * eq->n0},
        {"outputs", "@_outputs(t,x,par)", at->outputs, it->model->count[DFL_AN_OUTPUT]},
        {"events", "@_events(t,x,par)", at->events, it->model->count[DFL_AN_EVENT]},
        {"energy", "@_energy(t,x,par)", &at->energy, eq->energy != DFL_NO_EXPR},
        {"jacobian_d", "J.d", at->Jd, eq->nw * n},
        {"jacobian_acc", "J.acc", at->Jacc, nc * n},
        {"jacobian_vel", "J.vel", at->Jvel, (nc + eq->ne) * nvsp},
        {"jacobian_gam", "J.gam", at->Jgam, eq->n0 * n},
        {"jacobian_pos", "J.pos", at->Jpos, (eq->ns + eq->nl + eq->nep) * nsp},
        {"jacobian_b", "J.b", at->Jb, eq->nr * n},
        {"jacobian_dyn", "J.dyn", at->Jdyn, eq->nv * n},
        {"jacobian_kin", "J.kin", at->Jkin, eq->np * nvsp},
    };
    memcpy(out, all, sizeof all);
}

/* x = the shortest solution of the rows x cols system A x = y (least squares). */
static inline void solve_shortest(double *x, const double *A, const double *y, int rows, int cols)
{
    double copy[MOST] = {0}, both[RUN_MOST] = {0}, singular[RUN_MOST];
    lapack_int rank;
    memcpy(copy, A, (size_t)(rows * cols) * sizeof *copy);
    memcpy(both, y, (size_t)rows * sizeof *both);
    assert_int_equal(LAPACKE_dgelss(LAPACK_COL_MAJOR, rows, cols, 1, copy, rows, both,
                                    rows > cols ? rows : cols, singular, 1e-10, &rank),
                     0);
    memcpy(x, both, (size_t)cols * sizeof *x);
}

/* The right-hand side from [M W^T; W 0] (a, multipliers) = (f, -bias) at v - W^+ (gI, hv). Changes
   the velocities of p to the projected ones. */
static inline void reference_rhs(double *dy, loaded *it, point *p)
{
    static engine at;
    const dfl_equations *eq = it->eq;
    const int nv = eq->nv, nc = eq->nl + eq->nm, n = nv + nc, first_v = nc + eq->nr;
    double rate[RUN_MOST] = {0}, change[RUN_MOST] = {0}, K[MOST] = {0}, right[RUN_MOST] = {0};
    double z[RUN_MOST];
    evaluate_engine(&at, it, p);
    memcpy(rate, at.gI, (size_t)eq->nl * sizeof *rate);
    memcpy(rate + eq->nl, at.hv, (size_t)eq->nm * sizeof *rate);
    if (nc)
        solve_shortest(change, at.W, rate, nc, nv);
    for (int i = 0; i < nv; i++)
        p->x[first_v + i] -= change[i];
    evaluate_engine(&at, it, p);
    for (int j = 0; j < nv; j++) {
        for (int i = 0; i < nv; i++)
            K[i + j * n] = at.M[i + j * nv];
        for (int k = 0; k < nc; k++)
            K[nv + k + j * n] = K[j + (nv + k) * n] = at.W[k + j * nc];
        right[j] = at.f[j];
    }
    for (int k = 0; k < nc; k++)
        right[nv + k] = -at.bias[k];
    solve_shortest(z, K, right, n, n);
    memcpy(p->x, z + nv, (size_t)nc * sizeof *z);
    evaluate_engine(&at, it, p); /* b may depend on multipliers */
    memcpy(dy, at.kin, (size_t)eq->np * sizeof *dy);
    memcpy(dy + eq->np, z, (size_t)nv * sizeof *dy);
    memcpy(dy + eq->np + nv, at.b, (size_t)eq->nr * sizeof *dy);
}

/* y = (p, v, r) of x. */
static inline void take_y(double *y, const double *x, const dfl_equations *eq)
{
    const int p = eq->n - eq->np, v = p - eq->ns - eq->nv, r = v - eq->nr;
    memcpy(y, x + p, (size_t)eq->np * sizeof *y);
    memcpy(y + eq->np, x + v, (size_t)eq->nv * sizeof *y);
    memcpy(y + eq->np + eq->nv, x + r, (size_t)eq->nr * sizeof *y);
}

/* Exports as the program does: C, or Octave into a folder. */
static inline dfl_status export_with_start(dfl_text *text, const dfl_equations *eq,
                                           const char *folder)
{
    dfl_start_state state;
    dfl_status status = dfl_start_state_find(&state, eq, NULL);
    const dfl_export_start start = {
        .time = state.time, .x = state.x, .levels = state.levels, .problem = state.problem};
    if (!status)
        status =
            folder ? dfl_export_octave(text, eq, &start, folder) : dfl_export_c(text, eq, &start);
    dfl_start_state_clear(&state, eq->model->ctx);
    return status;
}

/* A folder of its own that remove_folder takes away with everything in it. */
static inline void make_folder(char folder[64])
{
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, 64, "%s/driftless-export-XXXXXX", tmp && strlen(tmp) < 40 ? tmp : "/tmp");
    assert_non_null(mkdtemp(folder));
}

static inline void remove_folder(const char *folder)
{
    char command[100];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    assert_int_equal(system(command), 0);
}

static inline void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

#endif
