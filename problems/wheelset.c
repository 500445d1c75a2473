/* wheelset.c: railway wheelset with conical wheels on circular rail heads, hunting on a straight.

   p = (x, y, z, th, ph): lateral, vertical, longitudinal displacement, yaw, roll.
   v = (p', beta) with beta the deviation of the turning rate from omega = V/r0: np = 5, nv = 6.
   s = (psi-, xi-, psi+, xi+): contact point on the wheel with xi < 0 (-) and with xi > 0 (+).
   lambda = (lambda+, lambda-) in N: the vertical forces that carry the wheels.

   Per wheel, k = +-1, with the radius of the wheel R and the profile of the rail Gam, D = Gam'(xg):
       R   = r0 + tan(delta0) (ar - k xi),   R' = -k tan(delta0)
       Gam = sqrt(rs^2 - u^2) - r0 - rs cos(delta0),   u = k xg - ar - rs sin(delta0)
       xg  = x + xi cos th cos ph + R (cos th sin ph cos psi - sin th sin psi)
       g   = Gam(xg) - y - xi sin ph + R cos ph cos psi - g0
       W1  = (R' cos ph - sin ph cos psi) cos th + sin th sin psi
       W2  = R' sin ph + cos ph cos psi
       c1  = D W2 + W1
       c2  = (R' cos ph - sin ph cos psi) sin th - cos th sin psi
   g0 is the residual of the start (5e-10 m), which the index-2 form of the test set keeps forever.
   W, gI and bias are total derivatives with s = s(p) from c = const; they come from second-order
   Taylor arithmetic and are exact. (On c = 0 the derivative of g by s vanishes.)

   Normal forces follow from lambda, creep forces from the normal forces (Kalker's theory, bounded
   by mu N, where f has a kink): so f depends on lambda nonlinearly. With the creep force F of each
   wheel and its moments A.F, sums over both wheels and w = omega + beta, the test set states,
   constraint forces -W^T lambda left out,
       mR x'' = sum F1 - 2 cx x,   mR y'' = sum F2 - mR g,   mR z'' = sum F3 - 2 cz z
   (a) I2 cos ph th'' = I2 th' ph' sin ph - I1 w ph' - (I1 - I2) th' ph' sin ph
                        - 2 xl^2 cz th cos ph + sum A4.F
       I2 ph'' = I1 w th' cos ph + (I1 - I2) th'^2 sin ph cos ph + sum A5.F
   (b) I1 (beta' + sin ph th'') = -I1 th' ph' cos ph - 2 xl^2 cz th sin ph + sum A6.F
   Here row 4 is cos ph (a) + sin ph (b), which makes M symmetric. It holds cos ph times the
   constraint force; what -W^T lambda has too much of it is taken back in f.

   Source: IVP test set, problem "wheel" (Simeon, Fuehrer, Rentrop 1991); its multipliers are
   -1e-4 lambda. References: own; contact variables eliminated, 80-bit extrapolation with each of
   the 176 kinks located, two tolerances. The published digits (t = 10) differ by up to 5e-6. */
#include "problems_internal.h"

#include <math.h>
#include <string.h>

#define PI 3.1415926 /* as in the test set */

enum { NP = 5, NV = 6, NS = 4, NL = 2, LAMBDA = 0, V = 2, S = 8, P = 12, N = 17 };
enum { X, Y, Z, TH, PH, BETA };
enum { PLUS, MINUS, NWHEELS };

static const double mR = 16.08, gravity = 9.81, I1 = 0.0605, I2 = 0.366; /* kg, m/s^2, kg m^2 */
static const double speed = 30.0, r0 = 0.1;                              /* V, nominal radius */
static const double xl = 0.19, cx = 6400.0, cz = 6400.0;                 /* suspension: m, N/m */
static const double delta0 = 0.0262, ar = 0.1506, rs = 0.06;             /* profiles */
static const double mu = 0.12, shear = 7.92e10, sigma = 0.28;            /* creep: G in N/m^2 */
static const double hertz_e = 1.3537956, hertz_g = 0.7115218; /* contact ellipse: e, Gc */
static const double C11 = 4.72772197, C22 = 4.27526987, C23 = 1.97203505;

typedef struct wheelset {
    double g0[NL];
} wheelset;

/* A function of one parameter up to its second derivative. */
typedef struct jet {
    double v, d, dd;
} jet;

/* A wheel's place: its displacements and contact variables. */
enum { JX, JY, JTH, JPH, JPSI, JXI, NJETS };

typedef struct contact {
    jet g, c[2];
    bool on_rail; /* xg lies within the rail head */
} contact;

/* How one wheel moves: derivatives of c and g by its s, and of g and c along v. */
typedef struct contact_motion {
    double cs[2][2], gs[2]; /* cs[i][j] = dc_i/ds_j */
    double gI, bias;
} contact_motion;

/* What the forces of one wheel need. */
typedef struct wheel {
    double k, xi, R, dR, D;
    double cpsi, spsi;
    double cdelta, sdelta; /* contact angle */
    double N;              /* normal force */
    double F[3];           /* creep force */
} wheel;

/* Sines and cosines of yaw and roll. */
typedef struct attitude {
    double cth, sth, cph, sph;
} attitude;

static const double side[NWHEELS] = {1.0, -1.0}; /* k */
static const int first_s[NWHEELS] = {2, 0};      /* in s and in c */

/* lambda, v, s, p */
/* clang-format off */
static const double start[N] = {
    83.5918401896, 74.1455284068,
    0, 0, 0, 0, 0, 0,
    -7.4122380357667139e-6, -0.1521364296121248,
    7.5634406395172940e-6, 0.1490635714733819,
    1.4941e-3, 4.0089e-7, 1.1241e-6, -2.8573e-4, 2.6459e-4};
/* clang-format on */

static const problem_reference references[] = {
    {1,
     (const double[N]){6.40538367883e+01, 9.41942959543e+01, -3.15486012928e-01, -1.41819131081e-04,
                       3.92057943649e-03, 3.28876107300e-01, -5.58703189987e-02, -3.11756982177e-01,
                       -3.77873400486e-04, -1.52070134581e-01, 3.85167904649e-04, 1.49160329903e-01,
                       1.41466518316e-03, -5.13685827843e-08, 9.37528835536e-05, -1.45574965403e-02,
                       2.50523464871e-04},
     1e-9},
    {2,
     (const double[N]){9.66390889703e+01, 6.11216641398e+01, -1.35462426288e-01, -3.17465751289e-04,
                       2.22734527706e-03, -1.71515598746e-01, -2.39893845874e-02,
                       -1.83464647166e-01, -3.10395728490e-04, -1.57144225090e-01,
                       3.38241994701e-04, 1.44077603667e-01, 6.35281009803e-03, 6.95447894878e-06,
                       -6.26174829934e-05, -1.23751258425e-02, 1.12503302726e-03},
     2e-9},
    {5,
     (const double[N]){8.52644725257e+01, 7.27966174865e+01, 2.51949852550e-01, -2.10826414082e-04,
                       4.21138423171e-03, -1.90855406335e-01, 4.46185154648e-02, -2.73505073129e-01,
                       3.59178251484e-04, -1.48105017733e-01, -3.47531496111e-04, 1.53121094715e-01,
                       -2.43871171784e-03, 7.16098626344e-07, 3.56250070401e-05, 1.34829250378e-02,
                       -4.31881433078e-04},
     3e-9},
    {10,
     (const double[N]){1.01240450012e+02, 5.62856290162e+01, -7.69852407295e-02, -2.51510636514e-04,
                       2.05411486434e-03, -2.39048403324e-01, -1.36334448265e-02,
                       -2.44213705260e-01, -3.36667425524e-04, -1.59494256374e-01,
                       3.78396035766e-04, 1.41732150097e-01, 8.63553825137e-03, 1.30383411388e-05,
                       -9.36358114511e-05, -1.36422959449e-02, 1.52928942143e-03},
     1e-8},
};

static int mass(double *M, double t, const double *x, void *user);
static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user);
static bool eval_contacts(dfl_blocks *out, const double *x, unsigned need, const wheelset *data);
static void fill_jets(jet *q, const double *x, int i);
static contact_motion eval_motion(const jet *place, int i, const double *v);
static void eval_row(double *W, const jet *place, int i, const contact_motion *motion);
static contact eval_contact(const jet *q, double k);
static bool eval_force(double *f, const double *x);
static attitude eval_attitude(const double *p);
static bool place_wheel(wheel *w, int i, const attitude *o, const double *x);
static void press_wheels(wheel *w, const double *lambda);
static void eval_creep(wheel *w, const attitude *o, const double *v, const double *p);
static double contact_size(const wheel *w);
static void add_wheel(double *f, double *yaw, const wheel *w, const attitude *o);
static void solve2(double *y, double A[2][2], const double *b);
static jet jet_add(jet a, jet b);
static jet jet_sub(jet a, jet b);
static jet jet_mul(jet a, jet b);
static jet jet_scale(double k, jet a);
static jet jet_compose(double f, double fd, double fdd, jet a);

bool problem_wheelset(problem *out, int size)
{
    (void)size;
    *out = (problem){
        .name = "wheelset",
        .about = "railway wheelset: contact variables, creep forces that depend on multipliers",
        .eom = {.np = NP,
                .nv = NV,
                .ns = NS,
                .nl = NL,
                .eval = eval,
                .mass = mass,
                .autonomous = true},
        .t_end = 10,
        .references = references,
        .nreferences = sizeof references / sizeof *references,
    };
    if (!problem_allocate(out, sizeof(wheelset)))
        return false;
    memcpy(out->x0, start, sizeof start);

    wheelset *data = out->parameters;
    double g[NL], c[NS];
    eval_contacts(&(dfl_blocks){.g = g, .c = c}, start, DFL_POSITION, data);
    memcpy(data->g0, g, sizeof g);
    return true;
}

static int mass(double *M, double t, const double *x, void *user)
{
    (void)t, (void)user;
    const double s = sin(x[P + PH]), c = cos(x[P + PH]);
    M[X + NV * X] = M[Y + NV * Y] = M[Z + NV * Z] = mR;
    M[TH + NV * TH] = I2 * c * c + I1 * s * s;
    M[PH + NV * PH] = I2;
    M[BETA + NV * BETA] = I1;
    M[TH + NV * BETA] = M[BETA + NV * TH] = I1 * s;
    return 0;
}

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    (void)t;
    if (need & DFL_KINEMATICS)
        memcpy(out->kin, x + V, NP * sizeof *x);
    if (need & DFL_FORCE && !eval_force(out->f, x))
        return 1;
    if (need & (DFL_POSITION | DFL_VELOCITY | DFL_DIRECTIONS | DFL_BIAS) &&
        !eval_contacts(out, x, need, user))
        return 1;
    return 0;
}

/* False if a wheel has left the rail head. */
static bool eval_contacts(dfl_blocks *out, const double *x, unsigned need, const wheelset *data)
{
    for (int i = 0; i < NWHEELS; i++) {
        jet place[NJETS];
        fill_jets(place, x, i);
        const contact here = eval_contact(place, side[i]);
        if (!here.on_rail)
            return false;
        if (need & DFL_POSITION) {
            out->g[i] = here.g.v - data->g0[i];
            out->c[first_s[i]] = here.c[0].v;
            out->c[first_s[i] + 1] = here.c[1].v;
        }
        if (!(need & (DFL_VELOCITY | DFL_DIRECTIONS | DFL_BIAS)))
            continue;

        const contact_motion motion = eval_motion(place, i, x + V);
        if (need & DFL_VELOCITY)
            out->gI[i] = motion.gI;
        if (need & DFL_DIRECTIONS)
            eval_row(out->W, place, i, &motion);
        if (need & DFL_BIAS)
            out->bias[i] = motion.bias;
    }
    return true;
}

static void fill_jets(jet *q, const double *x, int i)
{
    const double *p = x + P, *s = x + S + first_s[i];
    const double value[NJETS] = {p[X], p[Y], p[TH], p[PH], s[0], s[1]};
    for (int j = 0; j < NJETS; j++)
        q[j] = (jet){value[j], 0, 0};
}

/* Along p(tau) = p + tau v the contact variables move so that c stays constant:
   c_s s' = -c_p v, and c_s s'' = -(second derivative of c with s'' = 0). */
static contact_motion eval_motion(const jet *place, int i, const double *v)
{
    contact_motion m;
    jet q[NJETS];
    memcpy(q, place, sizeof q);
    for (int j = 0; j < 2; j++) {
        q[JPSI + j].d = 1;
        const contact by_s = eval_contact(q, side[i]);
        q[JPSI + j].d = 0;
        m.cs[0][j] = by_s.c[0].d;
        m.cs[1][j] = by_s.c[1].d;
        m.gs[j] = by_s.g.d;
    }

    q[JX].d = v[X];
    q[JY].d = v[Y];
    q[JTH].d = v[TH];
    q[JPH].d = v[PH];
    const contact held = eval_contact(q, side[i]);
    double sd[2], sdd[2];
    solve2(sd, m.cs, (const double[2]){-held.c[0].d, -held.c[1].d});
    q[JPSI].d = sd[0];
    q[JXI].d = sd[1];
    const contact moved = eval_contact(q, side[i]);
    solve2(sdd, m.cs, (const double[2]){-moved.c[0].dd, -moved.c[1].dd});
    m.gI = moved.g.d;
    m.bias = moved.g.dd + m.gs[0] * sdd[0] + m.gs[1] * sdd[1];
    return m;
}

/* Row i of W: g_p - g_s c_s^-1 c_p, column by column. z and beta do not enter. */
static void eval_row(double *W, const jet *place, int i, const contact_motion *motion)
{
    static const int column[] = {X, Y, TH, PH};
    double transposed[2][2] = {{motion->cs[0][0], motion->cs[1][0]},
                               {motion->cs[0][1], motion->cs[1][1]}};
    double eta[2]; /* c_s^-T g_s */
    solve2(eta, transposed, motion->gs);
    jet q[NJETS];
    memcpy(q, place, sizeof q);
    for (int j = JX; j <= JPH; j++) {
        q[j].d = 1;
        const contact by_p = eval_contact(q, side[i]);
        q[j].d = 0;
        W[i + NL * column[j]] = by_p.g.d - eta[0] * by_p.c[0].d - eta[1] * by_p.c[1].d;
    }
}

/* The formulas for xg, g, c at the top of this file, without g0. */
static contact eval_contact(const jet *q, double k)
{
    const double cth = cos(q[JTH].v), sth = sin(q[JTH].v), dR = -k * tan(delta0);
    const double cph = cos(q[JPH].v), sph = sin(q[JPH].v);
    const double cpsi = cos(q[JPSI].v), spsi = sin(q[JPSI].v);
    const jet Cth = jet_compose(cth, -sth, -cth, q[JTH]), Sth = jet_compose(sth, cth, -sth, q[JTH]);
    const jet Cph = jet_compose(cph, -sph, -cph, q[JPH]), Sph = jet_compose(sph, cph, -sph, q[JPH]);
    const jet Cpsi = jet_compose(cpsi, -spsi, -cpsi, q[JPSI]);
    const jet Spsi = jet_compose(spsi, cpsi, -spsi, q[JPSI]);
    const jet xi = q[JXI], R = jet_add((jet){r0 - k * dR * ar, 0, 0}, jet_scale(dR, xi));
    const jet up = jet_mul(Sph, Cpsi); /* sin ph cos psi */

    jet xg = jet_mul(R, jet_sub(jet_mul(Cth, up), jet_mul(Sth, Spsi)));
    xg = jet_add(q[JX], jet_add(xg, jet_mul(xi, jet_mul(Cth, Cph))));
    const double u = k * xg.v - ar - rs * sin(delta0), h2 = rs * rs - u * u, h = sqrt(h2);
    /* Gam = h - ..., Gam' = -k u/h, Gam'' = -rs^2/h^3, Gam''' = -3 k rs^2 u/h^5 */
    const double D1 = -k * u / h, D2 = -rs * rs / (h2 * h),
                 D3 = -3 * k * rs * rs * u / (h2 * h2 * h);
    const jet Gam = jet_compose(h - r0 - rs * cos(delta0), D1, D2, xg);
    const jet D = jet_compose(D1, D2, D3, xg);

    contact out = {.on_rail = h2 > 0};
    out.g = jet_sub(Gam, jet_add(q[JY], jet_mul(xi, Sph)));
    out.g = jet_add(out.g, jet_mul(R, jet_mul(Cph, Cpsi)));
    const jet slope = jet_sub(jet_scale(dR, Cph), up); /* R' cos ph - sin ph cos psi */
    const jet W1 = jet_add(jet_mul(slope, Cth), jet_mul(Sth, Spsi));
    const jet W2 = jet_add(jet_scale(dR, Sph), jet_mul(Cph, Cpsi));
    out.c[0] = jet_add(jet_mul(D, W2), W1);
    out.c[1] = jet_sub(jet_mul(slope, Sth), jet_mul(Cth, Spsi));
    return out;
}

/* False if a wheel has left the rail head. */
static bool eval_force(double *f, const double *x)
{
    const double *v = x + V, *p = x + P, *lambda = x + LAMBDA;
    const attitude o = eval_attitude(p);
    wheel w[NWHEELS];
    for (int i = 0; i < NWHEELS; i++)
        if (!place_wheel(&w[i], i, &o, x))
            return false;
    press_wheels(w, lambda);

    const double turning = speed / r0 + v[BETA], thd = v[TH], phd = v[PH];
    double yaw = I2 * thd * phd * o.sph - I1 * turning * phd - (I1 - I2) * thd * phd * o.sph -
                 2 * xl * xl * cz * p[TH] * o.cph;
    f[X] = -2 * cx * p[X];
    f[Y] = -mR * gravity;
    f[Z] = -2 * cz * p[Z];
    f[PH] = I1 * turning * thd * o.cph + (I1 - I2) * thd * thd * o.sph * o.cph;
    f[BETA] = -I1 * thd * phd * o.cph - 2 * xl * xl * cz * p[TH] * o.sph;
    for (int i = 0; i < NWHEELS; i++) {
        eval_creep(&w[i], &o, v, p);
        add_wheel(f, &yaw, &w[i], &o);
    }
    f[TH] = o.cph * yaw + o.sph * f[BETA];
    for (int i = 0; i < NWHEELS; i++) {
        const double arm = w[i].R * (o.cth * w[i].spsi + w[i].cpsi * o.sph * o.sth);
        f[TH] += (1 - o.cph) * w[i].D * (-arm - w[i].xi * o.cph * o.sth) * lambda[i];
    }
    return true;
}

static attitude eval_attitude(const double *p)
{
    return (attitude){cos(p[TH]), sin(p[TH]), cos(p[PH]), sin(p[PH])};
}

/* Geometry of wheel i; its forces are left open. */
static bool place_wheel(wheel *w, int i, const attitude *o, const double *x)
{
    const double psi = x[S + first_s[i]];
    w->k = side[i];
    w->xi = x[S + first_s[i] + 1];
    w->dR = -w->k * tan(delta0);
    w->R = r0 + tan(delta0) * (ar - w->k * w->xi);
    w->cpsi = cos(psi);
    w->spsi = sin(psi);
    const double xg =
        x[P + X] + w->xi * o->cth * o->cph + w->R * (o->cth * o->sph * w->cpsi - o->sth * w->spsi);
    const double u = w->k * xg - ar - rs * sin(delta0);
    w->D = -w->k * u / sqrt(rs * rs - u * u);
    const double W1 = (w->dR * o->cph - o->sph * w->cpsi) * o->cth + w->spsi * o->sth;
    const double W2 = w->dR * o->sph + w->cpsi * o->cph;
    const double delta = atan(w->k * W1 / W2);
    w->cdelta = cos(delta);
    w->sdelta = sin(delta);
    return fabs(u) < rs;
}

/* Normal forces whose sum has the lateral and vertical components of the constraint forces. */
static void press_wheels(wheel *w, const double *lambda)
{
    const wheel *p = &w[PLUS], *m = &w[MINUS];
    const double A = -p->D * lambda[PLUS] - m->D * lambda[MINUS];
    const double B = lambda[PLUS] + lambda[MINUS];
    const double det = -m->sdelta * p->cdelta - p->sdelta * m->cdelta;
    const double normal[NWHEELS] = {(-m->cdelta * A - m->sdelta * B) / det,
                                    (p->cdelta * A - p->sdelta * B) / det};
    w[PLUS].N = normal[PLUS];
    w[MINUS].N = normal[MINUS];
}

/* Creepages nu from the sliding velocity w1, w2, w3 of the contact point, then the force. */
static void eval_creep(wheel *w, const attitude *o, const double *v, const double *p)
{
    const double R = w->R, xi = w->xi, cpsi = w->cpsi, spsi = w->spsi, cd = w->cdelta;
    const double ksd = w->k * w->sdelta, turning = speed / r0 + v[BETA];
    const double T = p[TH] / cd, sT = sin(T), cT = cos(T);
    const double tilt = xi * o->sph - R * o->cph * cpsi;
    const double w1 = -turning * R * (sT * cpsi + cT * o->sph * spsi) + v[X] -
                      v[TH] * (R * (sT * o->sph * cpsi + cT * spsi) + xi * sT * o->cph) -
                      v[PH] * cT * tilt;
    const double w2 =
        turning * R * o->cph * spsi + v[Y] + v[PH] * (xi * o->cph + R * o->sph * cpsi);
    const double w3 = -turning * R * (cT * cpsi - sT * o->sph * spsi) + speed + v[Z] -
                      v[TH] * (xi * cT * o->cph + R * (cT * o->sph * cpsi - sT * spsi)) +
                      v[PH] * sT * tilt;
    const double roll[3] = {w1 - 2 * v[X], w2 - 2 * v[Y], w3 - 2 * v[Z] - 2 * speed};
    const double rolling = sqrt(roll[0] * roll[0] + roll[1] * roll[1] + roll[2] * roll[2]) / 2;
    const double nu1 = (sT * w1 + cT * w3) / rolling;
    const double nu2 = (cT * cd * w1 - ksd * w2 - sT * cd * w3) / rolling;
    const double nu3 = (ksd * turning + cd * v[TH]) / rolling;

    const double c = contact_size(w), bound = mu * w->N, stiffness = shear * c * c / bound;
    double T1 = -bound * tanh(stiffness * C11 * nu1);
    double T2 = -bound * tanh(stiffness * (C22 * nu2 + c * C23 * nu3));
    const double excess = sqrt(T1 * T1 + T2 * T2) / fabs(bound);
    if (excess > 1) {
        T1 /= excess;
        T2 /= excess;
    }
    w->F[0] = sT * T1 + cT * cd * T2;
    w->F[1] = -ksd * T2;
    w->F[2] = cT * T1 - sT * cd * T2;
}

/* Hertz; the rail's term -Gam''/(2 (1 + D^2)^(3/2)) is its constant curvature, halved. */
static double contact_size(const wheel *w)
{
    const double A1 = 1 / (2 * w->R * sqrt(1 + w->dR * w->dR)), B1 = 1 / (2 * rs);
    return cbrt(3 * fabs(w->N) * (1 - sigma) * hertz_e /
                (2 * PI * (A1 + B1) * shear * sqrt(hertz_g)));
}

/* Adds the creep force of one wheel; its part in equation (a) goes to `yaw`. */
static void add_wheel(double *f, double *yaw, const wheel *w, const attitude *o)
{
    const double *F = w->F, xi = w->xi;
    const double Rs = w->R * w->spsi, Rc = w->R * w->cpsi;
    for (int i = 0; i < 3; i++)
        f[i] += F[i];
    *yaw += -(xi * o->sth + Rs * o->cth * o->cph) * F[0] - Rs * o->sph * F[1] +
            (-xi * o->cth + Rs * o->sth * o->cph) * F[2];
    f[PH] += -(xi * o->cth * o->sph - Rc * o->cth * o->cph) * F[0] +
             (xi * o->cph + Rc * o->sph) * F[1] +
             (xi * o->sth * o->sph - Rc * o->sth * o->cph) * F[2];
    f[BETA] += -(Rc * o->sth + Rs * o->cth * o->sph) * F[0] + Rs * o->cph * F[1] -
               (Rc * o->cth - Rs * o->sth * o->sph) * F[2];
}

/* Solves A y = b. */
static void solve2(double *y, double A[2][2], const double *b)
{
    const double det = A[0][0] * A[1][1] - A[0][1] * A[1][0];
    y[0] = (A[1][1] * b[0] - A[0][1] * b[1]) / det;
    y[1] = (A[0][0] * b[1] - A[1][0] * b[0]) / det;
}

static jet jet_add(jet a, jet b)
{
    return (jet){a.v + b.v, a.d + b.d, a.dd + b.dd};
}

static jet jet_sub(jet a, jet b)
{
    return (jet){a.v - b.v, a.d - b.d, a.dd - b.dd};
}

static jet jet_mul(jet a, jet b)
{
    return (jet){a.v * b.v, a.v * b.d + a.d * b.v, a.v * b.dd + 2 * a.d * b.d + a.dd * b.v};
}

static jet jet_scale(double k, jet a)
{
    return (jet){k * a.v, k * a.d, k * a.dd};
}

/* f(a) from the value and the first two derivatives of f at a.v */
static jet jet_compose(double f, double fd, double fdd, jet a)
{
    return (jet){f, fd * a.d, fd * a.dd + fdd * a.d * a.d};
}
