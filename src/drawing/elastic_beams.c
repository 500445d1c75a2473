/* elastic_beams.c: straight beams: modes of a beam of unit length and mass, and units that are
   expressions, so that all numbers of the beam stay parameters. Which modes are the lowest is
   decided with the present values. */
#include "drawing/drawing_internal.h"

#include "drawing/elastic_beams.h"
#include "drawing/vectors.h"

#include <math.h>

static dfl_status check_beam(const dfl_drawing *drawing, const dfl_drawn_beam *b);
static dfl_status find_axes(dfl_vec axes[3], dfl_expr *length, const dfl_drawing *drawing,
                            const dfl_drawn_beam *b);
static int find_up(const double *up, int count, const void *facts);
static dfl_status find_modes(dfl_unit_beam *unit, dfl_drawing *drawing, const dfl_drawn_beam *b);
static dfl_status check_order(const dfl_drawing *drawing, const dfl_drawn_beam *b,
                              const dfl_modal_body *body);
static dfl_expr stiffness_of(dfl_graph *g, const dfl_drawn_beam *b, dfl_beam_family family,
                             dfl_expr length);
static void set_loads(dfl_drawing *drawing, const dfl_drawn_beam *b, const dfl_unit_beam *unit,
                      dfl_expr length);
static dfl_status doubt_moments(dfl_drawing *drawing, const dfl_drawn_beam *b,
                                const dfl_unit_beam *unit, dfl_expr length);
static void set_damping(dfl_expr *D, dfl_graph *g, const dfl_drawn_beam *b, dfl_expr K, dfl_expr M);
static dfl_status is_fast(bool *out, const dfl_drawing *drawing, const dfl_drawn_beam *b,
                          dfl_expr K, dfl_expr M);
static int is_faster(const double *numbers, int count, const void *facts);
static dfl_status note_modes(double *soft, dfl_drawing *drawing, const dfl_drawn_beam *b,
                             const dfl_unit_beam *unit, const dfl_expr *K, const dfl_expr *M);

enum { UP_AS_GIVEN, UP_IS_Y, UP_IS_Z, UP_IS_ALONG };
enum { BEAM_NUMBERS = 12 };

typedef struct ordered_beam {
    dfl_beam_order order;
    bool planar;
} ordered_beam;

static const char *const family_name[] = {"stretch", "bending", "bending across", "twist"};
static const char *const frame_name[] = {"chord", "tangent", "Buckens"};

dfl_status dfl_drawing_beam(int *out, dfl_drawing *drawing, const dfl_drawn_beam *b)
{
    dfl_graph *g = drawing->graph;
    dfl_drawn_elastic e = {.line = b->line,
                           .name = b->name,
                           .color = b->color,
                           .hidden = b->hidden,
                           .magnify = b->magnify,
                           .smooth = b->smooth,
                           .node_names = b->node_name,
                           .at = b->from};
    dfl_unit_beam unit = {.body = NULL};
    dfl_expr K[DFL_MOST_MODES * DFL_MOST_MODES] = {0}, D[DFL_MOST_MODES * DFL_MOST_MODES] = {0};
    dfl_expr Kd[DFL_MOST_MODES], Md[DFL_MOST_MODES];
    bool twists[DFL_MOST_MODES] = {false}, massless[DFL_MOST_MODES] = {false};
    dfl_status status = check_beam(drawing, b);
    if (!status)
        status = find_axes(e.axes, &e.length, drawing, b);
    if (!status)
        status = find_modes(&unit, drawing, b);
    if (!status)
        status = check_order(drawing, b, unit.body);
    if (status) {
        dfl_modal_body_free(unit.body);
        return status;
    }
    e.modal = unit.body;
    e.mass = dfl_mul(g, b->rhoA, e.length);
    e.rotary = drawing->planar ? 0 : dfl_mul(g, b->rhoJ, e.length);
    const int n = unit.body->n;
    for (int i = 0; i < n; i++) {
        twists[i] = unit.order.family[i] == DFL_BEAM_TWIST;
        Kd[i] = dfl_mul(g, dfl_constant(g, unit.order.k[i]),
                        stiffness_of(g, b, unit.order.family[i], e.length));
        Md[i] = twists[i] ? e.rotary : e.mass;
        K[i + n * i] = Kd[i];
        set_damping(&D[i + n * i], g, b, Kd[i], Md[i]);
        if (!status)
            status = is_fast(&massless[i], drawing, b, Kd[i], Md[i]);
    }
    e.massless = massless;
    e.K = K;
    e.D = D;
    e.twists = twists;
    e.twist = unit.turn0;
    if (!status)
        status = note_modes(&e.soft, drawing, b, &unit, Kd, Md);
    if (!status)
        status = dfl_drawing_elastic(out, drawing, &e);
    if (!status)
        set_loads(drawing, b, &unit, e.length);
    if (!status && !drawing->planar)
        status = doubt_moments(drawing, b, &unit, e.length);
    dfl_modal_body_free(unit.body);
    return status;
}

/* Lengths and stiffnesses must be positive with the present values. */
static dfl_status check_beam(const dfl_drawing *drawing, const dfl_drawn_beam *b)
{
    const struct {
        dfl_expr expr;
        const char *what;
    } all[] = {{b->rhoA, "its mass per length"},
               {b->EA, "EA"},
               {b->EI, "EI"},
               {b->EI2, "EI of the other direction"},
               {b->GJ, "GJ"},
               {b->rhoJ, "the inertia of its section"}};
    double from[3], to[3], value;
    dfl_status status =
        dfl_drawing_read(from, drawing, b->from.e, 3, dfl_model_finite, "elastic", b->name, "from");
    if (!status)
        status =
            dfl_drawing_read(to, drawing, b->to.e, 3, dfl_model_finite, "elastic", b->name, "to");
    for (int i = 0; i < (drawing->planar ? 3 : 6) && !status; i++) {
        status = dfl_drawing_read(&value, drawing, &all[i].expr, 1, dfl_model_sign, "elastic",
                                  b->name, all[i].what);
        if (!status && !(value > 0.0 && isfinite(value)))
            status = dfl_fail(drawing->ctx, DFL_INVALID,
                              "elastic '%s': %s is %g; give positive numbers: E, density and the "
                              "cross-section, or EI, EA and mass_per_length%s",
                              b->name, all[i].what, value,
                              drawing->planar ? "" : ", GJ and section_inertia");
    }
    if (status)
        return status;
    if (!(hypot(hypot(to[0] - from[0], to[1] - from[1]), to[2] - from[2]) > 0.0))
        return dfl_fail(drawing->ctx, DFL_INVALID,
                        "elastic '%s': the beam has no length: from and to are the same point",
                        b->name);
    return DFL_OK;
}

/* x along the beam; in the plane z is that of the drawing, in space y is along `up`. */
static dfl_status find_axes(dfl_vec axes[3], dfl_expr *length, const dfl_drawing *drawing,
                            const dfl_drawn_beam *b)
{
    dfl_graph *g = drawing->graph;
    const dfl_vec along = vec_sub(g, b->to, b->from);
    const int straight = vec_coordinate(along);
    *length =
        straight < 3 ? along.e[straight] : dfl_unary(g, DFL_OP_SQRT, vec_dot(g, along, along));
    double l = 0.0;
    dfl_status status = dfl_model_sign(&l, drawing->model, *length);
    if (!status && l < 0.0)
        *length = dfl_neg(g, *length);
    axes[0] = dfl_drawing_unit(drawing, along);
    if (drawing->planar) {
        axes[2] = (dfl_vec){{0, 0, dfl_constant(g, 1.0)}};
        axes[1] = vec_cross(g, axes[2], axes[0]);
        return status;
    }
    dfl_vec frame[3];
    double up[3];
    int which = UP_AS_GIVEN;
    const dfl_expr both[] = {b->up.e[0],   b->up.e[1],   b->up.e[2],
                             axes[0].e[0], axes[0].e[1], axes[0].e[2]};
    if (!status)
        status =
            dfl_drawing_read(up, drawing, b->up.e, 3, dfl_drawing_number, "elastic", b->name, "up");
    if (!status)
        status = dfl_model_decide(&which, drawing->model, both, 6, find_up, NULL, 0);
    if (!status && which == UP_IS_ALONG)
        status =
            dfl_fail(drawing->ctx, DFL_INVALID,
                     "elastic '%s': up is along the beam; give a direction across it", b->name);
    if (status)
        return status;
    const dfl_vec y = {{0, dfl_constant(g, 1.0), 0}}, z = {{0, 0, dfl_constant(g, 1.0)}};
    dfl_drawing_axes(frame, drawing, axes[0], /* z along the beam, x along what is up */
                     which == UP_AS_GIVEN ? b->up
                     : which == UP_IS_Z   ? z
                                          : y);
    axes[1] = frame[0];
    axes[2] = vec_cross(g, axes[0], axes[1]);
    return DFL_OK;
}

/* up, then the unit vector along the beam. If nothing is given it is y, or z of the drawing for
   beams along y. */
static int find_up(const double *up, int count, const void *facts)
{
    (void)count, (void)facts;
    const double *x = up + 3;
    if (up[0] == 0.0 && up[1] == 0.0 && up[2] == 0.0)
        return fabs(x[1]) > 0.9 ? UP_IS_Z : UP_IS_Y;
    const double along = fabs(up[0] * x[0] + up[1] * x[1] + up[2] * x[2]);
    return along > (1.0 - 1e-9) * hypot(hypot(up[0], up[1]), up[2]) ? UP_IS_ALONG : UP_AS_GIVEN;
}

static dfl_beam_profile profile(const dfl_drawn_beam *b, dfl_taper which)
{
    return (dfl_beam_profile){b->ntaper, b->taper_place, b->taper[which]};
}

/* Numbers that decide which modes are the lowest. */
static void list_numbers(dfl_expr out[BEAM_NUMBERS], const dfl_drawn_beam *b)
{
    const dfl_expr all[BEAM_NUMBERS] = {b->EA,        b->EI,      b->EI2,       b->GJ,
                                        b->rhoA,      b->rhoJ,    b->from.e[0], b->from.e[1],
                                        b->from.e[2], b->to.e[0], b->to.e[1],   b->to.e[2]};
    for (int i = 0; i < BEAM_NUMBERS; i++)
        out[i] = all[i];
}

/* EA L^2, EI, EI2, GJ L^2 rhoA / rhoJ */
static void find_stiffness(double out[DFL_BEAM_FAMILIES], const double numbers[BEAM_NUMBERS],
                           bool planar)
{
    const double rhoA = numbers[4], rhoJ = numbers[5], *from = numbers + 6, *to = numbers + 9;
    const double length = hypot(hypot(to[0] - from[0], to[1] - from[1]), to[2] - from[2]);
    for (int f = 0; f < DFL_BEAM_FAMILIES; f++)
        out[f] = planar && f >= 2 ? 0.0 : numbers[f];
    out[DFL_BEAM_STRETCH] *= length * length;
    if (!planar)
        out[DFL_BEAM_TWIST] *= length * length * (rhoA / rhoJ);
}

/* Whether a beam with these numbers has the same modes in the same order; without length: no. */
static int has_order(const double *numbers, int count, const void *facts)
{
    (void)count;
    const ordered_beam *beam = facts;
    double stiffness[DFL_BEAM_FAMILIES];
    find_stiffness(stiffness, numbers, beam->planar);
    return stiffness[DFL_BEAM_STRETCH] > 0.0 && dfl_unit_beam_same(&beam->order, stiffness);
}

static dfl_status find_modes(dfl_unit_beam *unit, dfl_drawing *drawing, const dfl_drawn_beam *b)
{
    dfl_beam_task task = {.elements = b->elements,
                          .modes = b->modes,
                          .interface = b->interface,
                          .first_order = b->first_order,
                          .planar = drawing->planar,
                          .frame = b->frame,
                          .nstations = b->nnodes,
                          .station = b->station,
                          .mass = profile(b, DFL_TAPER_MASS),
                          .stiff = {profile(b, DFL_TAPER_EA), profile(b, DFL_TAPER_EI),
                                    profile(b, DFL_TAPER_EI2), profile(b, DFL_TAPER_GJ)}};
    dfl_expr exprs[BEAM_NUMBERS];
    double numbers[BEAM_NUMBERS];
    list_numbers(exprs, b);
    dfl_status status = DFL_OK;
    for (int i = 0; i < BEAM_NUMBERS && !status; i++)
        status = dfl_model_number(&numbers[i], drawing->model, exprs[i]);
    if (!status)
        find_stiffness(task.stiffness, numbers, drawing->planar);
    for (int i = 0; i < b->nnodes; i++) {
        if (b->station[i] < b->station[task.first])
            task.first = i;
        if (b->station[i] > b->station[task.last])
            task.last = i;
    }
    if (!b->frame_given)
        task.frame = b->nnodes == 0   ? DFL_FRAME_BUCKENS
                     : b->nnodes == 1 ? DFL_FRAME_TANGENT
                                      : DFL_FRAME_CHORD;
    if (!status && task.frame != DFL_FRAME_BUCKENS &&
        b->nnodes < (task.frame == DFL_FRAME_CHORD ? 2 : 1))
        return dfl_fail(drawing->ctx, DFL_INVALID,
                        "elastic '%s': a %s frame needs %s; give nodes = { a = 0, b = 1 }, or "
                        "frame = \"buckens\"",
                        b->name, frame_name[task.frame],
                        task.frame == DFL_FRAME_CHORD ? "two nodes" : "a node");
    if (!status && task.frame == DFL_FRAME_CHORD &&
        b->station[task.last] - b->station[task.first] < 1e-6)
        return dfl_fail(drawing->ctx, DFL_INVALID,
                        "elastic '%s': a chord frame needs nodes at two places, but all are at "
                        "%.9g; give frame = \"tangent\"",
                        b->name, b->station[task.first]);
    if (!status)
        status = dfl_unit_beam_find(unit, drawing->ctx, &task);
    if (!status) {
        const ordered_beam beam = {unit->order, drawing->planar};
        int same;
        return dfl_model_decide(&same, drawing->model, exprs, BEAM_NUMBERS, has_order, &beam,
                                sizeof beam);
    }
    if (status != DFL_INVALID)
        return status;
    dfl_text why = {.ctx = drawing->ctx};
    dfl_text_add(&why, "%s", dfl_message(drawing->ctx));
    if (!why.status)
        status =
            dfl_fail(drawing->ctx, DFL_INVALID, "elastic '%s': %s", b->name, dfl_text_string(&why));
    dfl_text_clear(&why);
    return status;
}

/* Expressions of second order grow with the fourth power of the number of modes. */
static dfl_status check_order(const dfl_drawing *drawing, const dfl_drawn_beam *b,
                              const dfl_modal_body *body)
{
    enum { MOST_OF_SECOND_ORDER = 24 };
    if (b->first_order || body->n <= MOST_OF_SECOND_ORDER)
        return DFL_OK;
    return dfl_fail(
        drawing->ctx, DFL_INVALID,
        "elastic '%s': it has %d modes, and bodies of second order have at most %d; give "
        "fewer modes or nodes, two beams instead of one, or first_order = true",
        b->name, body->n, MOST_OF_SECOND_ORDER);
}

static dfl_expr stiffness_of(dfl_graph *g, const dfl_drawn_beam *b, dfl_beam_family family,
                             dfl_expr length)
{
    if (family == DFL_BEAM_STRETCH)
        return dfl_div(g, b->EA, length);
    if (family == DFL_BEAM_TWIST)
        return dfl_div(g, b->GJ, length);
    const dfl_expr cube = dfl_mul(g, length, dfl_mul(g, length, length));
    return dfl_div(g, family == DFL_BEAM_BEND_Y ? b->EI : b->EI2, cube);
}

/* EA u', EI v'', EI2 w'', GJ t' at the nodes and points of the beam that was declared last. */
static void set_loads(dfl_drawing *drawing, const dfl_drawn_beam *b, const dfl_unit_beam *unit,
                      dfl_expr length)
{
    static const dfl_taper tapers[] = {DFL_TAPER_EA, DFL_TAPER_EI, DFL_TAPER_EI2, DFL_TAPER_GJ};
    const dfl_expr stiff[] = {b->EA, b->EI, b->EI2, b->GJ};
    dfl_graph *g = drawing->graph;
    const dfl_elastic *e = &drawing->elastics[drawing->nelastics - 1];
    for (int k = 0; k < e->nnodes + e->noutline; k++)
        for (int i = 0; i < e->n; i++) {
            const dfl_beam_family f = unit->order.family[i];
            const dfl_beam_profile along = profile(b, tapers[f]);
            const double strain =
                unit->body->node[k].strain[i] * dfl_profile_at(&along, unit->body->node[k].at[0]);
            const bool bends = f == DFL_BEAM_BEND_Y || f == DFL_BEAM_BEND_Z;
            dfl_expr unit_load = dfl_div(g, stiff[f], length);
            if (bends)
                unit_load = dfl_div(g, unit_load, length);
            dfl_expr *load = &e->node[k].load[f];
            *load = dfl_add(g, *load,
                            dfl_mul(g, dfl_mul(g, dfl_constant(g, strain), unit_load), e->p[i]));
        }
}

static int is_second_larger(const double *numbers, int count, const void *facts)
{
    (void)count, (void)facts;
    return numbers[1] > numbers[0];
}

/* A moment about the stiff axis of a section lets a cantilever fall over sideways at M^2 =
   (pi / 2 L)^2 EI2 GJ / (1 - EI2 / EI) (Timoshenko and Gere 1961, section 6.3), and softens it
   before by M^2 as a part of that. It takes second order, twists and deflections in the other
   direction. */
static dfl_status doubt_moments(dfl_drawing *drawing, const dfl_drawn_beam *b,
                                const dfl_unit_beam *unit, dfl_expr length)
{
    const double part = 0.1;
    dfl_graph *g = drawing->graph;
    const dfl_elastic *e = &drawing->elastics[drawing->nelastics - 1];
    const dfl_expr one = dfl_constant(g, 1.0), none = dfl_constant(g, -1.0);
    const dfl_expr both[] = {b->EI, b->EI2};
    int across = false; /* the stiff direction is */
    dfl_status status =
        dfl_model_decide(&across, drawing->model, both, 2, is_second_larger, NULL, 0);
    const dfl_beam_profile stiff = profile(b, across ? DFL_TAPER_EI2 : DFL_TAPER_EI),
                           weak = profile(b, across ? DFL_TAPER_EI : DFL_TAPER_EI2),
                           twist = profile(b, DFL_TAPER_GJ);
    bool twists = false, yields = false;
    for (int i = 0; i < e->n; i++) {
        twists = twists || unit->order.family[i] == DFL_BEAM_TWIST;
        yields = yields || unit->order.family[i] == (across ? DFL_BEAM_BEND_Y : DFL_BEAM_BEND_Z);
    }
    if (!status && !b->first_order && twists && yields)
        return DFL_OK;
    dfl_expr most = none;
    for (int k = 0; k < e->nnodes + e->noutline; k++) {
        const double x = unit->body->node[k].at[0];
        const dfl_expr load = e->node[k].load[across ? DFL_BEAM_BEND_Z : DFL_BEAM_BEND_Y];
        const dfl_expr strong =
            dfl_mul(g, across ? b->EI2 : b->EI, dfl_constant(g, dfl_profile_at(&stiff, x)));
        const dfl_expr soft =
            dfl_mul(g, across ? b->EI : b->EI2, dfl_constant(g, dfl_profile_at(&weak, x)));
        const dfl_expr turn = dfl_mul(g, b->GJ, dfl_constant(g, dfl_profile_at(&twist, x)));
        const dfl_expr far = dfl_mul(g, load, length);
        const dfl_expr share =
            dfl_mul(g, dfl_mul(g, far, far), dfl_sub(g, one, dfl_div(g, soft, strong)));
        const dfl_expr limit = dfl_mul(g, soft, turn); /* (pi / 2)^2 of it is critical */
        if (load != 0)
            most =
                dfl_binary(g, DFL_OP_MAX, most,
                           dfl_sub(g, dfl_div(g, share, limit), dfl_constant(g, part * 2.4674011)));
    }
    dfl_text text = {.ctx = drawing->ctx};
    dfl_text_add(&text,
                 "bending moments of the elastic body '%s' are above %.2g of those at which a "
                 "cantilever of this section falls over sideways; %s: it is too stiff",
                 b->name, sqrt(part),
                 b->first_order ? "it is of first order"
                                : "its modes have no twist, or do not bend it sideways (raise "
                                  "modes, or give interface = true)");
    if (!status)
        status = text.status;
    if (!status && most != none)
        status = dfl_model_doubt(drawing->model, b->line, most, dfl_text_string(&text));
    dfl_text_clear(&text);
    return status;
}

/* 2 zeta sqrt(K M) + alpha M + beta K */
static void set_damping(dfl_expr *D, dfl_graph *g, const dfl_drawn_beam *b, dfl_expr K, dfl_expr M)
{
    const dfl_expr root = dfl_unary(g, DFL_OP_SQRT, dfl_mul(g, K, M));
    *D = dfl_add(g, dfl_mul(g, b->alpha, M), dfl_mul(g, b->beta, K));
    if (b->ratio)
        *D = dfl_add(g, *D, dfl_mul(g, dfl_constant(g, 2.0), dfl_mul(g, b->ratio, root)));
}

/* Whether inertia of a mode is to be left out, with the present values. */
static dfl_status is_fast(bool *out, const dfl_drawing *drawing, const dfl_drawn_beam *b,
                          dfl_expr K, dfl_expr M)
{
    const dfl_expr both[] = {K, M};
    int fast = 0;
    dfl_status status = DFL_OK;
    if (b->quasistatic > 0.0)
        status = dfl_model_decide(&fast, drawing->model, both, 2, is_faster, &b->quasistatic,
                                  sizeof b->quasistatic);
    *out = fast;
    return status;
}

/* sqrt(K / M) above a frequency */
static int is_faster(const double *numbers, int count, const void *facts)
{
    (void)count;
    return sqrt(numbers[0] / numbers[1]) > *(const double *)facts;
}

/* A line for `check`: modes and their frequencies in the frame; *soft as of dfl_drawn_elastic. */
static dfl_status note_modes(double *soft, dfl_drawing *drawing, const dfl_drawn_beam *b,
                             const dfl_unit_beam *unit, const dfl_expr *K, const dfl_expr *M)
{
    const int nnodes = b->nnodes;
    const dfl_beam_frame frame = b->frame_given ? b->frame
                                 : nnodes == 0  ? DFL_FRAME_BUCKENS
                                 : nnodes == 1  ? DFL_FRAME_TANGENT
                                                : DFL_FRAME_CHORD;
    /* numbers of a note may be others; the limit of turning, of first order, is one of equations */
    dfl_number_reader *read = b->first_order ? dfl_model_value : dfl_drawing_number;
    double mass = 0.0, slowest = 0.0;
    dfl_text text = {.ctx = drawing->ctx};
    dfl_status status = DFL_OK;
    for (int i = 0; i < unit->body->n && !status; i++) {
        double k = 0.0, m = 1.0;
        status = read(&k, drawing->model, K[i]);
        if (!status)
            status = read(&m, drawing->model, M[i]);
        if (unit->order.family[i] != DFL_BEAM_TWIST)
            mass = m;
        if (i == 0)
            dfl_text_add(&text, "elastic body '%s': %d modes in the %s frame:", b->name,
                         unit->body->n, frame_name[frame]);
        const double w = sqrt(k / m);
        slowest = i == 0 ? w : slowest;
        dfl_text_add(&text, "%s q%d %s %.6g rad/s%s", i ? "," : "", i + 1,
                     family_name[unit->order.family[i]], w,
                     b->quasistatic > 0.0 && w > b->quasistatic ? " (quasistatic)" : "");
    }
    if (!status)
        dfl_text_add(&text, "; mass %.6g kg", mass * unit->body->mass);
    *soft = b->first_order ? slowest * slowest : 0.0;
    if (!status && !b->ratio && !b->alpha && !b->beta)
        dfl_elastic_note_undamped(&text);
    if (!status && b->first_order) /* w^2 above a tenth of that of the lowest mode */
        dfl_text_add(&text,
                     "; of first order: loads do not stiffen it, so that it must turn slower than "
                     "%.3g rad/s; leave out first_order for faster turns",
                     sqrt(0.1) * slowest);
    if (!status)
        status = text.status;
    if (!status)
        status = dfl_model_note(drawing->model, dfl_text_string(&text));
    dfl_text_clear(&text);
    return status;
}
