/* Kinematics by blocks (motion_blocks.h). */
#include "formulation/motion_blocks.h"
#include "formulation/set_products.h"

#include "context/context.h"

#include <math.h>
#include <string.h>

enum { LANES = 4, MOST = 8 };

static dfl_status find_blocks(dfl_motion_blocks *m, bool *fits);
static dfl_status place_entries(dfl_motion_blocks *m);

dfl_status dfl_motion_blocks_init(dfl_motion_blocks *m, bool *fits, const dfl_system *sys)
{
    const dfl_eom *eom = sys->eom;
    *m = (dfl_motion_blocks){.ctx = sys->ctx, .nv = eom->nv, .np = eom->np};
    *fits = true;
    if (eom->trivial_kinematics)
        return DFL_OK;
    m->kin = &sys->packed->kin;
    const size_t p = (size_t)m->np + 1, v = (size_t)m->nv + 1;
    m->block = dfl_alloc(m->ctx, p, sizeof *m->block);
    m->v = dfl_alloc(m->ctx, v, sizeof(int));
    m->p = dfl_alloc(m->ctx, p, sizeof(int));
    m->block_of = dfl_alloc(m->ctx, p + v, sizeof(int));
    m->place = dfl_alloc(m->ctx, p, sizeof(int));
    m->place_v = dfl_alloc(m->ctx, v, sizeof(int));
    if (!m->block || !m->v || !m->p || !m->block_of || !m->place || !m->place_v)
        return DFL_NO_MEMORY;
    const dfl_status status = find_blocks(m, fits);
    return status || !*fits ? status : place_entries(m);
}

void dfl_motion_blocks_clear(dfl_motion_blocks *m)
{
    void *const list[] = {m->block, m->v,       m->p,      m->block_of,
                          m->place, m->place_v, m->number, m->at};
    for (size_t i = 0; m->ctx && i < sizeof list / sizeof *list; i++)
        dfl_free(m->ctx, list[i]);
}

static int root(int *parent, int i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* Positions and velocities that the kinematics relate are one block. */
static dfl_status find_blocks(dfl_motion_blocks *m, bool *fits)
{
    const int np = m->np, nv = m->nv;
    int *parent = dfl_alloc(m->ctx, (size_t)(np + nv) + 1, sizeof *parent);
    if (!parent)
        return DFL_NO_MEMORY;
    for (int i = 0; i < np + nv; i++)
        parent[i] = i;
    for (int j = 0; j < nv + np; j++) /* columns: velocities, positions */
        for (int k = m->kin->column_start[j]; k < m->kin->column_start[j + 1]; k++)
            parent[root(parent, m->kin->row[k])] = root(parent, j < nv ? np + j : j - nv);
    for (int i = 0; i < np + nv; i++)
        m->block_of[i] = root(parent, i) == i ? m->nblocks++ : -1;
    *fits = m->nblocks <= np; /* none of velocities alone */
    for (int i = 0; i < np + nv && *fits; i++) {
        m->block_of[i] = m->block_of[root(parent, i)];
        dfl_motion_block *b = &m->block[m->block_of[i]];
        if (i < np)
            b->np++;
        else
            b->nv++;
    }
    int v = 0, p = 0;
    for (int i = 0; i < m->nblocks && *fits; i++) {
        dfl_motion_block *b = &m->block[i];
        *fits = b->np <= MOST && b->nv > 0 && (b->np == b->nv || b->np == b->nv + 1);
        b->v = v, b->p = p;
        v += b->nv, p += b->np;
        b->Z = m->numbers;
        b->J = b->Z + b->np * b->nv;
        b->n = b->J + b->np * b->np;
        b->inverse = b->n + b->np;
        m->numbers = b->inverse + b->np * b->np;
        b->nv = b->np = 0;
    }
    for (int i = 0; i < np + nv && *fits; i++) {
        dfl_motion_block *b = &m->block[m->block_of[i]];
        if (i < np)
            m->place[i] = b->np, m->p[b->p + b->np++] = i;
        else
            m->place_v[i - np] = b->nv, m->v[b->v + b->nv++] = i - np;
    }
    dfl_free(m->ctx, parent);
    return DFL_OK;
}

static dfl_status place_entries(dfl_motion_blocks *m)
{
    const int *start = m->kin->column_start, entries = start[m->nv + m->np];
    m->number = dfl_alloc(m->ctx, (size_t)m->numbers + 1, sizeof(double));
    m->at = dfl_alloc(m->ctx, (size_t)entries + 1, sizeof(int));
    if (!m->number || !m->at)
        return DFL_NO_MEMORY;
    for (int j = 0; j < m->nv + m->np; j++)
        for (int k = start[j]; k < start[j + 1]; k++) {
            const int i = m->kin->row[k];
            const dfl_motion_block *b = &m->block[m->block_of[i]];
            m->at[k] = j < m->nv ? b->Z + m->place[i] * b->nv + m->place_v[j]
                                 : b->J + m->place[i] * b->np + m->place[j - m->nv];
        }
    return DFL_OK;
}

/* n: a unit vector that is orthogonal to the columns of Z. False: these are dependent. */
static bool find_missing(double *n, const double *Z, int np, int nv)
{
    double e[MOST][MOST], best = 0; /* orthonormal columns */
    for (int j = 0; j < nv; j++) {
        double before = 0, length = 0;
        for (int i = 0; i < np; i++)
            e[j][i] = Z[i * nv + j], before += e[j][i] * e[j][i];
        for (int k = 0; k < j; k++) {
            double dot = 0;
            for (int i = 0; i < np; i++)
                dot += e[k][i] * e[j][i];
            for (int i = 0; i < np; i++)
                e[j][i] -= dot * e[k][i];
        }
        for (int i = 0; i < np; i++)
            length += e[j][i] * e[j][i];
        if (!(length > 1e-12 * before))
            return false;
        for (int i = 0; i < np; i++)
            e[j][i] /= sqrt(length);
    }
    for (int axis = 0; axis < np; axis++) {
        double x[MOST] = {0}, length = 0;
        x[axis] = 1;
        for (int k = 0; k < nv; k++)
            for (int i = 0; i < np; i++)
                x[i] -= e[k][axis] * e[k][i];
        for (int i = 0; i < np; i++)
            length += x[i] * x[i];
        if (length > best)
            for (int i = 0; i < np; i++)
                n[i] = x[i] / sqrt(length);
        best = fmax(best, length);
    }
    return best > 0;
}

/* inverse := A^-1 by Gauss and Jordan with pivots of columns; A is overwritten. */
static bool invert(double *inverse, double *A, int n)
{
    for (int i = 0; i < n * n; i++)
        inverse[i] = i % (n + 1) == 0;
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            pivot = fabs(A[i * n + k]) > fabs(A[pivot * n + k]) ? i : pivot;
        const double a = A[pivot * n + k];
        if (!(fabs(a) > 1e-12))
            return false;
        for (int j = 0; j < n; j++) {
            const double x = A[pivot * n + j], y = inverse[pivot * n + j];
            A[pivot * n + j] = A[k * n + j], inverse[pivot * n + j] = inverse[k * n + j];
            A[k * n + j] = x / a, inverse[k * n + j] = y / a;
        }
        for (int i = 0; i < n; i++) {
            const double f = i == k ? 0 : A[i * n + k];
            for (int j = 0; f != 0 && j < n; j++) {
                A[i * n + j] -= f * A[k * n + j];
                inverse[i * n + j] -= f * inverse[k * n + j];
            }
        }
    }
    return true;
}

bool dfl_motion_blocks_update(dfl_motion_blocks *m, const double *kin)
{
    bool good = true;
    for (int k = 0; m->kin && k < m->kin->column_start[m->nv + m->np]; k++)
        m->number[m->at[k]] = kin[k];
    for (int i = 0; good && i < m->nblocks; i++) {
        const dfl_motion_block *b = &m->block[i];
        const double *Z = m->number + b->Z;
        double *n = m->number + b->n, whole[MOST * MOST]; /* [Z n] */
        const bool more = b->np > b->nv;
        good = !more || find_missing(n, Z, b->np, b->nv);
        for (int r = 0; r < b->np; r++)
            for (int c = 0; c < b->np; c++)
                whole[r * b->np + c] = c < b->nv ? Z[r * b->nv + c] : n[r];
        good = good && invert(m->number + b->inverse, whole, b->np);
    }
    return good;
}

static DFL_INLINE dfl_four fetch(const double *x)
{
    return *(const dfl_quad *)x;
}

/* zeta as vectors: zeta x = re x + im (x with real and imaginary parts exchanged) */
typedef struct shift {
    dfl_four re, im;
} shift;

static DFL_INLINE dfl_four shifted(const shift *zeta, dfl_four x)
{
    return zeta->re * x + zeta->im * __builtin_shufflevector(x, x, 0, 2, 1, 3);
}

/* x / (zeta - slope) */
static DFL_INLINE dfl_four divided(dfl_four x, const double *zeta, double slope)
{
    const double re = zeta[1] - slope, im = zeta[2], square = re * re + im * im;
    return (dfl_four){x[0] / (zeta[0] - slope), square > 0 ? (re * x[1] + im * x[2]) / square : 0,
                      square > 0 ? (re * x[2] - im * x[1]) / square : 0, 0};
}

/* A row of a matrix times lanes. */
static DFL_INLINE dfl_four row_times(const double *row, const dfl_four *x, int n)
{
    dfl_four sum = {0};
    for (int i = 0; i < n; i++)
        sum += row[i] * x[i];
    return sum;
}

/* With C = zeta x - J x - r for x = Z dpi: nu from the row of C along n, then w from the others. */
static DFL_INLINE void solve_block(double *dp, double *w, const dfl_motion_blocks *m,
                                   const dfl_motion_block *b, const double *dpi, const double *r,
                                   const double *zeta, const shift *turn)
{
    const double *Z = m->number + b->Z, *J = m->number + b->J, *n = m->number + b->n;
    const double *inverse = m->number + b->inverse;
    const int np = b->np, nv = b->nv;
    dfl_four from[MOST], x[MOST], C[MOST];
    for (int j = 0; j < nv; j++)
        from[j] = fetch(dpi + LANES * m->v[b->v + j]);
    for (int i = 0; i < np; i++)
        x[i] = row_times(Z + i * nv, from, nv);
    for (int i = 0; i < np; i++)
        C[i] =
            shifted(turn, x[i]) - row_times(J + i * np, x, np) - fetch(r + LANES * m->p[b->p + i]);
    if (np > nv) {
        double Jn[MOST] = {0}, slope = 0;
        const double *last = inverse + nv * np;
        for (int i = 0; i < np; i++)
            for (int j = 0; j < np; j++)
                Jn[i] += J[i * np + j] * n[j];
        for (int i = 0; i < np; i++)
            slope += last[i] * Jn[i];
        const dfl_four nu = divided(row_times(last, C, np), zeta, slope); /* minus nu */
        const dfl_four fast = shifted(turn, nu);
        for (int i = 0; i < np; i++) {
            x[i] -= n[i] * nu;
            C[i] += Jn[i] * nu - n[i] * fast;
        }
    }
    for (int j = 0; j < nv; j++)
        dfl_set_store(w + LANES * m->v[b->v + j], row_times(inverse + j * np, C, np));
    for (int i = 0; i < np; i++)
        dfl_set_store(dp + LANES * m->p[b->p + i], x[i]);
}

/* A block of one position: p' = Z v, mostly with Z = 1. */
static DFL_INLINE void solve_single(double *dp, double *w, const dfl_motion_blocks *m,
                                    const dfl_motion_block *b, const double *dpi, const double *r,
                                    const shift *turn)
{
    const double *Z = m->number + b->Z, *J = m->number + b->J;
    const int p = LANES * m->p[b->p], v = LANES * m->v[b->v];
    const dfl_four x = Z[0] * fetch(dpi + v);
    dfl_set_store(w + v, (shifted(turn, x) - J[0] * x - fetch(r + p)) * m->number[b->inverse]);
    dfl_set_store(dp + p, x);
}

DFL_WIDE void dfl_motion_blocks_solve(double *dp, double *w, const dfl_motion_blocks *m,
                                      const double *dpi, const double *r, const double *zeta)
{
    const shift turn = {{zeta[0], zeta[1], zeta[1], 0}, {0, -zeta[2], zeta[2], 0}};
    for (int i = 0; m->kin && i < m->nblocks; i++) {
        const dfl_motion_block *b = &m->block[i];
        if (b->np == 1)
            solve_single(dp, w, m, b, dpi, r, &turn);
        else if (b->np == 4 && b->nv == 3) /* a quaternion: sizes that the compiler knows */
            solve_block(dp, w, m,
                        &(dfl_motion_block){b->v, 3, b->p, 4, b->Z, b->J, b->n, b->inverse}, dpi, r,
                        zeta, &turn);
        else
            solve_block(dp, w, m, b, dpi, r, zeta, &turn);
    }
    for (int i = 0; !m->kin && i < LANES * m->nv; i += LANES) {
        const dfl_four x = fetch(dpi + i);
        dfl_set_store(dp + i, x);
        dfl_set_store(w + i, shifted(&turn, x) - fetch(r + i));
    }
}

void dfl_motion_block_slope(double *B1, const dfl_motion_blocks *m, const dfl_motion_block *b)
{
    const double *Z = m->number + b->Z, *J = m->number + b->J, *inverse = m->number + b->inverse;
    for (int i = 0; i < b->nv; i++)
        for (int j = 0; j < b->nv; j++) {
            double sum = 0;
            for (int k = 0; k < b->np; k++)
                for (int l = 0; l < b->np; l++)
                    sum -= inverse[i * b->np + k] * J[k * b->np + l] * Z[l * b->nv + j];
            B1[i * b->nv + j] = sum;
        }
}
