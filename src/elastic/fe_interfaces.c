/* fe_interfaces.c: nodes of an interface follow its six motions, u = U + theta x (r - at); matrices
   of what is free and of these motions. */
#include "elastic/reduction_internal.h"

#include <math.h>
#include <string.h>

/* In the plane nothing moves along z or turns about x and y. */
static bool is_held(const dfl_reduction *r, int direction)
{
    return r->task->planar && direction >= 2 && direction <= 4;
}

dfl_status dfl_reduction_find_interfaces(dfl_reduction *r)
{
    const dfl_fe *fe = r->fe;
    r->owner = dfl_alloc(r->ctx, (size_t)fe->nnodes, sizeof *r->owner);
    r->place = dfl_alloc(r->ctx, (size_t)fe->n, sizeof *r->place);
    if (!r->owner || !r->place)
        return DFL_NO_MEMORY;
    for (int k = 0; k < r->task->ninterfaces; k++) {
        const dfl_fe_interface *from = &r->task->interface[k];
        double mean[3] = {0};
        for (int i = 0; i < from->count; i++) {
            const int node = dfl_fe_find_node(fe, from->id[i]);
            if (node < 0)
                return dfl_fail(r->ctx, DFL_INVALID, "interface '%s': there is no node %d",
                                from->name, from->id[i]);
            if (r->owner[node])
                return dfl_fail(r->ctx, DFL_INVALID, "interface '%s': node %d is given twice",
                                from->name, from->id[i]);
            r->owner[node] = k + 1;
            for (int a = 0; a < 3; a++)
                mean[a] += fe->at[3 * (size_t)node + (size_t)a] / from->count;
        }
        memcpy(r->at[k], from->at_given ? from->at : mean, sizeof mean);
    }
    const double *first = r->at[0], *last = r->at[r->task->ninterfaces - 1];
    const double chord = hypot(hypot(last[0] - first[0], last[1] - first[1]), last[2] - first[2]);
    if (r->task->frame == DFL_FRAME_CHORD && r->task->ninterfaces > 1 && !(chord > 0.0))
        return dfl_fail(r->ctx, DFL_INVALID,
                        "the interfaces '%s' and '%s' are the same place, which is no chord; give "
                        "another frame",
                        r->task->interface[0].name,
                        r->task->interface[r->task->ninterfaces - 1].name);
    for (int i = 0; i < fe->n; i++)
        r->place[i] = r->owner[fe->node[i]] || is_held(r, fe->direction[i]) ? -1 : r->nf++;
    if (r->nf <= r->task->modes)
        return dfl_fail(r->ctx, DFL_INVALID,
                        "%d unknowns between the interfaces are too few for %d modes", r->nf,
                        r->task->modes);
    return DFL_OK;
}

/* A turn of an interface about any axis moves one of its unknowns. */
dfl_status dfl_reduction_check_interfaces(const dfl_reduction *r)
{
    const dfl_fe *fe = r->fe;
    for (int k = 0; k < r->task->ninterfaces; k++) {
        double G[9] = {0}, size = 0.0, w[3], X[9], one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        bool turns = false;
        for (int i = 0; i < fe->n; i++) {
            if (r->owner[fe->node[i]] != k + 1)
                continue;
            turns = turns || fe->direction[i] >= 3;
            dfl_share s[3] = {{0}};
            const int count = dfl_reduction_shares(s, r, i);
            for (int a = 0; a < count; a++)
                for (int b = 0; b < count; b++) {
                    const int row = s[a].y - r->nf - 6 * k - 3, column = s[b].y - r->nf - 6 * k - 3;
                    if (row >= 0 && column >= 0)
                        G[row + 3 * column] += s[a].factor * s[b].factor;
                }
        }
        size = fmax(G[0], fmax(G[4], G[8]));
        const dfl_status status = dfl_symmetric_modes(w, X, r->ctx, 3, G, one);
        if (status)
            return status;
        if (!turns && !(w[0] > 1e-10 * size))
            return dfl_fail(
                r->ctx, DFL_INVALID,
                "interface '%s': its nodes do not turn, and they lie on a line; give three "
                "nodes or more that do not",
                r->task->interface[k].name);
    }
    return DFL_OK;
}

/* u of an unknown as a sum of motions. */
int dfl_reduction_shares(dfl_share out[3], const dfl_reduction *r, int unknown)
{
    const dfl_fe *fe = r->fe;
    const int node = fe->node[unknown], d = fe->direction[unknown], k = r->owner[node] - 1;
    if (is_held(r, d))
        return 0;
    if (k < 0) {
        out[0] = (dfl_share){r->place[unknown], 1.0};
        return 1;
    }
    const int first = r->nf + 6 * k;
    out[0] = (dfl_share){first + d, 1.0};
    if (d >= 3)
        return 1;
    const int b = (d + 1) % 3, c = (d + 2) % 3;
    const double *x = fe->at + 3 * (size_t)node;
    out[1] = (dfl_share){first + 3 + b,
                         x[c] - r->at[k][c]}; /* (theta x r)_d = theta_b r_c - theta_c r_b */
    out[2] = (dfl_share){first + 3 + c, -(x[b] - r->at[k][b])};
    return 3;
}

/* T^T A T in blocks. */
dfl_status dfl_reduction_assemble(dfl_reduction *r, dfl_fe_matrix which)
{
    const dfl_fe *fe = r->fe;
    const int count = fe->count[which], nf = r->nf, nb = r->nb;
    int inner = 0;
    for (int e = 0; e < count; e++) {
        const dfl_fe_entry *x = &fe->entry[which][e];
        if (r->place[x->row] >= 0 && r->place[x->column] >= 0)
            inner += x->row == x->column ? 1 : 2;
    }
    dfl_place_of_entry *places = dfl_alloc(r->ctx, (size_t)inner + 1, sizeof *places);
    int *at = dfl_alloc(r->ctx, (size_t)inner + 1, sizeof *at);
    r->value[which] = dfl_alloc(r->ctx, (size_t)inner + 1, sizeof(double));
    r->side[which] = dfl_alloc(r->ctx, (size_t)nf * (size_t)nb, sizeof(double));
    r->corner[which] = dfl_alloc(r->ctx, (size_t)(nb * nb), sizeof(double));
    dfl_status status = places && at && r->value[which] && r->side[which] && r->corner[which]
                            ? DFL_OK
                            : DFL_NO_MEMORY;
    for (int pass = 0; pass < 2 && !status; pass++) {
        int k = 0;
        for (int e = 0; e < count; e++) {
            const dfl_fe_entry *x = &fe->entry[which][e];
            dfl_share left[3] = {{0}}, right[3] = {{0}};
            const int nl = dfl_reduction_shares(left, r, x->row),
                      nr = dfl_reduction_shares(right, r, x->column);
            for (int turn = 0; turn < (x->row == x->column ? 1 : 2); turn++)
                for (int i = 0; i < nl; i++)
                    for (int j = 0; j < nr; j++) {
                        const dfl_share a = turn ? right[j] : left[i],
                                        b = turn ? left[i] : right[j];
                        const double value = x->value * a.factor * b.factor;
                        if (a.y < nf && b.y < nf) {
                            if (pass)
                                r->value[which][at[k]] += value;
                            else
                                places[k] = (dfl_place_of_entry){a.y, b.y};
                            k++;
                        } else if (pass && b.y >= nf && a.y < nf) {
                            r->side[which][(size_t)a.y + (size_t)nf * (size_t)(b.y - nf)] += value;
                        } else if (pass && b.y >= nf) {
                            r->corner[which][a.y - nf + nb * (b.y - nf)] += value;
                        }
                    }
        }
        if (!pass)
            status = dfl_csc_create(&r->pattern[which], at, r->ctx, nf, nf, places, inner);
    }
    dfl_free(r->ctx, places);
    dfl_free(r->ctx, at);
    return status;
}
