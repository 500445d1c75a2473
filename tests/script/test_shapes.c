/* Mechanisms draw themselves: which shapes come out, where they are, how large they are, and what
   scripts say about them. Positions are compared with the geometry of the drawing, orientations
   with the way of two points. */
#define _XOPEN_SOURCE 700
#include "scripts.h"

#include "declare/declare.h"

#include <stdlib.h>

/* Mechanisms draw themselves behind their equations. */
static void load_seen(loaded *l, const char *text)
{
    load_good(l, text);
    assert_int_equal(dfl_model_show(l->model), DFL_OK);
}

/* Values of all nodes of the graph with positions p[0], p[1], ... (0 behind them). */
static double *evaluate(const loaded *l, const double *p, int np)
{
    const dfl_graph *graph = l->model->graph;
    double *value = calloc(graph->nnodes, sizeof *value);
    for (uint32_t i = 0; i < graph->nnodes; i++) {
        const dfl_node *node = &graph->nodes[i];
        if (node->op == DFL_OP_CONSTANT)
            value[i] = graph->constants[node->a];
        else if (node->op != DFL_OP_SYMBOL)
            value[i] = dfl_op_value(graph, node, value[node->a], value[node->b], value[node->c]);
        else if (graph->symbols[node->a].kind == DFL_SYM_P && graph->symbols[node->a].index < np)
            value[i] = p[graph->symbols[node->a].index];
    }
    for (int i = 0; i < l->model->declarations.count; i++)
        assert_true(l->model->declarations.item[i].kind != DFL_A_PARAM); /* none in these tests */
    return value;
}

static const dfl_shape *find(const loaded *l, const char *name)
{
    for (int i = 0; i < l->model->shapes.count; i++)
        if (strcmp(l->model->shapes.item[i].name, name) == 0)
            return &l->model->shapes.item[i];
    return NULL;
}

/* The shape `name` is of this kind and begins with these columns, to rounding. */
static void assert_shape(const loaded *l, const char *name, dfl_shape_kind kind, const double *p,
                         int np, const double *expected, int count)
{
    const dfl_shape *shape = find(l, name);
    if (!shape)
        fail_msg("there is no shape '%s'", name);
    if (shape->kind != kind)
        fail_msg("'%s' is a %s", name, dfl_shape_names[shape->kind]);
    assert_true(shape->ncolumns >= count);
    double *value = evaluate(l, p, np);
    for (int i = 0; i < count; i++)
        if (!(fabs(value[shape->column[i]] - expected[i]) < 1e-14))
            fail_msg("'%s': column %d is %.17g, not %.17g", name, i, value[shape->column[i]],
                     expected[i]);
    free(value);
}
#define ASSERT_SHAPE(l, name, kind, ...)                                                           \
    assert_shape(l, name, kind, NULL, 0, (const double[]){__VA_ARGS__},                            \
                 (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)))
#define ASSERT_SHAPE_AT(l, name, kind, q, ...)                                                     \
    assert_shape(l, name, kind, &(const double){q}, 1, (const double[]){__VA_ARGS__},              \
                 (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)))

static void assert_names(const loaded *l, const char *expected)
{
    char names[1024] = "";
    for (int i = 0; i < l->model->shapes.count; i++) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? " " : "",
                 l->model->shapes.item[i].name);
    }
    assert_string_equal(names, expected);
}

#define CRANK                                                                                      \
    "planar()\n"                                                                                   \
    "local crank = body('crank', { mass = 1, com = {1, 0}, inertia = 0.3 })\n"                     \
    "local rod = body('rod', { mass = 1, com = {3.5, 0}, inertia = 0.3, color = 'purple' })\n"     \
    "local slider = body('slider', { mass = 1, com = {5, 0} })\n"                                  \
    "revolute('bearing', ground, crank, { at = {0, 0} })\n"                                        \
    "revolute('pin', crank, rod, { at = {2, 0} })\n"                                               \
    "prismatic('guide', ground, slider, { at = {5, 0}, axis = {1, 0} })\n"                         \
    "revolute('wrist', rod, slider, { at = {5, 0} })\n"

/* The diagonal of the drawing is 5: bars are 0.15 thick or 0.15 of their length. */
static void a_plane_mechanism_is_made_of_bars_pins_rails_and_boxes(void **state)
{
    (void)state;
    loaded l;
    load_seen(&l, CRANK);
    assert_names(&l, "bearing.ground guide crank rod slider bearing pin wrist");
    assert_true(dfl_scene_planar(l.model));
    ASSERT_SHAPE(&l, "crank", DFL_LINE, 0, 0, 0, 1, 0, 0, 2, 0, 0, 0.15);
    ASSERT_SHAPE_AT(&l, "crank", DFL_LINE, M_PI / 2, 0, 0, 0, 0, 1, 0, 0, 2, 0, 0.15);
    ASSERT_SHAPE_AT(&l, "rod", DFL_LINE, M_PI / 2, 0, 2, 0, 0, 3.5, 0, 0, 5, 0, 0.15);
    ASSERT_SHAPE(&l, "guide", DFL_LINE, 4, 0, 0, 6, 0, 0);
    ASSERT_SHAPE(&l, "slider", DFL_BOX, 5, 0, 0, 1, 0, 0, 0, 0.5, 0.35, 0.35);
    ASSERT_SHAPE_AT(&l, "pin", DFL_CYLINDER, M_PI / 2, 0, 2, 0, cos(M_PI / 4), 0, 0, sin(M_PI / 4),
                    0.09, 0.36);
    ASSERT_SHAPE(&l, "bearing.ground", DFL_LINE, 0, 0, 0, 0.7 * 0.25, -0.25, 0, 1.2 * 0.25, -0.25);
    assert_string_equal(find(&l, "rod")->color, "purple");
    assert_int_equal(find(&l, "rod")->line, 3);
    unload(&l);
}

/* The star of bars returns to the centre of mass; a point mass is a ball there. */
static void several_points_make_a_star_about_the_centre_of_mass(void **state)
{
    (void)state;
    const double rest[] = {1, 0, 0, 0}; /* the quaternion of the drawing */
    loaded l;
    load_seen(&l, "local a = body('a', { mass = 1, com = {0, 0, 1} })\n"
                  "local b = body('b', { mass = 1, com = {0, 0, 9}, inertia = {1, 1, 1} })\n"
                  "spherical('s', ground, a, { at = {0, 0, 0} })\n"
                  "revolute('r', a, b, { at = {1, 0, 1}, axis = {0, 2, 0} })\n"
                  "spring('k', ground, a, { from = {0, 9, 1}, to = {0, 1, 1}, stiffness = 1 })");
    assert_names(&l, "s.ground a a.mass b k s r");
    assert_false(dfl_scene_planar(l.model));
    assert_shape(&l, "a", DFL_LINE, rest, 4,
                 (const double[]){0, 0, 0, 0, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 1}, 15);
    assert_shape(&l, "a.mass", DFL_SPHERE, rest, 4, (const double[]){0, 0, 1}, 3);
    assert_shape(&l, "k", DFL_SPRING, rest, 4, (const double[]){0, 9, 1, 0, 1, 1}, 6);
    /* from z to y: a quarter of a turn about -x */
    assert_shape(&l, "r", DFL_CYLINDER, rest, 4,
                 (const double[]){1, 0, 1, sqrt(0.5), -sqrt(0.5), 0, 0}, 7);
    unload(&l);
}

/* m (b^2 + c^2) / 12, ... of a box with edges 1, 2, 3 and mass 12, turned by 90 degrees about x, or
   by 45 about z. */
static void a_free_body_is_the_box_of_its_inertia(void **state)
{
    (void)state;
    loaded l;
    load_seen(&l, "local b = body('b', { mass = 12, com = {4, 5, 6}, inertia = {13, 10, 5} })\n"
                  "local f = free('f', ground, b, { at = {4, 5, 6} })\n"
                  "initial{ [f.q4] = 1 }");
    const double at_rest[7] = {0, 0, 0, 1, 0, 0, 0};
    assert_shape(&l, "b", DFL_BOX, at_rest, 7, (const double[]){4, 5, 6, 1, 0, 0, 0, 1, 2, 3}, 10);
    const double turned[7] = {1, 0, 0, 0, 0, 2, 0}; /* of any length */
    assert_shape(&l, "b", DFL_BOX, turned, 7, (const double[]){5, 5, 6, 0, 0, 2, 0, 1, 2, 3}, 10);
    unload(&l);
    load_seen(&l, "local b = body('b', { mass = 12, inertia = {11.5, 11.5, 5, 1.5, 0, 0} })\n"
                  "local f = free('f', ground, b, { at = {0, 0, 0} })");
    const dfl_shape *box = find(&l, "b");
    double *value = evaluate(&l, at_rest, 7), q[4], size[3];
    for (int i = 0; i < 4; i++)
        q[i] = value[box->column[3 + i]];
    for (int i = 0; i < 3; i++)
        size[i] = value[box->column[7 + i]];
    /* the edge of length 1 has the largest moment 13, along (1, 1, 0) */
    const int k = fabs(size[0] - 1) < 1e-12 ? 0 : 1;
    const double e[3] = {k == 0, k == 1, 0};
    const double x = (1 - 2 * q[3] * q[3]) * e[0] - 2 * q[0] * q[3] * e[1];
    const double y = 2 * q[0] * q[3] * e[0] + (1 - 2 * q[3] * q[3]) * e[1];
    assert_true(fabs(size[k] - 1) < 1e-12 && fabs(size[1 - k] - 2) < 1e-12);
    assert_true(fabs(size[2] - 3) < 1e-12 && fabs(fabs(x + y) - sqrt(2)) < 1e-12);
    free(value);
    unload(&l);
}

/* In a long chain of all kinds of turns: the quaternion of a box turns the x axis to where a line
   of the same body goes. */
static void quaternions_turn_as_the_points_of_the_body_move(void **state)
{
    (void)state;
    loaded l;
    load_seen(
        &l,
        "draw.none()\n"
        "local parent = ground\n"
        "local function hang(joint, kind, options)\n"
        "  local b = body(kind, { mass = 1, inertia = {1, 1, 1} })\n"
        "  joint('j-'..kind, parent, b, options)\n"
        "  parent = b\n"
        "end\n"
        "hang(revolute, 'revolute', { at = {0, 0, 1}, axis = {1, 2, 3} })\n"
        "hang(screw, 'screw', { at = {0, 0, 1}, axis = {1, 2, 3}, lead = 0.1 })\n"
        "hang(cylindrical, 'cylindrical', { at = {0, 1, 1}, axis = {-1, 0, 1} })\n"
        "hang(universal, 'universal', { at = {0, 1, 1}, axis = {1, 0, 0}, axis2 = {0, 1, 0} })\n"
        "hang(spherical, 'spherical', { at = {0, 1, 2} })\n"
        "hang(prismatic, 'prismatic', { at = {0, 1, 2}, axis = {0, 1, 0} })\n"
        "hang(planar_joint, 'planar_joint', { at = {0, 1, 2}, axis = {0, 0, 1} })\n"
        "draw.box('box', {1, 2, 3}, { body = parent })\n"
        "draw.line('line', {1, 2, 3}, {2, 2, 3}, { body = parent })");
    if (l.model->shapes.count != 2)
        fail_msg("%d shapes", l.model->shapes.count);
    const double p[] = {0.3, 2.9, -1.1, 0.2, 0.7, 4.1, 0.8, -0.4, 0.3, 0.33, 0.5, 0.1, -0.2, 3.3};
    double *value = evaluate(&l, p, 14), q[4], x[3], length = 0;
    for (int i = 0; i < 4; i++)
        q[i] = value[l.model->shapes.item[0].column[3 + i]];
    for (int i = 0; i < 4; i++)
        length += q[i] * q[i];
    x[0] = (q[0] * q[0] + q[1] * q[1] - q[2] * q[2] - q[3] * q[3]) / length;
    x[1] = 2 * (q[1] * q[2] + q[0] * q[3]) / length;
    x[2] = 2 * (q[1] * q[3] - q[0] * q[2]) / length;
    for (int i = 0; i < 3; i++) {
        const dfl_expr *line = l.model->shapes.item[1].column;
        assert_true(fabs(value[line[3 + i]] - value[line[i]] - x[i]) < 1e-14);
        assert_true(fabs(value[line[i]] - value[l.model->shapes.item[0].column[i]]) < 1e-15);
    }
    free(value);
    unload(&l);
}

static void what_rolls_is_round_and_frames_and_curves_are_seen(void **state)
{
    (void)state;
    loaded l;
    load_seen(&l, "local d = body('d', { mass = 1, com = {0, 0, 2}, inertia = {1, 2, 1} })\n"
                  "local b = body('b', { mass = 1, com = {5, 0, 1}, inertia = {1, 1, 1} })\n"
                  "free('f', ground, d, { at = {0, 0, 2} })\n"
                  "free('h', ground, b, { at = {5, 0, 1} })\n"
                  "rolling_disk('disk', d, { at = {0, 0, 2}, axis = {0, 0, 1}, radius = 2,"
                  "  normal = {0, 1, 0}, point = {0, -2, 0} })\n"
                  "rolling_ball('ball', b, { at = {5, 0, 1}, radius = 1 })\n"
                  "frame('mark', d, { at = {0, 0, 2}, axis = {0, 0, 3} })");
    assert_names(&l, "disk ball mark");
    const double rest[14] = {0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0};
    assert_shape(&l, "disk", DFL_CYLINDER, rest, 14, (const double[]){0, 0, 2, 1, 0, 0, 0, 2, 0.4},
                 9);
    assert_shape(&l, "ball", DFL_SPHERE, rest, 14, (const double[]){5, 0, 1, 1, 0, 0, 0, 1, 1, 1},
                 10);
    assert_shape(&l, "mark", DFL_FRAME, rest, 14, (const double[]){0, 0, 2, 1, 0, 0, 0}, 7);
    unload(&l);
    load_seen(&l, "planar()\n"
                  "local cam = body('cam', { mass = 1, inertia = 1 })\n"
                  "local flat = body('flat', { mass = 1, com = {0, 3} })\n"
                  "revolute('axle', ground, cam, { at = {0, 0} })\n"
                  "prismatic('guide', ground, flat, { at = {0, 1}, axis = {0, 1} })\n"
                  "contact_curves('touch', cam, flat, { start = {pi/2, 0},\n"
                  "  curve_a = function(s) return cos(s), sin(s) end,\n"
                  "  curve_b = function(s) return s, 1 end })");
    /* a whole turn from the start, and a face of both sides */
    const dfl_shape *a = find(&l, "touch.a"), *b = find(&l, "touch.b");
    assert_true(a && a->kind == DFL_LINE && a->ncolumns == 3 * 65 + 1);
    assert_true(b && b->kind == DFL_LINE && b->ncolumns > 3 * 30);
    ASSERT_SHAPE(&l, "touch.a", DFL_LINE, 0, -1, 0);
    ASSERT_SHAPE(&l, "cam", DFL_CYLINDER, 0, 0, 0, 1, 0, 0, 0);
    unload(&l);
}

/* A shape of the script with the name of a body, joint or element takes its place, and lies in
   front. */
static void scripts_decide_what_is_seen(void **state)
{
    (void)state;
    loaded l;
    load_seen(&l, CRANK "draw.point('pin', {0, 0})\n");
    assert_names(&l, "bearing.ground guide crank rod slider bearing wrist pin");
    unload(&l);
    load_seen(&l, CRANK "draw.none()\ndraw.box('x', {2, 0}, { body = crank, angle = pi })\n");
    assert_names(&l, "x");
    assert_true(dfl_scene_planar(l.model));
    ASSERT_SHAPE_AT(&l, "x", DFL_BOX, M_PI / 2, 0, 2, 0, cos(3 * M_PI / 4), 0, 0,
                    sin(3 * M_PI / 4));
    unload(&l);
    load_seen(&l,
              "planar()\n"
              "local a = body('a', { mass = 1, com = {1, 2}, color = 'green',\n"
              "  shape = {'box', size = {2, 1}} })\n"
              "local b = body('b', { mass = 1, hidden = true, shape = {'sphere'} })\n"
              "local c = body('c', { mass = 1,\n"
              "  shape = {'line', {0, 0}, {1, 1}, {2, 0}, size = 0.2, color = 'black'} })\n"
              "local d = body('d', { mass = 1, shape = {'cylinder', radius = 2, at = {3, 4}} })\n"
              "fixed('ja', ground, a) fixed('jb', ground, b) fixed('jc', ground, c)\n"
              "prismatic('jd', ground, d, { at = {0, 0}, axis = {1, 0} })");
    assert_names(&l, "jd a c d");
    ASSERT_SHAPE(&l, "a", DFL_BOX, 1, 2, 0, 1, 0, 0, 0, 2, 1, 1);
    assert_string_equal(find(&l, "a")->color, "green");
    ASSERT_SHAPE(&l, "c", DFL_LINE, 0, 0, 0, 1, 1, 0, 2, 0, 0, 0.2);
    ASSERT_SHAPE_AT(&l, "d", DFL_CYLINDER, 5, 8, 4, 0, 1, 0, 0, 0, 2);
    unload(&l);
}

/* A body that is fixed hangs on a bar of the other one; a body that the script draws has no second
   disk. */
static void fixed_and_drawn_bodies_are_seen_once(void **state)
{
    (void)state;
    loaded l;
    load_seen(&l, "planar()\n"
                  "local arm = body('arm', { mass = 1, com = {1, 0}, inertia = 1 })\n"
                  "local bag = body('bag', { mass = 1, com = {2, 0} })\n"
                  "revolute('hinge', ground, arm, { at = {0, 0} })\n"
                  "fixed('strap', arm, bag)");
    assert_names(&l, "hinge.ground arm bag hinge");
    ASSERT_SHAPE_AT(&l, "arm", DFL_LINE, M_PI / 2, 0, 0, 0, 0, 1, 0, 0, 2, 0);
    ASSERT_SHAPE_AT(&l, "bag", DFL_SPHERE, M_PI / 2, 0, 2, 0);
    unload(&l);
    static const char coin[] =
        "local c = body('coin', { mass = 1, com = {0, 0, 1}, inertia = {1, 1, 1} })\n"
        "free('f', ground, c, { at = {0, 0, 1} })\n"
        "rolling_ball('roll', c, { at = {0, 0, 1}, radius = 1 })\n";
    char text[512];
    load_seen(&l, coin);
    assert_names(&l, "roll");
    unload(&l);
    snprintf(text, sizeof text, "%sdraw.box('coin', {0, 0, 1}, { body = c })", coin);
    load_seen(&l, text);
    assert_names(&l, "coin");
    unload(&l);
}

static void wrong_shapes_say_what_to_write(void **state)
{
    (void)state;
    static const char *const list[][2] = {
        {"body('a', { color = 3 })", "body 'a': color is a number; give a word such as \"blue\""},
        {"body('a', { color = 'bleu' })", "unknown color 'bleu'; did you mean 'blue'?"},
        {"body('a', { shape = 'box' })", "body 'a': shape is a text; write shape = {\"box\""},
        {"body('a', { shape = {size = 1} })", "body 'a': the shape has no kind"},
        {"body('a', { shape = {'bux'} })", "unknown shape 'bux'; did you mean 'box'?"},
        {"body('a', { shape = {'box', sice = 1} })", "draw.box: unknown option 'sice'"},
        {"body('a', { shape = {'line'} })", "draw.line"},
        {"draw.point('p', {0, 0}, { body = 3 })", "draw.point 'p': body is a number; give a body"},
        {"draw.none(1)", "draw.none: 1 argument is given"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        assert_refused(list[i][0], list[i][1], NULL);
}

static void shapes_survive_failed_allocations(void **state)
{
    (void)state;
    static const char text[] = CRANK "frame('f', crank)\ndraw.box('x', {2, 0}, { body = crank })";
    assert_survives_failed_allocations(text, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plane_mechanism_is_made_of_bars_pins_rails_and_boxes),
        cmocka_unit_test(several_points_make_a_star_about_the_centre_of_mass),
        cmocka_unit_test(a_free_body_is_the_box_of_its_inertia),
        cmocka_unit_test(quaternions_turn_as_the_points_of_the_body_move),
        cmocka_unit_test(what_rolls_is_round_and_frames_and_curves_are_seen),
        cmocka_unit_test(scripts_decide_what_is_seen),
        cmocka_unit_test(fixed_and_drawn_bodies_are_seen_once),
        cmocka_unit_test(wrong_shapes_say_what_to_write),
        cmocka_unit_test(shapes_survive_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
