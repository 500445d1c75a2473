/* elastic_squares.c: how far the masses of a body go whose displacements of second order have no
   squares, as those of SID files. They add N_k q_k to the masses M0 of the body without
   deflections; with u_k, the largest eigenvalue of M0^-1 N_k by size, masses are positive while
   sum u_k |q_k| < 1. */
#include "drawing/elastic_tables.h"

#include "drawing/drawing_internal.h"

#include <math.h>
#include <string.h>

enum { MOST = 6 + DFL_MOST_MODES };

static void masses(double *M, const dfl_modal_body *b);
static bool changes(double *M, const dfl_modal_body *b, int mode);
static void couple(double *M, const dfl_modal_body *b, int i, int field);

dfl_status dfl_elastic_doubt_squares(dfl_drawing *drawing, const dfl_drawn_modes *m,
                                     const dfl_modal_body *b)
{
    const int N = 6 + b->n;
    const size_t size = (size_t)(N * N);
    dfl_graph *g = drawing->graph;
    const dfl_elastic *e = &drawing->elastics[drawing->nelastics - 1];
    dfl_expr sum = dfl_constant(g, -1.0);
    dfl_text text = {.ctx = drawing->ctx};
    double w[MOST], *room = dfl_alloc(drawing->ctx, 3 * size, sizeof *room);
    dfl_status status = room ? DFL_OK : DFL_NO_MEMORY;
    for (int k = 0; k < b->n && !status; k++) {
        if (!changes(room, b, k))
            continue;
        masses(room + size, b);
        status = dfl_symmetric_modes(w, room + 2 * size, drawing->ctx, N, room, room + size);
        const double most = status ? 0.0 : fmax(fabs(w[0]), fabs(w[N - 1]));
        sum = dfl_add(g, sum, dfl_mul(g, dfl_constant(g, most), dfl_unary(g, DFL_OP_ABS, e->p[k])));
    }
    if (status == DFL_INVALID) { /* without masses for all motions nothing can be said */
        dfl_free(drawing->ctx, room);
        return DFL_OK;
    }
    dfl_text_add(&text,
                 "the elastic body '%s' deflects further than its data goes: displacements of "
                 "second order without their squares, as in SID files, may have negative masses",
                 m->name);
    if (!status)
        status = text.status;
    if (!status && sum != dfl_constant(g, -1.0))
        status = dfl_model_doubt(drawing->model, m->line, sum, dfl_text_string(&text));
    dfl_text_clear(&text);
    dfl_free(drawing->ctx, room);
    return status;
}

/* M0, of rigid motions (turns, shifts) and modes. */
static void masses(double *M, const dfl_modal_body *b)
{
    static const int place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    const int n = b->n, N = 6 + n;
    memset(M, 0, (size_t)(N * N) * sizeof *M);
    for (int c = 0; c < 3; c++) {
        const int a = (c + 1) % 3, d = (c + 2) % 3;
        for (int k = 0; k < 3; k++)
            M[c + N * k] = b->J0[place[c][k]];
        M[c * (N + 1)] +=
            1e-9 * (b->J0[0] + b->J0[1] + b->J0[2]); /* lines have none about one axis */
        M[(3 + c) * (N + 1)] = b->mass;
        M[a + N * (3 + d)] = M[3 + d + N * a] = -b->s0[c];
        M[d + N * (3 + a)] = M[3 + a + N * d] = b->s0[c];
    }
    for (int i = 0; i < n; i++) {
        couple(M, b, i, i);
        for (int k = 0; k < n; k++)
            M[6 + k + N * (6 + i)] = b->Me[k + b->nz * i];
    }
}

/* What products with q_mode add to it: dz/dq_i of the field of both is q_mode. False: nothing. */
static bool changes(double *M, const dfl_modal_body *b, int mode)
{
    const int N = 6 + b->n;
    memset(M, 0, (size_t)(N * N) * sizeof *M);
    for (int i = 0; i < b->n; i++)
        couple(M, b, i, b->n + dfl_mode_pair(b->n, i < mode ? i : mode, i < mode ? mode : i));
    for (int i = 0; i < N * N; i++)
        if (M[i] != 0.0)
            return true;
    return false;
}

/* Mode i with rigid motions, as a field says. */
static void couple(double *M, const dfl_modal_body *b, int i, int field)
{
    const int N = 6 + b->n;
    for (int a = 0; a < 3; a++) {
        M[a + N * (6 + i)] = M[6 + i + N * a] = b->C0[3 * field + a];
        M[3 + a + N * (6 + i)] = M[6 + i + N * (3 + a)] = b->S[3 * field + a];
    }
}
