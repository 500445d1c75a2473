/* rigidity.c: whether constraints that are nearly dependent take a motion away.

   A loop that moves only because of its exact proportions, as any plane loop in space, is rigid as
   soon as an axis is tilted a little. Then W, its rows compared with each other, has a small
   singular value: along its direction z the mechanism would move, and opens its joints by W z. */
#include "initial/initial_internal.h"

#include "context/context.h"

#include <math.h>
#include <stdio.h>

/* Singular values below this part of the smallest of the others are nearly zero. */
static const double gap = 0.03;

static void describe(char *text, size_t size, const dfl_initial *init, const dfl_split *split,
                     int freedoms);
static double opening(int *row, const dfl_initial *init, const double *z);

int dfl_initial_rigid(char *text, size_t size, dfl_initial *init)
{
    const dfl_system *sys = &init->sys;
    const int nv = sys->n3, ld = sys->m2;
    const double *W = sys->packed ? NULL : init->jac.J2 + (size_t)sys->at.v * (size_t)ld;
    dfl_split *split = NULL;
    dfl_split_rule rule = {.method = DFL_METHOD_SVD,
                           .tolerance =
                               fmax(init->rank_tolerance, sys->options->constraints.redundant),
                           .rank = -1,
                           .scale_rows = true,
                           .least = init->row_size};
    double *alike = dfl_alloc(sys->ctx, (size_t)sys->nc, sizeof *alike);
    text[0] = 0;
    if (sys->packed || sys->nc == 0 || !alike || dfl_split_create(&split, sys->ctx, sys->nc, nv)) {
        dfl_free(sys->ctx, alike);
        return 0;
    }
    int lost = 0;
    const int rank = dfl_lenient_rank(alike, split, &rule, sys->options->constraints.redundant_each,
                                      W, ld, sys->nc, nv);
    dfl_stages_alike(alike, init);
    if (rank >= 0) {
        const int freedoms = nv - rank;
        rule.tolerance = DFL_WEAK;
        rule.least = alike;
        if (dfl_split_compute(split, &rule, W, ld, sys->nc, nv) && nv - split->rank > freedoms &&
            split->dropped <= gap * split->smallest) {
            lost = nv - split->rank - freedoms;
            describe(text, size, init, split, freedoms);
        } else if (freedoms == 0)
            snprintf(text, size, "; the constraints leave no degree of freedom");
    }
    dfl_split_free(split, sys->ctx);
    dfl_free(sys->ctx, alike);
    return lost;
}

void dfl_stages_alike(double *size, const dfl_initial *init)
{
    const double largest = dfl_max_abs(init->row_size, init->sys.nc);
    for (int i = 0; i < init->sys.nc; i++)
        size[i] = largest;
}

/* The direction in which the joints open most, of those that would be free. */
static void describe(char *text, size_t size, const dfl_initial *init, const dfl_split *split,
                     int freedoms)
{
    const dfl_system *sys = &init->sys;
    const int nv = sys->n3, others = nv - split->rank;
    const double *worst = split->N;
    double most = 0;
    int row = 0, fastest = 0;
    for (int k = 0; k < others; k++) {
        int at;
        const double open = opening(&at, init, split->N + k * nv);
        if (open > most)
            most = open, row = at, worst = split->N + k * nv;
    }
    for (int j = 1; j < nv; j++)
        if (fabs(worst[j]) > fabs(worst[fastest]))
            fastest = j;
    char velocity[64], name[64];
    const bool holonomic = row < sys->eom->nl;
    dfl_eom_name(velocity, sizeof velocity, sys->eom, DFL_KIND_V, fastest);
    dfl_eom_name(name, sizeof name, sys->eom, holonomic ? DFL_ROW_G : DFL_ROW_HV,
                 holonomic ? row : row - sys->eom->nl);
    const double enough = pow(10, ceil(log10(5 * split->dropped / split->largest)));
    snprintf(text, size,
             "; the mechanism is rigid: the constraints leave %d degree%s of freedom, and %d more "
             "if they fitted exactly, but moving %s by 1 opens %s by %.2g; correct the geometry, "
             "or allow this misfit by the setting redundant = %.0e",
             freedoms, freedoms == 1 ? "" : "s", others - freedoms, velocity, name, most, enough);
}

/* The largest entry of W z, for a largest entry 1 of z, of rows that may not open so far. */
static double opening(int *row, const dfl_initial *init, const double *z)
{
    const dfl_system *sys = &init->sys;
    const double *W = init->jac.J2 + (size_t)sys->at.v * (size_t)sys->m2;
    const double *each = sys->options->constraints.redundant_each, size = dfl_max_abs(z, sys->n3);
    double most = 0;
    *row = 0;
    for (int i = 0; i < sys->nc; i++) {
        double sum = 0;
        for (int j = 0; j < sys->n3; j++)
            sum += W[(size_t)j * (size_t)sys->m2 + (size_t)i] * z[j];
        const bool allowed = each && fabs(sum) <= each[i] * init->row_size[i] * size;
        if (!allowed && fabs(sum) > most)
            most = fabs(sum), *row = i;
    }
    return most / size;
}
