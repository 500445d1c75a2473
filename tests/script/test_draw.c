/* draw: which shapes come out, with which columns; what wrong calls are told; meshes stay below the
   model's folder. */
#define _XOPEN_SOURCE 700
#include "scripts.h"

#include "engine/engine.h"
#include "declare/declare.h"

#include <stdlib.h>
#include <unistd.h>

#define START "local x, y, z = position('x', 'y', 'z')\n"

/* The value of column k of the first shape with x = 1, y = 2, z = 3. */
static double column(const loaded *l, int k)
{
    const dfl_shape *shape = &l->model->shapes.item[0];
    const dfl_graph *graph = l->model->graph;
    double value[512];
    assert_true(k < shape->ncolumns && graph->nnodes < 512);
    for (uint32_t i = 0; i < graph->nnodes; i++) {
        const dfl_node *node = &graph->nodes[i];
        if (node->op == DFL_OP_CONSTANT)
            value[i] = graph->constants[node->a];
        else if (node->op == DFL_OP_SYMBOL)
            value[i] = graph->symbols[node->a].kind == DFL_SYM_P ? 1 + graph->symbols[node->a].index
                                                                 : (double)NAN;
        else
            value[i] = dfl_op_value(graph, node, value[node->a], value[node->b], value[node->c]);
    }
    return value[shape->column[k]];
}

/* The first shape of `call` is of this kind and has these columns. */
static void assert_columns(const char *call, dfl_shape_kind kind, int count, const double *expected)
{
    loaded l;
    char text[512];
    snprintf(text, sizeof text, START "%s\n", call);
    load_good(&l, text);
    assert_int_equal(l.model->shapes.count, 1);
    assert_int_equal(l.model->shapes.item[0].kind, kind);
    assert_int_equal(l.model->shapes.item[0].ncolumns, count);
    assert_int_equal(l.model->shapes.item[0].line, 2);
    for (int i = 0; i < count; i++)
        if (!(fabs(column(&l, i) - expected[i]) < 1e-15))
            fail_msg("%s: column %d is %g, not %g", call, i, column(&l, i), expected[i]);
    unload(&l);
}
#define ASSERT_COLUMNS(call, kind, ...)                                                            \
    assert_columns(call, kind, (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)),            \
                   (const double[]){__VA_ARGS__})

static void every_kind_has_the_columns_of_the_header(void **state)
{
    (void)state;
    ASSERT_COLUMNS("draw.point('p', {x, y})", DFL_POINT, 1, 2, 0, 0);
    ASSERT_COLUMNS("draw.point('p', {x, y, z}, {size = 0.5})", DFL_POINT, 1, 2, 3, 0.5);
    ASSERT_COLUMNS("draw.line('l', {0, 0}, {x, y}, {x, z})", DFL_LINE, 0, 0, 0, 1, 2, 0, 1, 3, 0,
                   0);
    ASSERT_COLUMNS("draw.spring('s', {0, 0}, {x, 2*y}, {coils = 5, size = 1})", DFL_SPRING, 0, 0, 0,
                   1, 4, 0, 1, 5);
    ASSERT_COLUMNS("draw.box('b', {x, y}, {size = {4, 3}, angle = pi})", DFL_BOX, 1, 2, 0,
                   cos(M_PI / 2), 0, 0, 1, 4, 3, 3);
    ASSERT_COLUMNS("draw.cylinder('c', {x, y, z}, {radius = x, quaternion = {x, y, z, 0}})",
                   DFL_CYLINDER, 1, 2, 3, 1, 2, 3, 0, 1, 0);
    ASSERT_COLUMNS("draw.sphere('s', {x, y}, {radius = 2})", DFL_SPHERE, 1, 2, 0, 1, 0, 0, 0, 2, 2,
                   2);
    ASSERT_COLUMNS("draw.frame('f', {x, y, 0}, {trace = true})", DFL_FRAME, 1, 2, 0, 1, 0, 0, 0, 0);
}

static void a_scene_is_planar_if_no_z_and_no_quaternion_is_given(void **state)
{
    (void)state;
    static const struct {
        const char *call;
        bool planar;
    } list[] = {{"draw.point('p', {x, y}) draw.box('b', {x, y}, {angle = x})", true},
                {"draw.point('p', {x, y}) draw.point('q', {x, y, 0})", false},
                {"draw.box('b', {x, y}, {quaternion = {1, 0, 0, 0}})", false}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        loaded l;
        char text[256];
        snprintf(text, sizeof text, START "%s", list[i].call);
        load_good(&l, text);
        assert_int_equal(dfl_scene_planar(l.model), list[i].planar);
        unload(&l);
    }
}

/* Plain numbers are no columns of the tables; parameters are, for they may be set later. */
static void only_what_may_change_is_a_column_of_the_scene(void **state)
{
    (void)state;
    loaded l;
    load_good(&l, START "local r = param('r', 1)\n"
                        "draw.sphere('s', {x, 0, 2*z}, {radius = r})");
    assert_int_equal(dfl_scene_columns(l.model), 5);
    unload(&l);
}

static void wrong_calls_say_what_to_write(void **state)
{
    (void)state;
    static const char *const list[][2] = {
        {"draw.pont('p', {x, y})", "unknown name 'draw.pont'; did you mean 'draw.point'?"},
        {"draw.point('p')", "test.lua:2: draw.point: 1 argument is given; it takes at least 2"},
        {"draw.point(x, y)", "draw.point: argument 1 is a symbol; give a name in quotes"},
        {"draw.point('p', x, y)",
         "draw.point: argument 2 is a symbol; give a point {x, y} or {x, y, z}"},
        {"draw.point('p', {x})", "draw.point 'p': the point has 1 numbers; give 2 or 3"},
        {"draw.point('p', {x, 'y'})",
         "draw.point 'p': the point has a text; give numbers or expressions"},
        {"draw.line('p', {x, y}, {x, y, z, 1})", "point 2 has 4 numbers; give 2 or 3"},
        {"draw.line('p', {x, y})", "draw.line: 2 arguments are given; it takes at least 3"},
        {"draw.line('p', {x, y}, 'red')", "argument 3 is a text; give a point"},
        {"draw.point('p', {x, y}, {x, y})", "draw.point 'p': 2 points are given; it takes 1"},
        {"draw.point('p', {x, y}, 3)", "only options may follow the points"},
        {"draw.point('p', {x, y}, {colour = 'red'})",
         "draw.point: unknown option 'colour'; did you mean 'color'?"},
        {"draw.line('p', {x, y}, {1, 1}, {trace = true})", "unknown option 'trace'"},
        {"draw.point('p', {x, y}, {color = 'bleu'})",
         "draw 'p': unknown color 'bleu'; did you mean 'blue'?"},
        {"draw.point('p', {x, y}, {color = '#12'})", "unknown color '#12'"},
        {"draw.point('p', {x, y}, {color = 3})", "color is a number; give a word"},
        {"draw.point('p', {x, y}, {trace = 1})", "trace is a number; give true or false"},
        {"draw.box('b', {x, y}, {size = {1}})", "size has 1 numbers; give 2 or 3"},
        {"draw.box('b', {x, y}, {quaternion = {1, 0, 0}})", "quaternion has 3 numbers; give 4"},
        {"draw.box('b', {x, y}, {quaternion = x})",
         "quaternion is a symbol; give {q0, q1, q2, q3}"},
        {"draw.box('b', {x, y}, {angle = x, quaternion = {1, 0, 0, 0}})",
         "give angle or quaternion, not both"},
        {"draw.point('', {x, y})", "draw: the name is empty"},
        {"draw.point('p', {x, y})\ndraw.point('p', {x, y})",
         "test.lua:3: draw: 'p' is already drawn in line 2"},
        {"draw.point('p', {x, 1/0})", "the expression is inf; give finite numbers"},
        {"draw.mesh('m', 'part.step', {x, y})", "give a file that ends in .stl or .obj"},
        {"draw.mesh('m', 'nowhere.stl', {x, y})", "mesh 'nowhere.stl' cannot be read"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char text[256];
        snprintf(text, sizeof text, "local x, y, z = position('x', 'y', 'z')\n%s", list[i][0]);
        assert_refused(text, list[i][1], NULL);
    }
}

static void put_file(const char *folder, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* Loads `mesh` for a model in folder/models; *status and the number of triangles come back. */
static int triangles(dfl_status *status, char message[256], const char *folder, const char *mesh)
{
    dfl_context *ctx = dfl_context_create();
    dfl_model *model = NULL;
    char path[256], text[256];
    snprintf(path, sizeof path, "%s/models/model.lua", folder);
    snprintf(text, sizeof text, "draw.mesh('m', '%s', {0, 0, 0})", mesh);
    *status = dfl_script_load_text(&model, ctx, path, text, strlen(text), NULL);
    snprintf(message, 256, "%s", *status ? dfl_message(ctx) : "");
    const int count = model ? model->shapes.item[0].ntriangles : 0;
    dfl_model_free(model);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
    return count;
}

static void meshes_are_read_below_the_models_folder_only(void **state)
{
    (void)state;
    static const char facet[] = "vertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n";
    char folder[] = "/tmp/driftless-XXXXXX", command[300], message[256];
    dfl_status status;
    assert_non_null(mkdtemp(folder));
    snprintf(command, sizeof command, "mkdir -p '%s/models/parts' '%s/models-b'", folder, folder);
    assert_int_equal(system(command), 0);
    put_file(folder, "models/parts/a.stl", facet);
    put_file(folder, "models/square.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1/1 2/2 -2 4\r\n");
    put_file(folder, "models/empty.obj", "v 0 0 0\nf 1 2 3\n");
    put_file(folder, "secret.stl", facet);
    put_file(folder, "models-b/a.stl", facet);
    snprintf(command, sizeof command, "ln -s ../secret.stl '%s/models/link.stl'", folder);
    assert_int_equal(system(command), 0);
    assert_int_equal(triangles(&status, message, folder, "parts/a.stl"), 1);
    assert_int_equal(triangles(&status, message, folder, "parts/../parts/a.stl"), 1);
    assert_int_equal(triangles(&status, message, folder, "square.obj"), 2);
    assert_int_equal(triangles(&status, message, folder, "empty.obj"), 0);
    assert_non_null(strstr(message, "has no triangles"));
    static const char *const outside[] = {"../secret.stl", "link.stl", "parts/../../secret.stl",
                                          "../models-b/a.stl"};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        assert_int_equal(triangles(&status, message, folder, outside[i]), 0);
        assert_int_equal(status, DFL_INVALID);
        assert_non_null(strstr(message, "only files below the model's folder are read"));
    }
    snprintf(command, sizeof command, "%s/models/parts/a.stl", folder);
    triangles(&status, message, folder, command);
    assert_non_null(strstr(message, "only files below the model's folder are read"));
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
}

static void drawing_survives_every_failed_allocation(void **state)
{
    (void)state;
    static const char text[] = "draw.line('l', {0, 0}, {1, 1}, {color = 'blue'})";
    assert_survives_failed_allocations(text, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_has_the_columns_of_the_header),
        cmocka_unit_test(a_scene_is_planar_if_no_z_and_no_quaternion_is_given),
        cmocka_unit_test(only_what_may_change_is_a_column_of_the_scene),
        cmocka_unit_test(wrong_calls_say_what_to_write),
        cmocka_unit_test(meshes_are_read_below_the_models_folder_only),
        cmocka_unit_test(drawing_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
