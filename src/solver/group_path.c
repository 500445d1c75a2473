/* group_path.c: contacts that close at the same speed, together.

   Their speeds u come to zero together, as straight lines over s = 0 ... 1: with the normal
   impulses P and those of friction Q per s,

       u' = D_nn P + D_nt Q = -u/(1 - s),    Q = -mu P d where one slips along d,
       h' = D_tn P + D_tt Q = 0              where one sticks, |Q| <= mu P,

   in pieces that end where a slip ends. Impulses that are not determined have the least norm, those
   of friction shared by what they can hold. A contact that would have to pull does not push in this
   piece. Then every contact pushes once more, by the restitution times its impulse (Poisson);
   without changes of slip this is Newton's law. */
#include "solver/group_path.h"

#include <math.h>
#include <string.h>

enum { TRIALS = 4 * MOST_TOGETHER };
static const double alike = 1e-9; /* speeds, relatively */

static void begin_piece(dfl_impact_group *group);
static bool find_rates(dfl_impact_group *group, dfl_lstsq *lstsq, const double *given, double left);
static double advance(dfl_impact_group *group, double left);

/* Compression, then restitution. */
bool dfl_group_path(dfl_impact_group *group, dfl_lstsq *lstsq, double restitution)
{
    double given[MOST_TOGETHER];
    for (int phase = 0; phase < (restitution > 0 ? 2 : 1); phase++) {
        double left = 1;
        for (int l = 0; l < group->count; l++)
            given[l] = restitution * group->impulse[CONTACT_ROWS * l];
        for (int piece = 0; left > 0; piece++) {
            begin_piece(group);
            if (piece > TRIALS || !find_rates(group, lstsq, phase ? given : NULL, left))
                return false;
            left = advance(group, left);
            if (left < 0)
                return false;
        }
    }
    return true;
}

/* Friction slips where there is a slip, else it may stick. */
static void begin_piece(dfl_impact_group *group)
{
    for (int l = 0; l < group->count; l++) {
        const double *h = group->speed + CONTACT_ROWS * l + 1, slip = hypot(h[0], h[1]);
        group->leaves[l] = false;
        group->mode[l] = group->directions[l] == 0 ? DFL_SMOOTH
                         : slip > group->size[l]   ? DFL_SLIPS
                                                   : DFL_STICKS;
        for (int k = 0; k < 2; k++)
            group->d[l][k] = group->mode[l] == DFL_SLIPS ? h[k] / slip : 0;
    }
}

/* The impulses whose rates are not known: normal ones, and friction that sticks. */
static void list_unknowns(dfl_impact_group *group, bool normals)
{
    group->unknowns = 0;
    for (int row = 0; row < CONTACT_ROWS * group->count; row++) {
        const int l = row / CONTACT_ROWS, way = row % CONTACT_ROWS;
        const bool rubs = group->mode[l] == DFL_STICKS && way <= group->directions[l];
        if (!group->leaves[l] && (way == 0 ? normals : rubs))
            group->unknown[group->unknowns++] = row;
    }
}

/* The rate of impulse `row` per that of the normal impulse of its contact. */
static double per_normal(const dfl_impact_group *group, int row)
{
    const int l = row / CONTACT_ROWS, way = row % CONTACT_ROWS;
    if (way == 0)
        return 1;
    return group->mode[l] == DFL_SLIPS ? -group->friction[l] * group->d[l][way - 1] : 0;
}

/* How fast the speeds `row` change with the rates. */
static double change_of(const dfl_impact_group *group, int row)
{
    double sum = 0;
    for (int k = 0; k < CONTACT_ROWS * group->count; k++)
        sum += group->D[row * GROUP_ROWS + k] * group->rate[k];
    return sum;
}

static double wanted_change(const dfl_impact_group *group, int row, double left)
{
    return row % CONTACT_ROWS == 0 ? -group->speed[row] / left : 0;
}

/* What unknown j does to the speed `row`, with the friction that follows it. */
static double effect_of(const dfl_impact_group *group, int j, int row)
{
    const int column = group->unknown[j];
    const double *D = group->D + row * GROUP_ROWS + column;
    double sum = D[0];
    for (int k = 1; column % CONTACT_ROWS == 0 && k < CONTACT_ROWS; k++)
        sum += D[k] * per_normal(group, column + k);
    return sum;
}

static double weight_of(const dfl_impact_group *group, int j, const double *share)
{
    const int column = group->unknown[j];
    return column % CONTACT_ROWS > 0 && share ? share[column / CONTACT_ROWS] : 1;
}

static bool is_solved(const dfl_impact_group *group, double left)
{
    bool solved = true;
    for (int i = 0; i < group->unknowns; i++) {
        const int row = group->unknown[i];
        const double wanted = wanted_change(group, row, left);
        double terms = fabs(wanted);
        for (int k = 0; k < CONTACT_ROWS * group->count; k++)
            terms += fabs(group->D[row * GROUP_ROWS + k] * group->rate[k]);
        solved = solved && fabs(group->change[row] - wanted) <= alike * terms;
    }
    return solved;
}

/* Rates with the present modes; share: how much friction can hold, or NULL. */
static bool solve(dfl_impact_group *group, dfl_lstsq *lstsq, const double *given, double left,
                  const double *share)
{
    const int n = group->unknowns;
    double A[GROUP_ROWS * GROUP_ROWS], b[GROUP_ROWS], x[GROUP_ROWS];
    memset(group->rate, 0, sizeof group->rate);
    for (int row = 0; given && row < CONTACT_ROWS * group->count; row++)
        group->rate[row] = given[row / CONTACT_ROWS] * per_normal(group, row);
    for (int i = 0; i < n; i++)
        b[i] = wanted_change(group, group->unknown[i], left) - change_of(group, group->unknown[i]);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            A[j * n + i] = weight_of(group, j, share) * effect_of(group, j, group->unknown[i]);
    if (n > 0 && !dfl_lstsq_solve(x, lstsq, n, n, A, b, 1e-10, NULL))
        return false;
    for (int j = 0; j < n; j++) {
        const int column = group->unknown[j];
        const double rate = weight_of(group, j, share) * x[j];
        group->rate[column] = rate;
        for (int k = 1; column % CONTACT_ROWS == 0 && k < CONTACT_ROWS; k++)
            if (group->mode[column / CONTACT_ROWS] == DFL_SLIPS)
                group->rate[column + k] = rate * per_normal(group, column + k);
    }
    for (int row = 0; row < CONTACT_ROWS * group->count; row++)
        group->change[row] = change_of(group, row);
    return is_solved(group, left);
}

/* Friction that sticks holds as much as its contact is pressed. */
static bool share_friction(dfl_impact_group *group, dfl_lstsq *lstsq, const double *given,
                           double left)
{
    double share[MOST_TOGETHER];
    for (int l = 0; l < group->count; l++)
        share[l] = fmax(group->friction[l] * group->rate[CONTACT_ROWS * l], 0);
    return solve(group, lstsq, given, left, share);
}

/* The contact whose normal impulse is most against its direction leaves; whether there is one. */
static bool let_leave(dfl_impact_group *group)
{
    double largest = 0, least = 0;
    int worst = -1;
    for (int l = 0; l < group->count; l++) {
        const double p = group->rate[CONTACT_ROWS * l];
        largest = fmax(largest, fabs(p));
        if (p < least)
            least = p, worst = l;
    }
    if (worst < 0 || least >= -1e-12 * largest)
        return false;
    group->leaves[worst] = true;
    group->mode[worst] = DFL_SMOOTH;
    return true;
}

/* Friction that would have to hold too much slips; whether there is one. */
static bool let_slip(dfl_impact_group *group)
{
    bool any = false;
    for (int l = 0; l < group->count; l++) {
        const double *q = group->rate + CONTACT_ROWS * l, size = hypot(q[1], q[2]);
        if (group->mode[l] != DFL_STICKS || size <= group->friction[l] * q[0] * (1 + alike))
            continue;
        group->mode[l] = DFL_SLIPS;
        for (int k = 0; k < 2; k++)
            group->d[l][k] = -q[k + 1] / size;
        any = true;
    }
    return any;
}

/* What has begun to slip must go on in its direction, what has left must not come nearer. */
static bool agrees(const dfl_impact_group *group, double left)
{
    bool agrees = true;
    for (int l = 0; l < group->count; l++) {
        const double *h = group->speed + CONTACT_ROWS * l,
                     *change = group->change + CONTACT_ROWS * l;
        const double along = change[1] * group->d[l][0] + change[2] * group->d[l][1];
        if (group->mode[l] == DFL_SLIPS && hypot(h[1], h[2]) <= group->size[l])
            agrees = agrees && along >= 0;
        if (group->leaves[l] && h[0] < 0)
            agrees = agrees && change[0] >= -h[0] / left * (1 - alike);
    }
    return agrees;
}

/* Rates of the impulses, and modes that go with them; given: of normal impulses, NULL: compression.
 */
static bool find_rates(dfl_impact_group *group, dfl_lstsq *lstsq, const double *given, double left)
{
    for (int trial = 0; trial < TRIALS; trial++) {
        list_unknowns(group, !given);
        if (!solve(group, lstsq, given, left, NULL))
            return false;
        if (!given && let_leave(group))
            continue;
        if (!share_friction(group, lstsq, given, left))
            return false;
        if (!let_slip(group))
            return given || agrees(group, left);
    }
    return false;
}

/* To the end of a slip, or to the end: what is left then; negative: a slip has turned. */
static double advance(dfl_impact_group *group, double left)
{
    double step = left;
    for (int l = 0; l < group->count; l++) {
        const double *h = group->speed + CONTACT_ROWS * l,
                     *change = group->change + CONTACT_ROWS * l;
        const double along = h[1] * group->d[l][0] + h[2] * group->d[l][1];
        const double falls = -(change[1] * group->d[l][0] + change[2] * group->d[l][1]);
        if (group->mode[l] == DFL_SLIPS && along > group->size[l] && falls > 0)
            step = fmin(step, along / falls);
    }
    bool straight = true;
    for (int row = 0; row < CONTACT_ROWS * group->count; row++) {
        group->impulse[row] += step * group->rate[row];
        group->speed[row] += step * group->change[row];
    }
    for (int l = 0; l < group->count; l++) {
        double *h = group->speed + CONTACT_ROWS * l;
        const double along = h[1] * group->d[l][0] + h[2] * group->d[l][1];
        const double across = h[2] * group->d[l][0] - h[1] * group->d[l][1];
        if (group->mode[l] != DFL_SLIPS)
            continue;
        straight = straight && fabs(across) <= group->size[l];
        if (along <= group->size[l])
            h[1] = h[2] = 0;
    }
    return !straight ? -1 : step < left ? left - step : 0;
}
