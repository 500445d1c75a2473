/* impact_path.c: an impact with friction, followed over its normal impulse P (Routh).

       du/dP = D_nn + D_nt.k,    dh/dP = D_tn + D_tt k

   with the friction k = -mu h/|h| while it slips. Where h = 0 it sticks, k = -D_tt^-1 D_tn, if
   |k| <= mu; else it slips on where h keeps its direction d: D_tn - mu D_tt d = z d with z > 0. In
   one direction, and from h = 0 on, the path is straight. In two directions the slip turns before:
   with dP = |h| dq the equations have no singularity, and h = 0 is approached exponentially. */
#include "solver/impact_path.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 400000 };

/* Where the normal impulse ends; INFINITY: compression has not ended yet. */
static bool straight(dfl_collision *hit, double *end, double e, double friction);
static bool curved(dfl_collision *hit, double *end, double e, double friction);

bool dfl_impact_path(dfl_collision *hit, double e, double friction)
{
    const double *D = hit->D[1];
    double end = INFINITY;
    if (!(friction > 0) || (hit->directions == 1 && !(D[1] > 0)))
        hit->directions = 0;
    if (hit->directions == 2 && (hit->h[0] != 0 || hit->h[1] != 0) &&
        !curved(hit, &end, e, friction))
        return false;
    for (int piece = 0; piece < 8; piece++) {
        if (hit->impulse[0] >= end * (1 - 1e-14))
            return true;
        if (!straight(hit, &end, e, friction))
            return false;
    }
    return hit->impulse[0] >= end * (1 - 1e-14);
}

/* ------------------------------------------------------------------------------- straight */

/* (a D_tt + z) d = b */
static void solve_tangents(double d[2], const dfl_collision *hit, double a, double z,
                           const double b[2])
{
    const double xx = a * hit->D[1][1] + z, yy = a * hit->D[2][2] + z, xy = a * hit->D[1][2];
    const double det = fmax(xx * yy - xy * xy, 1e-14 * (xx + yy) * (xx + yy) + 1e-300);
    d[0] = (yy * b[0] - xy * b[1]) / det;
    d[1] = (xx * b[1] - xy * b[0]) / det;
}

/* The friction per normal impulse from h = 0 on, in two directions; whether it sticks. */
static bool from_rest(double k[2], const dfl_collision *hit, double friction)
{
    const double b[2] = {hit->D[0][1], hit->D[0][2]};
    double low = 0, high = hypot(b[0], b[1]);
    solve_tangents(k, hit, 1, 0, b);
    const bool sticks = hypot(k[0], k[1]) <= friction;
    for (int i = 0; !sticks && i < 200 && low < high; i++) {
        const double z = 0.5 * (low + high);
        solve_tangents(k, hit, friction, z, b);
        if (z == low || z == high)
            break;
        *(hypot(k[0], k[1]) > 1 ? &low : &high) = z;
    }
    const double factor = sticks ? -1 : -friction / hypot(k[0], k[1]);
    k[0] *= factor;
    k[1] *= factor;
    return sticks;
}

/* The friction per normal impulse; whether it sticks. */
static bool friction_of(double k[2], const dfl_collision *hit, double friction)
{
    const double stick = -hit->D[0][1] / hit->D[1][1];
    k[0] = k[1] = 0;
    if (hit->directions == 0)
        return false;
    if (hit->directions == 2)
        return from_rest(k, hit, friction);
    if (hit->h[0] != 0)
        k[0] = hit->h[0] > 0 ? -friction : friction;
    else
        k[0] = fabs(stick) <= friction ? stick : stick > 0 ? friction : -friction;
    return hit->h[0] == 0 && fabs(k[0]) < friction;
}

/* One piece, until compression ends, the impact ends or slip in one direction stops. */
static bool straight(dfl_collision *hit, double *end, double e, double friction)
{
    double k[2], step = *end - hit->impulse[0];
    const bool sticks = friction_of(k, hit, friction);
    const double du = hit->D[0][0] + k[0] * hit->D[0][1] + k[1] * hit->D[0][2];
    double dh[2];
    for (int i = 0; i < 2; i++)
        dh[i] = sticks || hit->directions == 0
                    ? 0
                    : hit->D[0][i + 1] + k[0] * hit->D[1][i + 1] + k[1] * hit->D[2][i + 1];
    const bool slows = hit->directions == 1 && hit->h[0] * dh[0] < 0;
    if (isinf(*end)) {
        if (!(du > 0) && !slows)
            return false;
        step = du > 0 ? -hit->u / du : INFINITY;
    }
    const double to_stick = slows ? -hit->h[0] / dh[0] : INFINITY;
    const bool stops = to_stick <= step;
    step = stops ? to_stick : step;
    hit->impulse[0] += step;
    hit->u += du * step;
    for (int i = 0; i < 2; i++) {
        hit->impulse[i + 1] += k[i] * step;
        hit->h[i] = stops ? 0 : hit->h[i] + dh[i] * step;
    }
    if (!stops && isinf(*end)) { /* compression has ended */
        hit->u = 0;
        *end = (1 + e) * hit->impulse[0];
    }
    return true;
}

/* ------------------------------------------------------------------------------- curved */

typedef struct path {
    double h[2], u, impulse[3];
} path;

/* d/dq */
static path slope(const dfl_collision *hit, const path *at, double friction)
{
    const double r = hypot(at->h[0], at->h[1]), tx = -friction * at->h[0],
                 ty = -friction * at->h[1];
    path out = {.impulse = {r, tx, ty}};
    out.u = r * hit->D[0][0] + tx * hit->D[0][1] + ty * hit->D[0][2];
    for (int i = 0; i < 2; i++)
        out.h[i] = r * hit->D[0][i + 1] + tx * hit->D[1][i + 1] + ty * hit->D[2][i + 1];
    return out;
}

static path plus(const path *a, double s, const path *b)
{
    path out = {.u = a->u + s * b->u};
    for (int i = 0; i < 3; i++)
        out.impulse[i] = a->impulse[i] + s * b->impulse[i];
    for (int i = 0; i < 2; i++)
        out.h[i] = a->h[i] + s * b->h[i];
    return out;
}

/* A step of Runge and Kutta. */
static path advance(const dfl_collision *hit, const path *at, double dq, double friction)
{
    const path k1 = slope(hit, at, friction), x2 = plus(at, dq / 2, &k1);
    const path k2 = slope(hit, &x2, friction), x3 = plus(at, dq / 2, &k2);
    const path k3 = slope(hit, &x3, friction), x4 = plus(at, dq, &k3);
    const path k4 = slope(hit, &x4, friction);
    path out = plus(at, dq / 6, &k1);
    out = plus(&out, dq / 3, &k2);
    out = plus(&out, dq / 3, &k3);
    return plus(&out, dq / 6, &k4);
}

/* Positive once compression, or the impact, has ended. */
static double ended(const path *at, double end)
{
    return isinf(end) ? at->u : at->impulse[0] - end;
}

/* The part of a step after which it has ended. */
static path advance_to_end(const dfl_collision *hit, const path *at, double dq, double friction,
                           double end)
{
    double low = 0, high = 1;
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);
        const path there = advance(hit, at, middle * dq, friction);
        *(ended(&there, end) < 0 ? &low : &high) = middle;
    }
    return advance(hit, at, high * dq, friction);
}

/* While it slips; false: compression does not end. */
static bool curved(dfl_collision *hit, double *end, double e, double friction)
{
    const double *D = hit->D[0];
    const double start = hypot(hit->h[0], hit->h[1]), small = 1e-14 * (start + fabs(hit->u));
    const double scale = D[0] + fabs(D[1]) + fabs(D[2]) +
                         (1 + friction) * (hit->D[1][1] + hit->D[2][2]), /* >= |D| */
        dq = 0.005 / scale;
    path at = {.u = hit->u};
    memcpy(at.h, hit->h, sizeof at.h);
    memcpy(at.impulse, hit->impulse, sizeof at.impulse);
    bool done = false, possible = scale > 0;
    for (int i = 0; possible && !done && hypot(at.h[0], at.h[1]) > small; i++) {
        const path next = advance(hit, &at, dq, friction);
        possible = i < MOST_STEPS && hypot(next.h[0], next.h[1]) < 1e12 * (start + fabs(hit->u));
        if (ended(&next, *end) < 0) {
            at = next;
            continue;
        }
        at = advance_to_end(hit, &at, dq, friction, *end);
        done = !isinf(*end);
        if (!done) {
            at.u = 0;
            *end = (1 + e) * at.impulse[0];
            done = e == 0;
        }
    }
    hit->u = at.u;
    memcpy(hit->impulse, at.impulse, sizeof at.impulse);
    for (int k = 0; k < 2; k++)
        hit->h[k] = done ? at.h[k] : 0;
    if (done)
        hit->impulse[0] = *end;
    return possible;
}
