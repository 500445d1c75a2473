/* Bodies of finite elements: modes of beams against exact ones, texts that are read again, and what
   is refused. */
#include "support.h"

#include "elastic/elastic.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A steel bar 0.02 x 0.04 of length 1, with hardly any inertia of its sections. */
static const dfl_fe_beam bar = {.last = 1,
                                .EA = 2.1e11 * 8e-4,
                                .EI = 2.1e11 * 8e-4 * 4e-4 / 12,
                                .EI2 = 2.1e11 * 8e-4 * 16e-4 / 12,
                                .GJ = 1e4,
                                .rhoA = 7850 * 8e-4,
                                .rhoI = 1e-7,
                                .rhoI2 = 1e-7};
static const double ends[] = {0, 0, 0, 1, 0, 0};
static const int first_node[] = {1}, last_node[] = {2};

static dfl_fe frame_of(dfl_context *ctx, const double *points, int npoints,
                       const dfl_fe_beam *beams, int nbeams)
{
    dfl_fe fe = {.ctx = ctx};
    if (dfl_fe_frame(&fe, points, npoints, beams, nbeams) || dfl_fe_complete(&fe))
        fail_msg("%s", dfl_message(ctx));
    return fe;
}

static dfl_fe_task both_ends(int frame, int modes)
{
    return (dfl_fe_task){.modes = modes,
                         .frame = frame,
                         .ninterfaces = 2,
                         .interface = {{.name = "a", .count = 1, .id = first_node},
                                       {.name = "b", .count = 1, .id = last_node}}};
}

static void reduce(dfl_sid *out, const dfl_fe *fe, const dfl_fe_task *task)
{
    if (dfl_fe_reduce(out, fe, task) || dfl_sid_check(out, fe->ctx, "frame"))
        fail_msg("%s", dfl_message(fe->ctx));
}

/* rad/s of a free bar, and of one that is clamped; Craig and Bampton's shapes approach them from
   above. */
static void a_bar_has_its_frequencies(void **state)
{
    (void)state;
    static const double free_bar[] = {668.104, 1336.208, 1841.654};
    dfl_context *ctx = dfl_context_create();
    dfl_fe_beam beam = bar;
    static dfl_sid s;
    for (int many = 0; many < 2; many++) { /* all modes by LAPACK, or few by iteration */
        beam.elements = many ? 80 : 20;
        dfl_fe fe = frame_of(ctx, ends, 2, &beam, 1);
        dfl_fe_task task = both_ends(DFL_FRAME_BUCKENS, 12);
        reduce(&s, &fe, &task);
        for (int i = 0; i < 3; i++) {
            const double w = sqrt(s.K[i * s.n + i] / s.mass);
            assert_true(w > free_bar[i] * (1 - 1e-6) && w < free_bar[i] * (1 + 1e-3));
        }
        assert_near(s.mass, 6.28, 1e-12);
        assert_near(s.moment[0], 3.14, 1e-12);
        assert_near(s.inertia[1], 6.28 / 3, 1e-6);
        for (int i = 0; i < 3 * s.n; i++) /* modes of a free body have no momentum */
            assert_near(s.S[i], 0, 1e-7);
        task.frame = DFL_FRAME_TANGENT;
        reduce(&s, &fe, &task);
        const double clamped = 3.516015269 * sqrt(bar.EI / bar.rhoA);
        assert_near(sqrt(s.K[0] / s.mass), clamped, 1e-5 * clamped);
        for (int i = 0; i < 3 * s.n; i++) { /* the first node rests */
            assert_near(s.node[0].phi[i], 0, 1e-12);
            assert_near(s.node[0].psi[i], 0, 1e-12);
        }
        task.frame = DFL_FRAME_CHORD;
        reduce(&s, &fe, &task);
        for (int i = s.n; i < 3 * s.n; i++) { /* the last one moves along the chord alone */
            assert_near(s.node[1].phi[i], 0, 1e-12);
            assert_near(s.node[0].phi[i], 0, 1e-12);
        }
        dfl_fe_clear(&fe);
    }
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

/* The energy of the first mode of a cantilever, w^2 / 2, is that of its bending moments along its
   outline, by Simpson's rule. */
static void outlines_have_the_moments_of_modes(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    dfl_fe_beam beam = bar;
    static dfl_sid s;
    beam.elements = 32;
    dfl_fe fe = frame_of(ctx, ends, 2, &beam, 1);
    dfl_fe_task task = both_ends(DFL_FRAME_TANGENT, 12);
    reduce(&s, &fe, &task);
    double energy = 0.0;
    assert_int_equal(s.noutline, 9);
    for (int k = 0; k < s.noutline; k++) {
        const dfl_outline_point *p = &s.outline[k];
        const double M = p->load[DFL_BEAM_BEND_Y * s.n], M2 = p->load[DFL_BEAM_BEND_Z * s.n];
        const double x = k / 8.0;
        assert_near(p->at[0], x, 1e-12);
        energy += (k % 8 ? 2.0 + 2.0 * (k % 2) : 1.0) / 24.0 * (M * M / bar.EI + M2 * M2 / bar.EI2);
    }
    assert_near(energy, s.K[0], 1e-3 * s.K[0]);
    dfl_fe_clear(&fe);
    dfl_context_free(ctx);
}

/* The mass matrix alone has the integrals of points: rigid ones and couplings to rounding, those of
   first order up to the turns within an element. */
static void mass_matrices_have_the_integrals_of_points(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    dfl_fe_beam beam = bar;
    static dfl_sid s, m;
    beam.elements = 40;
    dfl_fe fe = frame_of(ctx, ends, 2, &beam, 1);
    const dfl_fe_task task = both_ends(DFL_FRAME_TANGENT, 4);
    reduce(&s, &fe, &task);
    fe.npoints = 0;
    reduce(&m, &fe, &task);
    const int n = s.n;
    for (int i = 0; i < 3; i++)
        assert_near(m.moment[i], s.moment[i], 1e-10);
    for (int i = 0; i < 6; i++)
        assert_near(m.inertia[i], s.inertia[i], 1e-10);
    for (int i = 0; i < 3 * n; i++) {
        assert_near(m.S[i], s.S[i], 1e-9);
        assert_near(m.C0[i], s.C0[i], 1e-9);
    }
    for (int i = 0; i < 6 * n; i++)
        assert_near(m.J1[i], s.J1[i], 2e-3 * sqrt(s.mass));
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            if (fabs(s.node[1].psi[i]) + fabs(s.node[1].psi[k]) >
                sqrt(s.mass)) /* twists are turns alone */
                continue;
            for (int a = 0; a < 6; a++)
                assert_near(m.J2[(a * n + i) * n + k], s.J2[(a * n + i) * n + k], 2e-2 * s.mass);
            for (int a = 0; a < 3; a++)
                assert_near(m.C1[(a * n + i) * n + k], s.C1[(a * n + i) * n + k], 2e-2 * s.mass);
        }
    dfl_fe_clear(&fe);
    dfl_context_free(ctx);
}

/* A ring: two-lobed bending of a thin ring has w^2 = 36/5 EI / (rhoA R^4) in its plane
   (Love 1892); a polygon of 48 sides is near it, twice. */
static void a_ring_has_its_frequency(void **state)
{
    (void)state;
    enum { SIDES = 48 };
    static double points[3 * SIDES];
    static dfl_fe_beam beams[SIDES];
    static dfl_sid s;
    dfl_context *ctx = dfl_context_create();
    for (int k = 0; k < SIDES; k++) {
        const double angle = 6.283185307179586 * k / SIDES;
        points[3 * k] = cos(angle);
        points[3 * k + 1] = sin(angle);
        beams[k] = (dfl_fe_beam){.first = k,
                                 .last = (k + 1) % SIDES,
                                 .elements = 2,
                                 .up = {0, 0, 1},
                                 .EA = 1e6,
                                 .EI = 100, /* across the plane: stiff */
                                 .EI2 = 1,
                                 .GJ = 100,
                                 .rhoA = 1,
                                 .rhoI = 1e-6,
                                 .rhoI2 = 1e-6};
    }
    dfl_fe fe = frame_of(ctx, points, SIDES, beams, SIDES);
    dfl_fe_task task = both_ends(DFL_FRAME_BUCKENS, 12);
    task.ninterfaces = 1;
    reduce(&s, &fe, &task);
    for (int i = 0; i < 2; i++)
        assert_near(sqrt(s.K[i * s.n + i] / s.mass), sqrt(7.2), 0.01 * sqrt(7.2));
    dfl_fe_clear(&fe);
    dfl_context_free(ctx);
}

static void write_texts(dfl_text *out, const dfl_fe *fe)
{
    for (int k = 0; k < fe->nnodes; k++)
        dfl_text_add(&out[0], "%d, %.17g, %.17g, %.17g\n", fe->id[k], fe->at[3 * k],
                     fe->at[3 * k + 1], fe->at[3 * k + 2]);
    for (int i = 0; i < fe->n; i++)
        dfl_text_add(&out[1], "%d.%d\n", fe->id[fe->node[i]], fe->direction[i] + 1);
    for (int which = 0; which < 2; which++)
        for (int e = 0; e < fe->count[which]; e++) {
            const dfl_fe_entry *x = &fe->entry[which][e];
            dfl_text_add(&out[2 + which], "%d %d %.17g\n", x->row + 1, x->column + 1, x->value);
            if (x->row != x->column && which == 0) /* one of both triangles */
                dfl_text_add(&out[2 + which], "%d %d %.17g\n", x->column + 1, x->row + 1, x->value);
        }
}

static dfl_status read_texts(dfl_fe *fe, const char *nodes, const char *unknowns, const char *K,
                             const char *M)
{
    dfl_status status = dfl_fe_read_nodes(fe, "nodes", nodes);
    if (!status && unknowns)
        status = dfl_fe_read_unknowns(fe, "dof", unknowns);
    if (!status)
        status = dfl_fe_read_matrix(fe, DFL_FE_STIFFNESS, "K", K);
    if (!status)
        status = dfl_fe_read_matrix(fe, DFL_FE_MASS, "M", M);
    return status ? status : dfl_fe_complete(fe);
}

static void texts_are_read_again(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    dfl_fe_beam beam = bar;
    static dfl_sid s, again;
    beam.elements = 12;
    dfl_fe fe = frame_of(ctx, ends, 2, &beam, 1), read = {.ctx = ctx};
    dfl_text text[4] = {{.ctx = ctx}, {.ctx = ctx}, {.ctx = ctx}, {.ctx = ctx}};
    write_texts(text, &fe);
    const dfl_fe_task task = both_ends(DFL_FRAME_CHORD, 4);
    fe.npoints = 0;
    reduce(&s, &fe, &task);
    for (int given = 0; given < 2; given++) { /* six unknowns per node, also if nothing says so */
        if (read_texts(&read, dfl_text_string(&text[0]), given ? dfl_text_string(&text[1]) : NULL,
                       dfl_text_string(&text[2]), dfl_text_string(&text[3])))
            fail_msg("%s", dfl_message(ctx));
        reduce(&again, &read, &task);
        for (int i = 0; i < s.n * s.n; i++)
            assert_near(again.K[i], s.K[i], 1e-8 * s.K[s.n * s.n - 1]);
        dfl_fe_clear(&read);
    }
    for (int k = 0; k < 4; k++)
        dfl_text_clear(&text[k]);
    dfl_fe_clear(&fe);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

/* Two bricks side by side: edges of the box, twice four along x and four at each end; the face
   between them and the edges in flat sides are not among them. A wedge with a node that is missing
   is refused. */
static void surfaces_of_solids_have_edges(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    dfl_fe fe = {.ctx = ctx};
    dfl_text text = {.ctx = ctx};
    dfl_text_add(&text, "*NODE\n");
    for (int i = 0; i < 12; i++) /* x, then around: (0 0) (1 0) (1 1) (0 1) */
        dfl_text_add(&text, "%d,%d,%d,%d\n", i + 1, i / 4, i % 4 == 1 || i % 4 == 2, i % 4 >= 2);
    dfl_text_add(&text,
                 "*ELEMENT, TYPE=C3D8R, ELSET=ALL\n1, 1,2,3,4,\n 5,6,7,8\n2,5,6,7,8,9,10,11,12\n"
                 "*ELEMENT, TYPE=B31\n3,1,2\n");
    assert_int_equal(dfl_fe_read_nodes(&fe, "box.inp", dfl_text_string(&text)), DFL_OK);
    assert_int_equal(dfl_fe_read_elements(&fe, "box.inp", dfl_text_string(&text)), DFL_OK);
    assert_int_equal(fe.nedges, 16);
    for (int k = 0; k < fe.nedges; k++)
        assert_true(fe.edge[2 * k] / 4 != 1 || fe.edge[2 * k + 1] / 4 != 1); /* not in the middle */
    dfl_free(ctx, fe.edge);
    fe.edge = NULL;
    fe.nedges = 0;
    dfl_text_add(&text, "*ELEMENT, TYPE=C3D6\n4,1,2,3,5,6,77\n");
    assert_int_equal(dfl_fe_read_elements(&fe, "box.inp", dfl_text_string(&text)), DFL_INVALID);
    assert_non_null(strstr(dfl_message(ctx), "box.inp:21: an element has the node 77"));
    dfl_text_clear(&text);
    dfl_fe_clear(&fe);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

/* Two masses of 1 kg with a spring along x, and what is wrong with them. */
static void wrong_texts_are_refused_with_their_line(void **state)
{
    (void)state;
    static const char *const nodes = "node,x,y,z\n1,0,0,0\n2,1,0,0\n";
    static const char *const K = "# K\n1 1 1\n1 4 -1\n4 4 1\n2 2 0\n",
                             *const M = "1 1 1\n2 2 1\n3 3 1\n4 4 1\n5 5 1\n6 6 1\n";
    static const struct {
        const char *nodes, *unknowns, *K, *M, *message;
    } cases[] = {
        {"", NULL, "", "", "nodes:0: the file ends without nodes"},
        {"1,0,0\n", NULL, "", "", "nodes:1: '1,0,0': a node has four numbers"},
        {"1.5,0,0,0\n", NULL, "", "", "whole number"},
        {"1,0,nan,0\n", NULL, "", "", "nodes:1"},
        {"1,0,0,0\n1,1,0,0\n", NULL, "1 1 1\n", "1 1 1\n", "node 1 is given twice"},
        {"*HEADING\nx\n*NODE, NSET=a\n1,0,0,0\n*ELEMENT\n", "2.1\n", "", "",
         "dof:1: '2 1': this node is not"},
        {"1,0,0,0\n", "1.7\n", "", "", "directions from 1 to 6"},
        {"1,0,0,0\n", "1.1\n1.1\n", "1 1 1\n", "1 1 1\n", "two unknowns"},
        {"1,0,0,0\n", "1.1\n", "1 1 1\n", "1 1 1\n", "must be free, without supports"},
        {"1,0,0,0\n", NULL, "1 1\n", "", "K:1: '1 1': an entry is row, column, value"},
        {"1,0,0,0\n", NULL, "1 1 inf\n", "", "K:1"},
        {"1,0,0,0\n", NULL, "1 99999999 1\n", "", "rows and columns from 1 to 60000"},
        {"1,0,0,0\n", NULL, "1 8 1\n", "1 1 1\n", "K:1: row or column 8, but the nodes have 6"},
        {"1,0,0,0\n", NULL, "1 1 1\n1 1 1\n", "1 1 1\n", "K:2: the entry of line 1 again"},
        {"1,0,0,0\n", NULL, "1 2 1\n2 1 1.5\n", "1 1 1\n", "K:2: the matrix is not symmetric"},
        {"1,0,0,0\n", NULL, "1 2 1\n2 1 1\n1 3 2\n", "1 1 1\n",
         "K:3: the matrix is not symmetric: 2 in row 1 and column 3, 0 on the other side"},
        {"1,0,0,0\n", NULL, "1 2 1\n3 1 2\n", "1 1 1\n",
         "K:2: the matrix is not symmetric: 2 in row 3 and column 1, 0 on the other side"},
    };
    dfl_context *ctx = dfl_context_create();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dfl_fe fe = {.ctx = ctx};
        assert_int_equal(read_texts(&fe, cases[i].nodes, cases[i].unknowns, cases[i].K, cases[i].M),
                         DFL_INVALID);
        if (!strstr(dfl_message(ctx), cases[i].message))
            fail_msg("'%s' does not contain '%s'", dfl_message(ctx), cases[i].message);
        dfl_fe_clear(&fe);
    }
    dfl_fe fe = {.ctx = ctx};
    assert_int_equal(read_texts(&fe, nodes, NULL, K, M), DFL_INVALID); /* nothing holds y */
    assert_non_null(strstr(dfl_message(ctx), "the stiffness of node 1 in direction 2 is 0"));
    dfl_fe_clear(&fe);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

static void wrong_interfaces_are_refused(void **state)
{
    (void)state;
    static const int none[] = {99};
    dfl_context *ctx = dfl_context_create();
    dfl_fe_beam beam = bar;
    static dfl_sid s;
    beam.elements = 4;
    dfl_fe fe = frame_of(ctx, ends, 2, &beam, 1);
    dfl_fe_task task = both_ends(DFL_FRAME_TANGENT, 2);
    task.interface[1].id = none;
    assert_int_equal(dfl_fe_reduce(&s, &fe, &task), DFL_INVALID);
    assert_non_null(strstr(dfl_message(ctx), "interface 'b': there is no node 99"));
    task.interface[1].id = first_node;
    assert_int_equal(dfl_fe_reduce(&s, &fe, &task), DFL_INVALID);
    assert_non_null(strstr(dfl_message(ctx), "node 1 is given twice"));
    task = both_ends(DFL_FRAME_TANGENT, 30);
    assert_int_equal(dfl_fe_reduce(&s, &fe, &task), DFL_INVALID);
    assert_non_null(strstr(dfl_message(ctx), "too few"));
    task.modes = 40;
    assert_int_equal(dfl_fe_reduce(&s, &fe, &task), DFL_INVALID);
    assert_non_null(strstr(dfl_message(ctx), "46 coordinates"));
    dfl_fe_clear(&fe);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bar_has_its_frequencies),
        cmocka_unit_test(outlines_have_the_moments_of_modes),
        cmocka_unit_test(mass_matrices_have_the_integrals_of_points),
        cmocka_unit_test(a_ring_has_its_frequency),
        cmocka_unit_test(texts_are_read_again),
        cmocka_unit_test(surfaces_of_solids_have_edges),
        cmocka_unit_test(wrong_texts_are_refused_with_their_line),
        cmocka_unit_test(wrong_interfaces_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
