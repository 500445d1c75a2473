/* Kinematics by blocks (motion_blocks.h). */
#include "formulation/motion_blocks.h"

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

/* y += a x, and y += a zeta x */
static void add(double *y, double a, const double *x)
{
    for (int i = 0; i < LANES; i++)
        y[i] += a * x[i];
}

static void add_shifted(double *y, const double *zeta, double a, const double *x)
{
    y[0] += a * zeta[0] * x[0];
    y[1] += a * (zeta[1] * x[1] - zeta[2] * x[2]);
    y[2] += a * (zeta[1] * x[2] + zeta[2] * x[1]);
}

/* x /= zeta - slope */
static void divide(double *x, const double *zeta, double slope)
{
    const double re = zeta[1] - slope, im = zeta[2], square = re * re + im * im;
    const double x1 = x[1], x2 = x[2];
    x[0] /= zeta[0] - slope;
    x[1] = square > 0 ? (re * x1 + im * x2) / square : 0;
    x[2] = square > 0 ? (re * x2 - im * x1) / square : 0;
}

/* y := the block's rows zeta x - J x - r, multiplied by one row of the inverse */
static void project(double *y, const double *row, const double *C, int np)
{
    memset(y, 0, LANES * sizeof *y);
    for (int i = 0; i < np; i++)
        add(y, row[i], C + LANES * i);
}

static void solve_block(double *dp, double *w, const dfl_motion_blocks *m,
                        const dfl_motion_block *b, const double *dpi, const double *r,
                        const double *zeta)
{
    const double *Z = m->number + b->Z, *J = m->number + b->J, *n = m->number + b->n;
    const double *inverse = m->number + b->inverse;
    double x[LANES * MOST] = {0}, C[LANES * MOST] = {0}, nu[LANES];
    for (int i = 0; i < b->np; i++)
        for (int j = 0; j < b->nv; j++)
            add(x + LANES * i, Z[i * b->nv + j], dpi + LANES * m->v[b->v + j]);
    for (int i = 0; i < b->np; i++) {
        add(C + LANES * i, -1, r + LANES * m->p[b->p + i]);
        add_shifted(C + LANES * i, zeta, 1, x + LANES * i);
        for (int j = 0; j < b->np; j++)
            add(C + LANES * i, -J[i * b->np + j], x + LANES * j);
    }
    if (b->np > b->nv) {
        double Jn[MOST] = {0}, slope = 0;
        const double *last = inverse + b->nv * b->np;
        for (int i = 0; i < b->np; i++)
            for (int j = 0; j < b->np; j++)
                Jn[i] += J[i * b->np + j] * n[j];
        for (int i = 0; i < b->np; i++)
            slope += last[i] * Jn[i];
        project(nu, last, C, b->np);
        divide(nu, zeta, slope); /* minus nu */
        for (int i = 0; i < b->np; i++) {
            add(x + LANES * i, -n[i], nu);
            add_shifted(C + LANES * i, zeta, -n[i], nu);
            add(C + LANES * i, Jn[i], nu);
        }
    }
    for (int j = 0; j < b->nv; j++)
        project(w + LANES * m->v[b->v + j], inverse + j * b->np, C, b->np);
    for (int i = 0; i < b->np; i++)
        memcpy(dp + LANES * m->p[b->p + i], x + LANES * i, LANES * sizeof *x);
}

void dfl_motion_blocks_solve(double *dp, double *w, const dfl_motion_blocks *m, const double *dpi,
                             const double *r, const double *zeta)
{
    if (m->kin) {
        for (int i = 0; i < m->nblocks; i++)
            solve_block(dp, w, m, &m->block[i], dpi, r, zeta);
        return;
    }
    memcpy(dp, dpi, (size_t)(LANES * m->nv) * sizeof *dp);
    for (int i = 0; i < LANES * m->nv; i += LANES) {
        for (int lane = 0; lane < LANES; lane++)
            w[i + lane] = -r[i + lane];
        add_shifted(w + i, zeta, 1, dpi + i);
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
