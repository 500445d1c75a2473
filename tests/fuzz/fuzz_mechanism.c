/* fuzz_mechanism.c: bytes as the choices of a generator of mechanisms: bodies with joints in a
   tree, joints that close loops, couplings, force elements, constraints, initial values and
   settings. The numbers are ordinary, so that a run that succeeds must keep its constraints.
   DFL_FUZZ_SHOW=1 prints the script. */
#include "bytes.h"
#include "context/context.h"
#include "try_model.h"

enum { MOST_BODIES = 4 };

typedef struct generator {
    bytes b;
    dfl_text text;
    bool planar;
    int bodies;
    const char *kind[MOST_BODIES]; /* of the joint that carries each body */
} generator;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
static void add_bodies(generator *g);
static void add_loops(generator *g);
static void add_forces(generator *g);
static void add_rest(generator *g);
static void add_vector(generator *g, const char *name);
static void add_pair(generator *g);
static void add_joint_options(generator *g, const char *kind, bool loop);
static bool has_coordinate(const generator *g, int body);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    dfl_context *ctx = dfl_context_create();
    ALWAYS(ctx);
    generator g = {.b = {data, size}, .text = {.ctx = ctx}};
    g.planar = take_flag(&g.b);
    dfl_text_add(&g.text, "%s", g.planar ? "planar()\n" : "");
    add_vector(&g, "gravity");
    add_bodies(&g);
    add_loops(&g);
    add_forces(&g);
    add_rest(&g);
    ALWAYS(!g.text.status);
    if (getenv("DFL_FUZZ_SHOW"))
        fputs(dfl_text_string(&g.text), stderr);
    try_model(dfl_text_string(&g.text), g.text.length, true);
    dfl_text_clear(&g.text);
    dfl_context_free(ctx);
    return 0;
}

/* gravity{...} or a field NAME = {...} of options. */
static void add_vector(generator *g, const char *name)
{
    const double x = take_usual(&g->b), y = take_usual(&g->b);
    const bool call = !strcmp(name, "gravity");
    dfl_text_add(&g->text, call ? "%s{%g, %g" : ", %s = {%g, %g", name, x, y);
    if (!g->planar)
        dfl_text_add(&g->text, ", %g", take_usual(&g->b));
    dfl_text_add(&g->text, call ? "}\n" : "}");
}

/* Every body hangs on an earlier one or on the ground. */
static void add_bodies(generator *g)
{
    static const char *const spatial[] = {"revolute", "prismatic",    "cylindrical", "universal",
                                          "screw",    "planar_joint", "translation", "spherical",
                                          "free",     "fixed"};
    static const char *const plane[] = {"revolute", "prismatic", "planar_joint", "translation",
                                        "fixed"};
    g->bodies = 1 + take_choice(&g->b, MOST_BODIES);
    for (int i = 0; i < g->bodies; i++) {
        const char *kind =
            g->planar ? plane[take_choice(&g->b, 5)] : spatial[take_choice(&g->b, 10)];
        const int parent = take_choice(&g->b, i + 1) - 1;
        const double mass = fabs(take_usual(&g->b)), inertia = fabs(take_usual(&g->b));
        dfl_text_add(&g->text, "local b%d = body(\"b%d\", { mass = %g", i, i, mass);
        if (g->planar)
            dfl_text_add(&g->text, ", inertia = %g", inertia);
        else
            dfl_text_add(&g->text, ", inertia = {%g, %g, %g}", inertia, inertia, inertia);
        add_vector(g, "com");
        dfl_text_add(&g->text, " })\nlocal j%d = %s(\"j%d\", ", i, kind, i);
        dfl_text_add(&g->text, parent < 0 ? "ground" : "b%d", parent);
        dfl_text_add(&g->text, ", b%d, { cut = false", i);
        g->kind[i] = kind;
        add_joint_options(g, kind, false);
        const bool driven = take_byte(&g->b) > 235 && has_coordinate(g, i);
        if (driven)
            dfl_text_add(&g->text, ", motion = %g*sin(%g*time)", take_usual(&g->b),
                         take_usual(&g->b));
        if (driven)
            g->kind[i] = "driven";
        dfl_text_add(&g->text, " })\n");
    }
}

/* Those that the kind of joint takes. */
static void add_joint_options(generator *g, const char *kind, bool loop)
{
    static const char *const without[] = {"translation", "spherical", "free", "fixed", "distance"};
    const bool distance = !strcmp(kind, "distance");
    bool axis = !g->planar || !strcmp(kind, "prismatic") || !strcmp(kind, "point_on_line");
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        axis = axis && strcmp(kind, without[i]) != 0;
    add_vector(g, "at");
    if (distance || (loop && take_byte(&g->b) > 200))
        add_vector(g, "at_b");
    if (axis && (g->planar || strcmp(kind, "universal") != 0))
        add_vector(g, "axis");
    if (!strcmp(kind, "universal")) {
        const double x = take_usual(&g->b), y = take_usual(&g->b);
        dfl_text_add(&g->text, ", axis = {%g, %g, 0}, axis2 = {%g, %g, %g}", x, y, -y, x,
                     take_usual(&g->b));
    }
    if (!strcmp(kind, "screw"))
        dfl_text_add(&g->text, ", lead = %g", take_usual(&g->b));
}

/* Two different bodies, the first of which may be the ground. */
static void add_pair(generator *g)
{
    const int b = take_choice(&g->b, g->bodies), other = take_choice(&g->b, g->bodies) - 1;
    const int a = other < b ? other : other + 1;
    dfl_text_add(&g->text, a < 0 ? "ground" : "b%d", a);
    dfl_text_add(&g->text, ", b%d, ", b);
}

static void add_loops(generator *g)
{
    static const char *const kinds[] = {
        "universal", "point_on_plane", "cylindrical", "spherical",     "revolute",
        "prismatic", "fixed",          "translation", "point_on_line", "distance"};
    enum { ALL = 10, IN_PLANE = 6 }; /* the last ones */
    const int count = take_choice(&g->b, 4);
    for (int i = 0; i < count; i++) {
        const char *kind = g->planar ? kinds[ALL - 1 - take_choice(&g->b, IN_PLANE)]
                                     : kinds[take_choice(&g->b, ALL)];
        dfl_text_add(&g->text, "%s(\"l%d\", ", kind, i);
        add_pair(g);
        dfl_text_add(&g->text, "{ cut = true");
        add_joint_options(g, kind, true);
        dfl_text_add(&g->text, " })\n");
    }
    const int a = take_choice(&g->b, g->bodies), b = take_choice(&g->b, g->bodies);
    if (take_byte(&g->b) > 200 && has_coordinate(g, a) && has_coordinate(g, b))
        dfl_text_add(&g->text, "coupling(\"c\", j%d.q - %g*j%d.q)\n", a, take_usual(&g->b), b);
}

static bool has_coordinate(const generator *g, int body)
{
    return !strcmp(g->kind[body], "revolute") || !strcmp(g->kind[body], "prismatic") ||
           !strcmp(g->kind[body], "screw");
}

static void add_forces(generator *g)
{
    const int count = take_choice(&g->b, 4);
    for (int i = 0; i < count; i++) {
        dfl_text_add(&g->text, "spring(\"s%d\", ", i);
        add_pair(g);
        const double k = 10 * fabs(take_usual(&g->b)), d = fabs(take_usual(&g->b));
        dfl_text_add(&g->text, "{ stiffness = %g, damping = %g", k, d);
        add_vector(g, "from");
        add_vector(g, "to");
        dfl_text_add(&g->text, " })\n");
    }
    for (int i = 0; i < g->bodies; i++)
        if (has_coordinate(g, i) && take_byte(&g->b) > 128)
            dfl_text_add(&g->text, "force(j%d.q, %g*j%d.q - %g*j%d.qd + %g*sin(time))\n", i,
                         -fabs(take_usual(&g->b)), i, fabs(take_usual(&g->b)), i,
                         take_usual(&g->b));
}

/* Free expressions, a start, settings. */
static void add_rest(generator *g)
{
    static const char *const methods[] = {"radau",       "radau5",        "bdf",
                                          "trapezoidal", "explicit-pair", "half-explicit"};
    for (int i = 0; i < g->bodies; i++)
        if (has_coordinate(g, i) && take_byte(&g->b) > 160)
            dfl_text_add(&g->text, "initial{ [j%d.q] = %g, [j%d.qd] = %g }\n", i, take_usual(&g->b),
                         i, take_usual(&g->b));
    const int watched = take_choice(&g->b, g->bodies);
    dfl_text_add(&g->text, "local tip = point(b%d, %s)\noutput(\"x\", tip.x)\n", watched,
                 g->planar ? "{1, 0}" : "{1, 0, 0}");
    if (take_byte(&g->b) > 200)
        dfl_text_add(&g->text, "constraint(\"free\", tip.x - %g)\n", take_usual(&g->b));
    if (take_byte(&g->b) > 220)
        dfl_text_add(&g->text, "event(\"e\", tip.y - 0.5, { stop = true })\n");
    const int method = take_choice(&g->b, 12);
    dfl_text_add(&g->text, "simulate{ to = 0.02, rtol = 1e-6, method = \"%s\" }\n",
                 methods[method < 6 ? method : 0]);
}
