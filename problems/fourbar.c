/* fourbar.c: N four-bar linkages in a row (multibody benchmark library, problem A02).

   Uprights A_i B_i with A_i = (i, 0) fixed, i = 0..N, and couplers B_i B_{i+1}, all uniform, of
   length 1 m and mass 1 kg, gravity 9.81. p holds the B_i; 2N+1 bars for 2N+2 coordinates: uprights
   first. With all bars horizontal the rank of W drops and motions branch. As long as the uprights
   stay parallel, the angle theta from the upward vertical obeys

       I theta'' = w sin theta,  I = (N+1)/3 + N,  w = 9.81 ((N+1)/2 + N)

   fourbar starts upright, B_i' = (1, 0), and passes the horizontal position twice per revolution
   (first at t = 0.71435552929296 for N = 2). fourbar_hanging starts at rest 1 rad away from the
   hanging position and stays regular; its period is 1.98045658677646 s for N = 2. The references
   are the exact solution of that equation in elliptic functions; the multipliers follow from it bar
   by bar. */
#include "linkage.h"

enum { DEFAULT_SIZE = 2 };

/* B_0 and its velocity. */
typedef struct sample {
    int size;
    double t, b[2], v[2];
} sample;

static bool make(problem *out, int size, const sample *start, const sample *samples, int nsamples);
static void add_bars(linkage *link, int n);
static void fill_state(double *x, int n, const sample *at);
static void fill_multipliers(double *x, int n, const sample *at);

static const sample upright[] = {
    {2, 1.0, {-0.1950203019494351, -0.9807992056621738}, {-6.676678036881158, 1.327578325160487}},
    {2, 2.0, {0.05781579576801143, 0.9983272678634555}, {1.017260136620437, -0.05891224871344565}},
    {2, 5.0, {-0.8113104610051074, -0.5846155453489755}, {-3.569117397193209, 4.953105171313327}},
    {2, 10.0, {0.3284581115408154, 0.944518538178601}, {1.423051470206944, -0.494868845487043}},
    {40, 1.0, {-0.1153568806321099, -0.9933241113004502}, {-6.669987523941772, 0.7746000986623433}},
    {40, 10.0, {0.1805122266867284, 0.9835727405823116}, {1.148441277469414, -0.2107700667794239}},
    {40, 20.0, {0.4109011537629452, 0.9116799009719807}, {1.56678537190907, -0.7061622355938373}},
};

static const sample hanging[] = {
    {2,
     1.0,
     {-0.841222478921931388, -0.540689135230624642},
     {0.050878026263165031, -0.0791577573636634799}},
    {2,
     2.0,
     {0.840476041706660363, -0.541848708882012664},
     {-0.101944143851937746, -0.158128291339175541}},
    {2,
     5.0,
     {-0.835212599754856365, -0.549927189008448741},
     {0.258122475300672462, -0.392028522975468303}},
    {2,
     10.0,
     {0.815879922166311602, -0.578221369897285379},
     {-0.538698590336600933, -0.760112626126222954}},
    {40,
     1.0,
     {-0.841334895369446935, -0.540514193924342545},
     {-0.037002853789909973, 0.0575966227559649692}},
    {40,
     10.0,
     {0.827637313291633568, -0.561263287279157771},
     {0.382161840782203791, 0.563534808558132297}},
    {40,
     20.0,
     {0.783563618075224802, -0.621311561480118637},
     {0.831671145475660017, 1.04885743675080076}},
};

bool problem_fourbar(problem *out, int size)
{
    const sample start = {.b = {0.0, 1.0}, .v = {1.0, 0.0}};
    *out = (problem){.name = "fourbar",
                     .about = "N four-bar linkages turning through singular positions"};
    return make(out, size, &start, upright, sizeof upright / sizeof *upright);
}

bool problem_fourbar_hanging(problem *out, int size)
{
    const double sin1 = 0.84147098480789650665, cos1 = 0.5403023058681397174;
    const sample start = {.b = {sin1, -cos1}};
    *out = (problem){.name = "fourbar_hanging",
                     .about = "N four-bar linkages swinging about the hanging position"};
    return make(out, size, &start, hanging, sizeof hanging / sizeof *hanging);
}

static bool make(problem *out, int size, const sample *start, const sample *samples, int nsamples)
{
    const int n = size > 0 ? size : DEFAULT_SIZE;
    const linkage data = {.npoints = n + 1, .nbars = 2 * n + 1, .bar_mass = 1.0, .gravity = 9.81};
    int nreferences = 0, next = 0;
    for (int i = 0; i < nsamples; i++)
        nreferences += samples[i].size == n;
    out->t_end = 10.0;
    if (!linkage_create(out, &data, nreferences))
        return false;

    linkage *link = out->parameters;
    add_bars(link, n);
    fill_state(out->x0, n, start);
    for (int i = 0; i < nsamples; i++) {
        if (samples[i].size != n)
            continue;
        fill_state(link->reference_x + next * dfl_eom_unknowns(&out->eom), n, &samples[i]);
        link->references[next].t = samples[i].t;
        link->references[next++].accuracy = 1e-11;
    }
    linkage_finish(out);
    return true;
}

static void add_bars(linkage *link, int n)
{
    for (int i = 0; i <= n; i++)
        link->bars[i] = (linkage_bar){.ends = {-1, i}, .anchor = i};
    for (int i = 0; i < n; i++)
        link->bars[n + 1 + i] = (linkage_bar){.ends = {i, i + 1}};
}

/* All uprights parallel to A_0 B_0. */
static void fill_state(double *x, int n, const sample *at)
{
    double *v = x + 2 * n + 1, *p = v + 2 * (n + 1);
    for (int i = 0; i <= n; i++) {
        p[2 * i] = i + at->b[0];
        p[2 * i + 1] = at->b[1];
        v[2 * i] = at->v[0];
        v[2 * i + 1] = at->v[1];
    }
    fill_multipliers(x, n, at);
}

/* All B_i have the same acceleration a, and row i of M adds up to m_i. The balance at B_i reads
   m_i a = -(0, 9.81 w_i) - 2 b lambda_i + 2 (c_i - c_{i-1}, 0) with the multipliers lambda_i of the
   uprights and c_i of the couplers: its y gives lambda_i, its x adds up the c_i. */
static void fill_multipliers(double *x, int n, const sample *at)
{
    const double gravity = 9.81, bx = at->b[0], by = at->b[1];
    const double inertia = (n + 1) / 3.0 + n, weight = gravity * ((n + 1) / 2.0 + n);
    const double turn = at->v[0] * by - at->v[1] * bx; /* theta' */
    const double ax = weight / inertia * bx * by - turn * turn * bx;
    const double ay = -weight / inertia * bx * bx - turn * turn * by;
    double coupler = 0.0;
    for (int i = 0; i <= n; i++) {
        const bool outer = i == 0 || i == n;
        const double m = outer ? 5.0 / 6.0 : 4.0 / 3.0, w = outer ? 1.0 : 1.5;
        x[i] = -(m * ay + gravity * w) / (2.0 * by);
        coupler += 0.5 * m * ax + bx * x[i];
        if (i < n)
            x[n + 1 + i] = coupler;
    }
}
