/* beam_family.c: finite elements of a straight beam: cubic deflections, linear stretch and twist,
   with consistent masses; reference conditions; static shapes of stations (Craig and Bampton 1968).
 */
#include "elastic/beam_family.h"

#include "linalg/linalg.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

const double dfl_gauss_place[DFL_GAUSS] = {
    0.0337652428984239860938492, 0.1693953067668677431693002, 0.3806904069584015456847491,
    0.6193095930415984543152509, 0.8306046932331322568306998, 0.9662347571015760139061508};
const double dfl_gauss_weight[DFL_GAUSS] = {
    0.0856622461895851725201481, 0.1803807865240693037849168, 0.2339569672863455236949352,
    0.2339569672863455236949352, 0.1803807865240693037849168, 0.0856622461895851725201481};

/* Stiffness and mass of all unknowns, and which of them are free, of stations, or inside. */
typedef struct pencil {
    int n, per_place;
    double *K, *M;
    int *station, nstation; /* free unknowns of stations; none without static shapes */
    int *inside, ninside;   /* all other free ones */
} pencil;

static dfl_status make_pencil(pencil *p, dfl_context *ctx, const dfl_beam_task *task,
                              const dfl_mesh *mesh, dfl_beam_family family);
static void clear_pencil(pencil *p, dfl_context *ctx);
static void add_element(pencil *p, const dfl_beam_task *task, const dfl_mesh *mesh,
                        dfl_beam_family family, int e);
static void sort_unknowns(pencil *p, const dfl_beam_task *task, const dfl_mesh *mesh);
static bool is_bending(dfl_beam_family family);
static int shapes(double N[4], double D[4], double DD[4], int per_place, double h, double s);
static dfl_status inner_modes(double **w2, double **X, dfl_context *ctx, const pencil *p);
static dfl_status find_turns(dfl_family_modes *out, dfl_context *ctx, const dfl_beam_task *task,
                             const dfl_mesh *mesh, const pencil *p, const double *w2,
                             const double *X, int rigid, int inner);
static dfl_status static_shapes(double *V, dfl_context *ctx, const pencil *p);
static dfl_status reduce(dfl_family_modes *out, dfl_context *ctx, const pencil *p, double *V,
                         int m);
static void drop_rigid(dfl_family_modes *out, dfl_beam_family family, int n);

/* ------------------------------------------------------------------ mesh and profiles */

dfl_status dfl_mesh_create(dfl_mesh *mesh, dfl_context *ctx, const dfl_beam_task *task)
{
    const int most = task->elements + 2 * task->nstations + 3;
    *mesh =
        (dfl_mesh){.place = dfl_alloc(ctx, (size_t)most, sizeof *mesh->place),
                   .station = dfl_alloc(ctx, (size_t)task->nstations + 1, sizeof *mesh->station)};
    if (!mesh->place || !mesh->station)
        return DFL_NO_MEMORY;
    double from = 0.0;
    while (from < 1.0) { /* to the next station, or the end */
        double to = 1.0;
        for (int i = 0; i < task->nstations; i++)
            if (task->station[i] > from + 1e-9 && task->station[i] < to - 1e-9)
                to = task->station[i];
        const int parts = (int)fmax(1.0, round(task->elements * (to - from)));
        for (int k = 0; k < parts; k++)
            mesh->place[mesh->nplaces++] = from + (to - from) * k / parts;
        from = to;
    }
    mesh->place[mesh->nplaces++] = 1.0;
    for (int i = 0; i < task->nstations; i++)
        for (int k = 0; k < mesh->nplaces; k++)
            if (fabs(mesh->place[k] - task->station[i]) < 2e-9)
                mesh->station[i] = k;
    return DFL_OK;
}

void dfl_mesh_clear(dfl_mesh *mesh, dfl_context *ctx)
{
    dfl_free(ctx, mesh->place);
    dfl_free(ctx, mesh->station);
}

double dfl_profile_at(const dfl_beam_profile *profile, double x)
{
    if (profile->count == 0)
        return 1.0;
    int i = 0;
    while (i < profile->count - 2 && x > profile->x[i + 1])
        i++;
    const double s = (x - profile->x[i]) / (profile->x[i + 1] - profile->x[i]);
    return profile->y[i] + s * (profile->y[i + 1] - profile->y[i]);
}

/* ------------------------------------------------------------------ modes of a family */

dfl_status dfl_family_stiffness(double *k, int *count, dfl_context *ctx, const dfl_beam_task *task,
                                const dfl_mesh *mesh, dfl_beam_family family, int most)
{
    pencil p = {0};
    double *w2 = NULL, *X = NULL;
    dfl_status status = make_pencil(&p, ctx, task, mesh, family);
    if (!status)
        status = inner_modes(&w2, &X, ctx, &p);
    const int rigid =
        task->frame == DFL_FRAME_BUCKENS && !task->interface ? (is_bending(family) ? 2 : 1) : 0;
    *count = 0;
    for (int i = rigid; !status && i < p.ninside && *count < most; i++)
        k[(*count)++] = w2[i];
    dfl_free(ctx, w2);
    dfl_free(ctx, X);
    clear_pencil(&p, ctx);
    return status;
}

dfl_status dfl_family_find(dfl_family_modes *out, dfl_context *ctx, const dfl_beam_task *task,
                           const dfl_mesh *mesh, dfl_beam_family family, int most)
{
    pencil p = {0};
    double *w2 = NULL, *X = NULL, *V = NULL;
    const bool buckens = task->frame == DFL_FRAME_BUCKENS;
    *out = (dfl_family_modes){.nplaces = mesh->nplaces};
    dfl_status status = make_pencil(&p, ctx, task, mesh, family);
    if (!status)
        status = inner_modes(&w2, &X, ctx, &p);
    const int rigid = buckens && !task->interface ? (is_bending(family) ? 2 : 1) : 0;
    const int inner = most + rigid < p.ninside ? most + rigid : p.ninside;
    if (!status)
        status = find_turns(out, ctx, task, mesh, &p, w2, X, rigid, inner);
    const int m = p.nstation + inner;
    out->per_place = p.per_place;
    if (!status)
        V = dfl_alloc(ctx, (size_t)p.n * (size_t)(m > 0 ? m : 1), sizeof *V);
    if (!status && !V)
        status = DFL_NO_MEMORY;
    if (!status)
        status = static_shapes(V, ctx, &p);
    for (int j = 0; j < inner && !status; j++)
        for (int i = 0; i < p.ninside; i++)
            V[p.inside[i] + p.n * (p.nstation + j)] = X[i + p.ninside * j];
    if (!status)
        status = reduce(out, ctx, &p, V, m);
    if (!status && buckens)
        drop_rigid(out, family, p.n);
    dfl_free(ctx, w2);
    dfl_free(ctx, X);
    dfl_free(ctx, V);
    clear_pencil(&p, ctx);
    return status;
}

void dfl_family_clear(dfl_family_modes *modes, dfl_context *ctx)
{
    dfl_free(ctx, modes->k);
    dfl_free(ctx, modes->turn);
    dfl_free(ctx, modes->X);
}

void dfl_family_value(double *value, double *slope, const dfl_family_modes *modes,
                      const dfl_mesh *mesh, int i, int element, double s)
{
    double N[4], D[4], DD[4];
    const int per = modes->per_place, n = per * modes->nplaces;
    const double h = mesh->place[element + 1] - mesh->place[element];
    const int count = shapes(N, D, DD, per, h, s);
    *value = *slope = 0.0;
    for (int k = 0; k < count; k++) {
        const double x = modes->X[per * element + k + n * i];
        *value += N[k] * x;
        *slope += D[k] * x;
    }
}

double dfl_family_strain(const dfl_family_modes *modes, const dfl_mesh *mesh, int i, int place)
{
    const int per = modes->per_place, n = per * modes->nplaces;
    double sum = 0.0;
    int sides = 0;
    for (int e = place - 1; e <= place; e++) {
        if (e < 0 || e >= mesh->nplaces - 1)
            continue;
        double N[4], D[4], DD[4];
        const double h = mesh->place[e + 1] - mesh->place[e];
        const int count = shapes(N, D, DD, per, h, e < place ? 1.0 : 0.0);
        for (int k = 0; k < count; k++)
            sum += (per == 2 ? DD[k] : D[k]) * modes->X[per * e + k + n * i];
        sides++;
    }
    return sides ? sum / sides : 0.0;
}

/* ------------------------------------------------------------------ the pencil */

static bool is_bending(dfl_beam_family family)
{
    return family == DFL_BEAM_BEND_Y || family == DFL_BEAM_BEND_Z;
}

static dfl_status make_pencil(pencil *p, dfl_context *ctx, const dfl_beam_task *task,
                              const dfl_mesh *mesh, dfl_beam_family family)
{
    p->per_place = is_bending(family) ? 2 : 1;
    p->n = p->per_place * mesh->nplaces;
    const size_t n = (size_t)p->n;
    p->K = dfl_alloc(ctx, n * n, sizeof *p->K);
    p->M = dfl_alloc(ctx, n * n, sizeof *p->M);
    p->station = dfl_alloc(ctx, n, sizeof *p->station);
    p->inside = dfl_alloc(ctx, n, sizeof *p->inside);
    if (!p->K || !p->M || !p->station || !p->inside)
        return DFL_NO_MEMORY;
    for (int e = 0; e < mesh->nplaces - 1; e++)
        add_element(p, task, mesh, family, e);
    sort_unknowns(p, task, mesh);
    return DFL_OK;
}

static void clear_pencil(pencil *p, dfl_context *ctx)
{
    dfl_free(ctx, p->K);
    dfl_free(ctx, p->M);
    dfl_free(ctx, p->station);
    dfl_free(ctx, p->inside);
}

/* Shape functions of an element of length h, and their derivatives along the beam. */
static int shapes(double N[4], double D[4], double DD[4], int per_place, double h, double s)
{
    if (per_place == 1) {
        N[0] = 1 - s;
        N[1] = s;
        D[0] = -1 / h;
        D[1] = 1 / h;
        DD[0] = DD[1] = 0;
        return 2;
    }
    N[0] = 1 - s * s * (3 - 2 * s);
    N[1] = h * s * (1 - s) * (1 - s);
    N[2] = s * s * (3 - 2 * s);
    N[3] = -h * s * s * (1 - s);
    D[0] = -6 * s * (1 - s) / h;
    D[1] = (1 - s) * (1 - 3 * s);
    D[2] = 6 * s * (1 - s) / h;
    D[3] = s * (3 * s - 2);
    DD[0] = (12 * s - 6) / (h * h);
    DD[1] = (6 * s - 4) / h;
    DD[2] = (6 - 12 * s) / (h * h);
    DD[3] = (6 * s - 2) / h;
    return 4;
}

static void add_element(pencil *p, const dfl_beam_task *task, const dfl_mesh *mesh,
                        dfl_beam_family family, int e)
{
    const double from = mesh->place[e], h = mesh->place[e + 1] - from;
    for (int g = 0; g < DFL_GAUSS; g++) {
        double N[4], D[4], DD[4];
        const int count = shapes(N, D, DD, p->per_place, h, dfl_gauss_place[g]);
        const double x = from + h * dfl_gauss_place[g], w = h * dfl_gauss_weight[g];
        const double m = w * dfl_profile_at(&task->mass, x);
        const double k = w * dfl_profile_at(&task->stiff[family], x);
        const double *strain = p->per_place == 2 ? DD : D;
        for (int i = 0; i < count; i++)
            for (int j = 0; j < count; j++) {
                const int place = p->per_place * e + i + p->n * (p->per_place * e + j);
                p->K[place] += k * strain[i] * strain[j];
                p->M[place] += m * N[i] * N[j];
            }
    }
}

/* Reference conditions take unknowns away: chord and tangent (elastic.h); Buckens none. */
static void sort_unknowns(pencil *p, const dfl_beam_task *task, const dfl_mesh *mesh)
{
    const int per = p->per_place;
    for (int i = 0; i < p->n; i++) {
        const int place = i / per;
        const bool slope = i % per == 1;
        const bool first = task->nstations > 0 && place == mesh->station[task->first];
        const bool last = task->nstations > 0 && place == mesh->station[task->last];
        bool fixed = false, kept = false;
        if (task->frame == DFL_FRAME_CHORD)
            fixed = !slope && (first || (last && per == 2));
        else if (task->frame == DFL_FRAME_TANGENT)
            fixed = first;
        for (int k = 0; k < task->nstations && task->interface; k++)
            kept = kept || mesh->station[k] == place;
        if (!fixed && kept)
            p->station[p->nstation++] = i;
        else if (!fixed)
            p->inside[p->ninside++] = i;
    }
}

/* ------------------------------------------------------------------ shapes */

/* Modes of the unknowns inside, with stations held. */
static dfl_status inner_modes(double **w2, double **X, dfl_context *ctx, const pencil *p)
{
    const int m = p->ninside;
    const size_t size = (size_t)(m > 0 ? m : 1);
    double *K = dfl_alloc(ctx, size * size, sizeof *K), *M = dfl_alloc(ctx, size * size, sizeof *M);
    *w2 = dfl_alloc(ctx, size, sizeof **w2);
    *X = dfl_alloc(ctx, size * size, sizeof **X);
    dfl_status status = K && M && *w2 && *X ? DFL_OK : DFL_NO_MEMORY;
    for (int j = 0; j < m && !status; j++)
        for (int i = 0; i < m; i++) {
            K[i + m * j] = p->K[p->inside[i] + p->n * p->inside[j]];
            M[i + m * j] = p->M[p->inside[i] + p->n * p->inside[j]];
        }
    if (!status)
        status = dfl_symmetric_modes(*w2, *X, ctx, m, K, M);
    dfl_free(ctx, K);
    dfl_free(ctx, M);
    return status;
}

/* A moment at a station turns it by the sum of slope^2 / w^2 over all modes, of which `inner` are
   kept; 1 where nothing turns or static shapes are kept. */
static dfl_status find_turns(dfl_family_modes *out, dfl_context *ctx, const dfl_beam_task *task,
                             const dfl_mesh *mesh, const pencil *p, const double *w2,
                             const double *X, int rigid, int inner)
{
    out->turn = dfl_alloc(ctx, (size_t)task->nstations + 1, sizeof *out->turn);
    if (!out->turn)
        return DFL_NO_MEMORY;
    for (int s = 0; s < task->nstations; s++) {
        double all = 0.0, kept = 0.0;
        for (int i = 0; i < p->ninside && p->per_place == 2; i++)
            if (p->inside[i] == 2 * mesh->station[s] + 1)
                for (int j = rigid; j < p->ninside; j++) {
                    const double slope = X[i + p->ninside * j], part = slope * slope / w2[j];
                    all += part;
                    kept += j < inner ? part : 0.0;
                }
        out->turn[s] = all > 0.0 ? kept / all : 1.0;
    }
    return DFL_OK;
}

/* The first columns of V: one unknown of a station is 1, the others 0, no forces inside. */
static dfl_status static_shapes(double *V, dfl_context *ctx, const pencil *p)
{
    const int m = p->ninside, b = p->nstation;
    if (b == 0)
        return DFL_OK;
    const size_t size = (size_t)(m > 0 ? m : 1);
    double *K = dfl_alloc(ctx, size * size, sizeof *K);
    double *R = dfl_alloc(ctx, size * (size_t)b, sizeof *R);
    dfl_status status = K && R ? DFL_OK : DFL_NO_MEMORY;
    for (int j = 0; j < m && !status; j++)
        for (int i = 0; i < m; i++)
            K[i + m * j] = p->K[p->inside[i] + p->n * p->inside[j]];
    for (int j = 0; j < b && !status; j++)
        for (int i = 0; i < m; i++)
            R[i + m * j] = -p->K[p->inside[i] + p->n * p->station[j]];
    if (!status && m > 0 && LAPACKE_dposv(LAPACK_COL_MAJOR, 'U', m, b, K, m, R, m))
        status = dfl_fail(ctx, DFL_INVALID, "the stiffness of the elastic body is not positive");
    for (int j = 0; j < b && !status; j++) {
        V[p->station[j] + p->n * j] = 1.0;
        for (int i = 0; i < m; i++)
            V[p->inside[i] + p->n * j] = R[i + m * j];
    }
    dfl_free(ctx, K);
    dfl_free(ctx, R);
    return status;
}

/* out := modes of V^T K V, V^T M V. */
static dfl_status reduce(dfl_family_modes *out, dfl_context *ctx, const pencil *p, double *V, int m)
{
    const size_t n = (size_t)p->n, c = (size_t)(m > 0 ? m : 1);
    double *T = dfl_alloc(ctx, n * c, sizeof *T), *Kr = dfl_alloc(ctx, c * c, sizeof *Kr);
    double *Mr = dfl_alloc(ctx, c * c, sizeof *Mr), *Y = dfl_alloc(ctx, c * c, sizeof *Y);
    out->k = dfl_alloc(ctx, c, sizeof *out->k);
    out->X = dfl_alloc(ctx, n * c, sizeof *out->X);
    out->count = m;
    dfl_status status = T && Kr && Mr && Y && out->k && out->X ? DFL_OK : DFL_NO_MEMORY;
    for (int pass = 0; pass < 2 && !status; pass++) { /* K, then M */
        const double *A = pass ? p->M : p->K;
        double *R = pass ? Mr : Kr;
        for (int j = 0; j < m; j++)
            for (int i = 0; i < p->n; i++) {
                T[i + p->n * j] = 0.0;
                for (int k = 0; k < p->n; k++)
                    if (A[i + p->n * k] != 0.0)
                        T[i + p->n * j] += A[i + p->n * k] * V[k + p->n * j];
            }
        for (int j = 0; j < m; j++)
            for (int i = 0; i < m; i++) {
                R[i + m * j] = 0.0;
                for (int k = 0; k < p->n; k++)
                    R[i + m * j] += V[k + p->n * i] * T[k + p->n * j];
            }
    }
    if (!status)
        status = dfl_symmetric_modes(out->k, Y, ctx, m, Kr, Mr);
    for (int j = 0; j < m && !status; j++)
        for (int i = 0; i < p->n; i++) {
            out->X[i + p->n * j] = 0.0;
            for (int k = 0; k < m; k++)
                out->X[i + p->n * j] += V[i + p->n * k] * Y[k + m * j];
        }
    dfl_free(ctx, T);
    dfl_free(ctx, Kr);
    dfl_free(ctx, Mr);
    dfl_free(ctx, Y);
    return status;
}

/* The first modes of a free beam are its motions as a rigid body. */
static void drop_rigid(dfl_family_modes *out, dfl_beam_family family, int n)
{
    const int rigid = is_bending(family) ? 2 : 1;
    out->count = out->count > rigid ? out->count - rigid : 0;
    memmove(out->k, out->k + rigid, (size_t)out->count * sizeof *out->k);
    memmove(out->X, out->X + (size_t)n * (size_t)rigid,
            (size_t)n * (size_t)out->count * sizeof *out->X);
}
