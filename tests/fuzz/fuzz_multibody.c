/* fuzz_multibody.c: bytes as a mechanism for the C interface and calls of its functions, also with
   odd numbers, bodies that do not exist and in any order. */
#include "bytes.h"

#include <driftless/driftless.h>

enum { MOST_PARTS = 6, MOST_NUMBERS = 300, MOST_CALLS = 12 };

/* Everything that a description points to. */
typedef struct parts {
    dfl_rigid_body bodies[MOST_PARTS];
    dfl_joint joints[MOST_PARTS];
    dfl_loop loops[MOST_PARTS];
    dfl_coupling couplings[MOST_PARTS];
    dfl_coupling_term terms[MOST_PARTS];
    dfl_joint_spring springs[MOST_PARTS];
    int njoints;
    bool odd; /* numbers */
    bytes *b;
} parts;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
static dfl_multibody_description describe(parts *p, bytes *b);
static void describe_joints(parts *p, bytes *b, int count);
static void describe_loops(parts *p, bytes *b);
static void vector(double *out, const parts *p);
static double number(const parts *p);
static int place(bytes *b);
static void call(dfl_multibody *m, dfl_context *ctx, const parts *p);
static void move(dfl_multibody *m, dfl_context *ctx, const parts *p);
static void dynamics(dfl_multibody *m, dfl_context *ctx, const parts *p);
static void frames(dfl_multibody *m, dfl_context *ctx, const parts *p);
static void lanes(dfl_multibody *m, dfl_context *ctx, const parts *p);
static void solve(dfl_multibody *m, dfl_context *ctx);
static int force(double *tau, dfl_multibody *m, double t, const double *p, const double *v,
                 void *user);
static int drive(double *motion, double t, void *user);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bytes b = {data, size};
    parts p = {.b = &b};
    dfl_multibody *m = NULL;
    dfl_context *ctx = dfl_context_create();
    ALWAYS(ctx);
    const dfl_multibody_description description = describe(&p, &b);
    const dfl_status status = dfl_multibody_create(&m, ctx, &description);
    ALWAYS((status == DFL_OK) == (m != NULL));
    ALWAYS(!status || dfl_message(ctx)[0]);
    for (int i = 0; m && i < MOST_CALLS && b.left > 0; i++)
        call(m, ctx, &p);
    dfl_multibody_free(m);
    ALWAYS(dfl_context_live(ctx) == 0);
    dfl_context_free(ctx);
    return 0;
}

static dfl_multibody_description describe(parts *p, bytes *b)
{
    p->odd = take_byte(b) > 200;
    const int count = 1 + take_choice(b, MOST_PARTS);
    for (int i = 0; i < count; i++) {
        p->bodies[i] = (dfl_rigid_body){.name = take_flag(b) ? "body" : NULL, .mass = number(p)};
        vector(p->bodies[i].com, p);
        for (int k = 0; k < 6; k++)
            p->bodies[i].inertia[k] = k < 3 || p->odd ? number(p) : 0;
        if (!p->odd) { /* a body that exists: a sphere */
            p->bodies[i].mass = fabs(p->bodies[i].mass);
            p->bodies[i].inertia[0] = fabs(p->bodies[i].inertia[0]);
            p->bodies[i].inertia[1] = p->bodies[i].inertia[2] = p->bodies[i].inertia[0];
        }
    }
    describe_joints(p, b, count);
    describe_loops(p, b);
    dfl_multibody_description d = {.nbodies = count,
                                   .njoints = count,
                                   .bodies = p->bodies,
                                   .joints = p->joints,
                                   .planar = take_byte(b) > 200,
                                   .nloops = take_choice(b, 3),
                                   .ncouplings = take_byte(b) > 200,
                                   .nsprings = take_choice(b, 3),
                                   .loops = p->loops,
                                   .couplings = p->couplings,
                                   .springs = p->springs,
                                   .force = take_flag(b) ? force : NULL,
                                   .drive = take_byte(b) > 20 ? drive : NULL,
                                   .user = p};
    vector(d.gravity, p);
    if (p->odd) {
        const int odd = take_size(b, MOST_PARTS);
        d.nbodies = odd < count ? odd : count;
        d.njoints = take_flag(b) ? d.nbodies : count;
        d.nloops = take_flag(b) ? -1 : d.nloops;
        d.loops = take_byte(b) > 250 ? NULL : d.loops;
        d.joints = take_byte(b) > 250 ? NULL : d.joints;
    }
    p->njoints = d.njoints;
    return d;
}

static void describe_joints(parts *p, bytes *b, int count)
{
    for (int i = 0; i < count; i++) {
        dfl_joint *j = &p->joints[i];
        *j = (dfl_joint){
            .kind = (dfl_joint_kind)take_choice(b, p->odd ? DFL_JOINT_KINDS + 1 : DFL_JOINT_USER),
            .parent = p->odd ? place(b) : take_choice(b, i + 1) - 1,
            .child = p->odd ? place(b) : i,
            .driven = take_byte(b) > 220,
            .lead = number(p)};
        vector(j->at, p);
        vector(j->axis, p);
        vector(j->axis2, p);
        if (j->kind == DFL_JOINT_UNIVERSAL && !p->odd) {
            j->axis[2] = j->axis2[2] = 0;
            j->axis2[0] = -j->axis[1];
            j->axis2[1] = j->axis[0];
        }
    }
}

static void describe_loops(parts *p, bytes *b)
{
    for (int i = 0; i < MOST_PARTS; i++) {
        dfl_loop *l = &p->loops[i];
        *l = (dfl_loop){.kind = (dfl_joint_kind)take_choice(b, DFL_JOINT_KINDS),
                        .a = place(b),
                        .b = place(b),
                        .apart = take_flag(b),
                        .length = fabs(number(p)),
                        .lead = number(p)};
        double *const vectors[] = {l->at, l->axis, l->axis2, l->at_b, l->axis_b, l->axis2_b};
        for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
            vector(vectors[k], p);
        p->terms[i] = (dfl_coupling_term){place(b), take_choice(b, 3), number(p)};
        p->couplings[i] = (dfl_coupling){NULL, take_choice(b, 3), p->terms, number(p)};
        p->springs[i] = (dfl_joint_spring){place(b), take_choice(b, 3), number(p), number(p), 0};
    }
}

static void vector(double *out, const parts *p)
{
    for (int i = 0; i < 3; i++)
        out[i] = number(p);
}

static double number(const parts *p)
{
    return p->odd ? take_number(p->b) : take_usual(p->b);
}

/* The number of a body or joint, perhaps of none. */
static int place(bytes *b)
{
    const unsigned byte = take_byte(b);
    return byte > 252 ? INT_MAX : byte > 249 ? INT_MIN : (int)(byte % (MOST_PARTS + 2)) - 1;
}

static void call(dfl_multibody *m, dfl_context *ctx, const parts *p)
{
    static void (*const calls[])(dfl_multibody *, dfl_context *, const parts *) = {move, dynamics,
                                                                                   frames, lanes};
    const dfl_multibody_sizes sizes = dfl_multibody_sizes_of(m);
    ALWAYS(sizes.np * 6 <= MOST_NUMBERS && sizes.nl <= MOST_NUMBERS);
    const int which = take_choice(p->b, 5);
    if (which < 4)
        calls[which](m, ctx, p);
    else
        solve(m, ctx);
}

static void move(dfl_multibody *m, dfl_context *ctx, const parts *p)
{
    double q[MOST_NUMBERS], v[MOST_NUMBERS];
    const dfl_multibody_sizes n = dfl_multibody_sizes_of(m);
    dfl_multibody_reference(q, m);
    for (int i = 0; i < n.np; i++)
        q[i] += number(p);
    for (int i = 0; i < n.nv; i++)
        v[i] = number(p);
    dfl_status status = dfl_multibody_move(m, number(p), q, take_flag(p->b) ? v : NULL);
    ALWAYS(!status || dfl_message(ctx)[0]);
    if (take_flag(p->b)) {
        status = dfl_multibody_assemble(q, m, 0);
        ALWAYS(!status || dfl_message(ctx)[0]);
        for (int i = 0; !status && i < n.np; i++)
            ALWAYS(isfinite(q[i]));
    }
    dfl_multibody_rates(q, m);
    dfl_multibody_joint_p(m, place(p->b));
    dfl_multibody_joint_v(m, place(p->b));
}

static void dynamics(dfl_multibody *m, dfl_context *ctx, const parts *p)
{
    static double big[3][MOST_NUMBERS * MOST_NUMBERS];
    double a[MOST_NUMBERS], lambda[MOST_NUMBERS];
    const dfl_multibody_sizes n = dfl_multibody_sizes_of(m);
    dfl_massless massless;
    dfl_status status = DFL_OK;
    for (int i = 0; i < n.nv; i++)
        a[i] = number(p);
    switch (take_choice(p->b, 7)) {
    case 0:
        status = dfl_multibody_inverse(a, m, a);
        break;
    case 1:
        status = dfl_multibody_forward(a, take_flag(p->b) ? lambda : NULL, m, a);
        break;
    case 2:
        dfl_multibody_mass(big[0], m);
        dfl_multibody_loops(&(dfl_loop_rows){lambda, NULL, NULL, big[1]}, m);
        break;
    case 3:
        status = dfl_multibody_inverse_slopes(big[0], big[1], big[2], m, a);
        break;
    case 4:
        status = dfl_multibody_forward_slopes(big[0], big[1], big[2], m, a);
        break;
    case 5:
        status = dfl_multibody_null_space(big[0], lambda, m, a);
        break;
    default:
        status = dfl_multibody_check_massless(&massless, m);
    }
    ALWAYS(!status || dfl_message(ctx)[0]);
}

static void frames(dfl_multibody *m, dfl_context *ctx, const parts *p)
{
    double at[3], axis[3], axis2[3], J[6 * MOST_NUMBERS], tau[MOST_NUMBERS] = {0};
    dfl_frame frame;
    vector(at, p);
    vector(axis, p);
    vector(axis2, p);
    const dfl_status status = dfl_multibody_frame(
        &frame, m, place(p->b), take_flag(p->b) ? at : NULL, axis, take_flag(p->b) ? axis2 : NULL);
    ALWAYS(!status || dfl_message(ctx)[0]);
    if (status)
        return;
    dfl_multibody_motion(m, &frame);
    dfl_multibody_jacobian(J, m, &frame);
    dfl_multibody_push(tau, m, &frame, at, take_flag(p->b) ? axis : NULL);
}

static void lanes(dfl_multibody *m, dfl_context *ctx, const parts *p)
{
    double q[DFL_MULTIBODY_LANES * MOST_NUMBERS], v[DFL_MULTIBODY_LANES * MOST_NUMBERS];
    const dfl_multibody_sizes n = dfl_multibody_sizes_of(m);
    dfl_multibody_lanes *four = NULL;
    dfl_status status = dfl_multibody_lanes_create(&four, m);
    ALWAYS((status == DFL_OK) == (four != NULL));
    for (int i = 0; i < DFL_MULTIBODY_LANES * n.np; i++)
        q[i] = number(p);
    for (int i = 0; i < DFL_MULTIBODY_LANES * n.nv; i++)
        v[i] = number(p);
    if (!status && take_flag(p->b))
        status = dfl_multibody_lanes_move(four, 0, q, v);
    if (!status)
        status = dfl_multibody_lanes_inverse(v, four, v);
    if (!status)
        status = dfl_multibody_lanes_forward(v, four, v);
    ALWAYS(!status || dfl_message(ctx)[0]);
    dfl_multibody_lanes_free(four);
}

/* A few steps, from the drawing. */
static void solve(dfl_multibody *m, dfl_context *ctx)
{
    double x[3 * MOST_NUMBERS] = {0};
    const dfl_eom *eom = NULL;
    dfl_solver *solver = NULL;
    dfl_status status = dfl_multibody_eom(&eom, m);
    if (!status)
        status = dfl_solver_create(&solver, ctx, eom,
                                   &(dfl_solver_options){.step = {.max_attempts = 10}});
    if (!status) {
        dfl_multibody_reference(x + dfl_eom_layout(eom).p, m);
        status = dfl_solver_start(solver, 0, x, NULL);
    }
    if (!status)
        status = dfl_solver_advance(solver, 0.01);
    ALWAYS(!status || dfl_message(ctx)[0]);
    for (int i = 0; !status && i < dfl_eom_unknowns(eom); i++)
        ALWAYS(isfinite(dfl_solver_state(solver)[i]));
    dfl_solver_free(solver);
}

static int force(double *tau, dfl_multibody *m, double t, const double *p, const double *v,
                 void *user)
{
    const parts *all = user;
    (void)t;
    (void)p;
    if (dfl_multibody_sizes_of(m).nv > 0)
        tau[0] -= 0.1 * v[0];
    return all->odd && take_byte(all->b) > 200 ? 1 : 0;
}

static int drive(double *motion, double t, void *user)
{
    const parts *all = user;
    for (int i = 0; i < all->njoints; i++)
        if (all->joints[i].driven) {
            *motion++ = sin(t);
            *motion++ = cos(t);
            *motion++ = -sin(t);
        }
    return 0;
}
