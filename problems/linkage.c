/* linkage.c: n points in the plane under gravity, joined by uniform bars of length 1.

       p = (x_0, y_0, ..., x_{n-1}, y_{n-1}),  v = p'
       g = |d|^2 - 1,  gI = 2 d.d',  gII = 2 (d.d'' + d'.d')      for each bar, d = p_to - p_from

   Each point may carry a mass; a bar of mass m adds (m/3, m/6; m/6, m/3) to the mass matrix of x
   and of y of its two ends and half its weight to each. A fixed end is left out. M and f are
   constant. */
#include "linkage.h"

#include <string.h>

static size_t round_up(size_t bytes);
static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user);
static void eval_force(double *f, const linkage *link);
static void eval_bars(dfl_blocks *out, const linkage *link, const double *v, const double *p,
                      unsigned need);
static int mass(double *M, double t, const double *x, void *user);
static int jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user);
static void write_row(double *A, int row, int rows, const linkage_bar *bar, const double d[2]);
static void differentiate_bar_force(double *dyn, const linkage_bar *bar, int nv, double lambda);
static void difference(double d[2], const linkage_bar *bar, const double *y, double anchor);
static double energy(const double *x, const void *parameters);

bool linkage_create(problem *out, const linkage *data, int nreferences)
{
    const int nv = 2 * data->npoints;
    out->eom = (dfl_eom){.np = nv,
                         .nv = nv,
                         .nl = data->nbars,
                         .eval = eval,
                         .trivial_kinematics = true,
                         .mass = mass,
                         .jacobian = jacobian,
                         .mass_diagonal = data->bar_mass == 0.0,
                         .mass_constant = true,
                         .autonomous = true,
                         .forces_free_of_multipliers = true};
    out->energy = energy;
    out->nreferences = nreferences;

    const size_t n = (size_t)dfl_eom_unknowns(&out->eom), nref = (size_t)nreferences;
    const size_t bars = round_up(sizeof(linkage));
    const size_t x = bars + round_up((size_t)data->nbars * sizeof(linkage_bar));
    const size_t references = x + round_up(nref * n * sizeof(double));
    const size_t bodies = references + round_up(nref * sizeof(problem_reference));
    const size_t blocks = bodies + round_up((size_t)data->npoints * sizeof(dfl_body));
    const size_t end = blocks + (size_t)data->nbars * sizeof(dfl_constraint_block);
    if (!problem_allocate(out, end))
        return false;

    char *memory = out->parameters;
    linkage *link = out->parameters;
    *link = *data;
    link->bars = (linkage_bar *)(void *)(memory + bars);
    link->reference_x = (double *)(void *)(memory + x);
    link->references = (problem_reference *)(void *)(memory + references);
    link->bodies = (dfl_body *)(void *)(memory + bodies);
    link->blocks = (dfl_constraint_block *)(void *)(memory + blocks);
    for (size_t i = 0; i < nref; i++)
        link->references[i].x = link->reference_x + i * n;
    out->references = link->references;
    return true;
}

void linkage_finish(problem *out)
{
    linkage *link = out->parameters;
    for (int i = 0; i < link->npoints; i++)
        link->bodies[i] = (dfl_body){.first_v = 2 * i, .nv = 2, .first_p = 2 * i, .np = 2};
    for (int i = 0; i < link->nbars; i++) {
        const linkage_bar *bar = &link->bars[i];
        const bool fixed = bar->ends[0] < 0;
        link->blocks[i] = (dfl_constraint_block){
            .first_row = i, .rows = 1, .nbodies = fixed ? 1 : 2, .bodies = bar->ends + fixed};
    }
    link->structure = (dfl_structure){.nbodies = link->npoints,
                                      .bodies = link->bodies,
                                      .nblocks = link->nbars,
                                      .blocks = link->blocks};
    out->eom.structure = &link->structure;
}

/* Room that keeps what follows aligned. */
static size_t round_up(size_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const linkage *link = user;
    const int nv = 2 * link->npoints;
    const double *v = x + link->nbars, *p = v + nv;
    (void)t;
    if (need & DFL_KINEMATICS)
        memcpy(out->kin, v, (size_t)nv * sizeof *v);
    if (need & DFL_FORCE)
        eval_force(out->f, link);
    if (need & (DFL_POSITION | DFL_VELOCITY | DFL_DIRECTIONS | DFL_BIAS))
        eval_bars(out, link, v, p, need);
    return 0;
}

static void eval_force(double *f, const linkage *link)
{
    for (int i = 0; i < link->npoints; i++) {
        f[2 * i] = 0.0;
        f[2 * i + 1] = -link->point_mass * link->gravity;
    }
    for (int i = 0; i < link->nbars; i++) {
        const linkage_bar *bar = &link->bars[i];
        f[2 * bar->ends[1] + 1] -= 0.5 * link->bar_mass * link->gravity;
        if (bar->ends[0] >= 0)
            f[2 * bar->ends[0] + 1] -= 0.5 * link->bar_mass * link->gravity;
    }
}

static void eval_bars(dfl_blocks *out, const linkage *link, const double *v, const double *p,
                      unsigned need)
{
    for (int i = 0; i < link->nbars; i++) {
        const linkage_bar *bar = &link->bars[i];
        double d[2], dv[2];
        difference(d, bar, p, bar->anchor);
        difference(dv, bar, v, 0.0);
        if (need & DFL_POSITION)
            out->g[i] = d[0] * d[0] + d[1] * d[1] - 1.0;
        if (need & DFL_VELOCITY)
            out->gI[i] = 2.0 * (d[0] * dv[0] + d[1] * dv[1]);
        if (need & DFL_DIRECTIONS)
            write_row(out->W, i, link->nbars, bar, (double[]){2.0 * d[0], 2.0 * d[1]});
        if (need & DFL_BIAS)
            out->bias[i] = 2.0 * (dv[0] * dv[0] + dv[1] * dv[1]);
    }
}

static int mass(double *M, double t, const double *x, void *user)
{
    const linkage *link = user;
    const int nv = 2 * link->npoints;
    (void)t, (void)x;
    if (link->bar_mass == 0.0) {
        for (int i = 0; i < nv; i++)
            M[i] = link->point_mass;
        return 0;
    }
    for (int i = 0; i < nv; i++)
        M[i + nv * i] = link->point_mass;
    for (int i = 0; i < link->nbars; i++) {
        for (int k = 0; k < 2; k++) {
            const int to = 2 * link->bars[i].ends[1] + k, from = 2 * link->bars[i].ends[0] + k;
            M[to + nv * to] += link->bar_mass / 3.0;
            if (link->bars[i].ends[0] < 0)
                continue;
            M[from + nv * from] += link->bar_mass / 3.0;
            M[to + nv * from] += link->bar_mass / 6.0;
            M[from + nv * to] += link->bar_mass / 6.0;
        }
    }
    return 0;
}

static int jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user)
{
    const linkage *link = user;
    const int nl = link->nbars, nv = 2 * link->npoints;
    const double *v = x + nl, *p = v + nv;
    (void)t;
    for (int i = 0; i < nl; i++) {
        const linkage_bar *bar = &link->bars[i];
        double d[2], dv[2], da[2];
        difference(d, bar, p, bar->anchor);
        difference(dv, bar, v, 0.0);
        difference(da, bar, a, 0.0);
        const double d2[2] = {2.0 * d[0], 2.0 * d[1]}, dv2[2] = {2.0 * dv[0], 2.0 * dv[1]};
        write_row(out->acc + nl * nl, i, nl, bar, (double[]){2.0 * dv2[0], 2.0 * dv2[1]});
        write_row(out->acc + nl * (nl + nv), i, nl, bar, (double[]){2.0 * da[0], 2.0 * da[1]});
        write_row(out->vel, i, nl, bar, d2);
        write_row(out->vel + nl * nv, i, nl, bar, dv2);
        write_row(out->pos, i, nl, bar, d2);
        for (int k = 0; k < 2; k++) {
            out->dyn[2 * bar->ends[1] + k + nv * i] = -d2[k];
            if (bar->ends[0] >= 0)
                out->dyn[2 * bar->ends[0] + k + nv * i] = d2[k];
        }
        differentiate_bar_force(out->dyn + nv * (nl + nv), bar, nv, x[i]);
    }
    for (int i = 0; i < nv; i++)
        out->kin[i + nv * i] = 1.0;
    return 0;
}

/* Row `row` of a matrix of `rows` rows: d at the columns of the bar's end, -d at those of its
   start. */
static void write_row(double *A, int row, int rows, const linkage_bar *bar, const double d[2])
{
    for (int k = 0; k < 2; k++) {
        A[row + rows * (2 * bar->ends[1] + k)] = d[k];
        if (bar->ends[0] >= 0)
            A[row + rows * (2 * bar->ends[0] + k)] = -d[k];
    }
}

/* Adds the derivative of -W^T lambda with respect to the positions of the two ends. */
static void differentiate_bar_force(double *dyn, const linkage_bar *bar, int nv, double lambda)
{
    for (int k = 0; k < 2; k++) {
        const int to = 2 * bar->ends[1] + k, from = 2 * bar->ends[0] + k;
        dyn[to + nv * to] -= 2.0 * lambda;
        if (bar->ends[0] < 0)
            continue;
        dyn[from + nv * from] -= 2.0 * lambda;
        dyn[to + nv * from] += 2.0 * lambda;
        dyn[from + nv * to] += 2.0 * lambda;
    }
}

/* d = y_to - y_from for positions, velocities or accelerations y; (anchor, 0) if the start is
   fixed. */
static void difference(double d[2], const linkage_bar *bar, const double *y, double anchor)
{
    const double fixed[2] = {anchor, 0.0};
    const double *from = bar->ends[0] < 0 ? fixed : y + 2 * bar->ends[0];
    d[0] = y[2 * bar->ends[1]] - from[0];
    d[1] = y[2 * bar->ends[1] + 1] - from[1];
}

/* A uniform bar whose ends move with a and b has the kinetic energy m (|a|^2 + |b|^2 + a.b) / 6. */
static double energy(const double *x, const void *parameters)
{
    const linkage *link = parameters;
    const double *v = x + link->nbars, *p = v + 2 * link->npoints;
    double sum = 0.0;
    for (int i = 0; i < link->npoints; i++)
        sum += link->point_mass * (0.5 * (v[2 * i] * v[2 * i] + v[2 * i + 1] * v[2 * i + 1]) +
                                   link->gravity * p[2 * i + 1]);
    for (int i = 0; i < link->nbars; i++) {
        const linkage_bar *bar = &link->bars[i];
        const double rest[2] = {0.0, 0.0};
        const double *a = bar->ends[0] < 0 ? rest : v + 2 * bar->ends[0], *b = v + 2 * bar->ends[1];
        const double height =
            p[2 * bar->ends[1] + 1] + (bar->ends[0] < 0 ? 0.0 : p[2 * bar->ends[0] + 1]);
        sum +=
            link->bar_mass *
            ((a[0] * a[0] + a[1] * a[1] + b[0] * b[0] + b[1] * b[1] + a[0] * b[0] + a[1] * b[1]) /
                 6.0 +
             0.5 * link->gravity * height);
    }
    return sum;
}
