/* SID files: every block and structure code, what is refused with file and line, and files of our
   own writer. The file hand.SID_FEM has four masses of 1 kg at A (1, 0, 0), B (0, 1, 0), C (0, 0,
   1), D (-1, -1, 0); mode 1 moves A by (0, 0, 1), mode 2 moves A by (0, 1, 0), B by (1, 0, 0) and
   C by (0, 1, 0). */
#include "support.h"

#include "elastic/elastic.h"

#include <math.h>
#include <stdio.h>

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    static char text[1 << 20];
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static const char *hand(void)
{
    const char *text = read_text(DFL_SOURCE_DIR "/tests/elastic/hand.SID_FEM");
    assert_non_null(text);
    return text;
}

/* Numbers of two bodies, as large as `size`, are the same up to `tolerance`. */
static void same(const double *a, const double *b, int count, double tolerance)
{
    for (int i = 0; i < count; i++)
        assert_near(a[i], b[i], tolerance);
}

static void same_bodies(const dfl_sid *a, const dfl_sid *b, double tolerance)
{
    const int n = a->n;
    assert_int_equal(n, b->n);
    assert_int_equal(a->nnodes, b->nnodes);
    assert_near(a->mass, b->mass, tolerance);
    same(a->moment, b->moment, 3, tolerance);
    same(a->inertia, b->inertia, 6, tolerance);
    same(a->S, b->S, 3 * n, tolerance);
    same(a->C0, b->C0, 3 * n, tolerance);
    same(a->J1, b->J1, 6 * n, tolerance);
    same(a->C1, b->C1, 3 * n * n, tolerance);
    same(a->J2, b->J2, 6 * n * n, tolerance);
    same(a->Me, b->Me, n * n, tolerance);
    same(a->K, b->K, n * n, tolerance);
    same(a->D, b->D, n * n, tolerance);
    assert_int_equal(a->stiffened, b->stiffened);
    same(a->S2, b->S2, 3 * DFL_MOST_PAIRS, tolerance);
    same(a->C2, b->C2, 3 * DFL_MOST_PAIRS, tolerance);
    for (int k = 0; k < a->nnodes; k++) {
        same(a->node[k].phi2, b->node[k].phi2, 3 * DFL_MOST_PAIRS, tolerance);
        same(a->node[k].psi2, b->node[k].psi2, 3 * DFL_MOST_PAIRS, tolerance);
        same(a->node[k].at, b->node[k].at, 3, tolerance);
        same(a->node[k].phi, b->node[k].phi, 3 * n, tolerance);
        same(a->node[k].psi, b->node[k].psi, 3 * n, tolerance);
    }
}

static void every_block_is_read(void **state)
{
    (void)state;
    static const double points[4][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, -1, 0}};
    static const double Phi[4][6] = {
        {0, 0, 1, 0, 1, 0}, {0, 0, 0, 1, 0, 0}, {0, 0, 0, 0, 1, 0}, {0}};
    dfl_context *ctx = dfl_context_create();
    dfl_modal_body *body;
    static dfl_sid s, wanted;
    assert_int_equal(dfl_modal_body_create(&body, ctx, 2, 2, 1), DFL_OK);
    for (int i = 0; i < 4; i++)
        dfl_modal_body_add(body, 1, points[i], Phi[i]);
    memcpy(body->node[0].at, points[0], sizeof points[0]);
    memcpy(body->node[0].phi, Phi[0], sizeof Phi[0]);
    assert_int_equal(dfl_sid_of_body(&wanted, body), DFL_OK);
    memcpy(wanted.K, (double[]){90, 2, 2, 80}, 4 * sizeof(double));
    memcpy(wanted.D, (double[]){1, 0, 0, 1}, 4 * sizeof(double)); /* structure 4 */
    if (dfl_sid_read(&s, ctx, "hand.SID_FEM", hand()))
        fail_msg("%s", dfl_message(ctx));
    assert_string_equal(s.node[0].name, "17");
    same_bodies(&s, &wanted, 0);
    assert_int_equal(dfl_sid_check(&s, ctx, "hand.SID_FEM"), DFL_OK);
    dfl_modal_body_free(body);
    dfl_context_free(ctx);
}

static double random_number(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1.0;
}

/* Masses at nine points, up to 40 modes; stiffness and damping are sums of squares. */
static void random_bodies_are_what_was_written(void **state)
{
    (void)state;
    static const int modes[] = {1, 3, 7, DFL_MOST_MODES};
    static dfl_sid s, again;
    unsigned seed = 7;
    for (int c = 0; c < 4; c++) {
        dfl_context *ctx = dfl_context_create();
        dfl_modal_body *body;
        dfl_text text = {.ctx = ctx};
        const int n = modes[c];
        assert_int_equal(dfl_modal_body_create(&body, ctx, n, n, 3), DFL_OK);
        for (int p = 0; p < 9 + n; p++) {
            double r[3], Phi[3 * DFL_MOST_MODES];
            for (int a = 0; a < 3; a++)
                r[a] = random_number(&seed);
            for (int i = 0; i < 3 * n; i++)
                Phi[i] = random_number(&seed);
            dfl_modal_body_add(body, 1.5 + random_number(&seed), r, Phi);
            if (p < 3) {
                memcpy(body->node[p].at, r, sizeof r);
                memcpy(body->node[p].phi, Phi, (size_t)(3 * n) * sizeof *Phi);
                for (int i = 0; i < 3 * n; i++)
                    body->node[p].psi[i] = random_number(&seed);
            }
        }
        assert_int_equal(dfl_sid_of_body(&s, body), DFL_OK);
        for (int i = 0; i < n; i++)
            for (int k = 0; k <= i; k++) {
                s.K[i * n + k] = s.K[k * n + i] = random_number(&seed);
                s.D[i * n + k] = s.D[k * n + i] = random_number(&seed);
            }
        s.stiffened = c % 2 == 1; /* loads stiffen every other one */
        for (int pair = 0; pair < n * (n + 1) / 2 && s.stiffened; pair++)
            for (int a = 0; a < 3; a++) {
                s.S2[a * DFL_MOST_PAIRS + pair] = random_number(&seed);
                s.C2[a * DFL_MOST_PAIRS + pair] = random_number(&seed);
                s.node[1].phi2[a * DFL_MOST_PAIRS + pair] = random_number(&seed);
                s.node[2].psi2[a * DFL_MOST_PAIRS + pair] = random_number(&seed);
            }
        assert_int_equal(dfl_sid_write(&text, &s, "a random body"), DFL_OK);
        if (dfl_sid_read(&again, ctx, "random", dfl_text_string(&text)))
            fail_msg("%s", dfl_message(ctx));
        same_bodies(&again, &s, 1e-13);
        assert_int_equal(dfl_sid_check(&again, ctx, "random"), DFL_OK);
        dfl_text_clear(&text);
        dfl_modal_body_free(body);
        assert_int_equal(dfl_context_live(ctx), 0);
        dfl_context_free(ctx);
    }
}

/* `hand.SID_FEM` with one text replaced by another. */
static const char *changed(const char *from, const char *to)
{
    static char out[1 << 20];
    const char *text = hand(), *at = strstr(text, from);
    assert_non_null(at);
    snprintf(out, sizeof out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return out;
}

static void refused(dfl_status status, dfl_context *ctx, const char *message)
{
    assert_int_equal(status, DFL_INVALID);
    if (!strstr(dfl_message(ctx), message))
        fail_msg("'%s' does not contain '%s'", dfl_message(ctx), message);
}

static void wrong_files_are_refused_with_their_line(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *message;
    } cases[] = {
        {"mass = 4.0D+00", "mass = x", "a.SID:5: mass is 'x'"},
        {"nelastq = 2", "nelastq = 1000000", "a.SID:6: nelastq is 1e+06"},
        {"nelastq = 2", "", "a.SID:13: block origin comes before nelastq"},
        {"new node = 17", "", "outside of a node"},
        {"  Me\n", "  Mee\n", "without the block Me"},
        {"nrow = 6", "nrow = 5", "nrow of J is 5; with 2 modes it is 6"},
        {"m0( 1, 1) = 90", "m0( 3, 1) = 90", "m0( 3, 1) of Ke is outside"},
        {"m0( 1, 1) = 90", "m0( 0, 1) = 90", "outside"},
        {"m1( 5, 1, 1) =-1", "m1( 5, 3, 1) =-1", "outside"},
        {"m0( 1, 1) = 90", "m0( 1, 1 = 90", "is not an entry"},
        {"m0( 1, 1) = 90", "m0( 1, 1) = 1.0D+999", "is not an entry"},
        {"m0( 1, 1) = 90", "m0( 1, 1) = nan", "is not an entry"},
        {"structure = 2", "structure = 7", "structure is 7"},
        {"structure = 2", "structure = 3", "block Ke is not symmetric: entries differ by 2"},
        {"m1( 1, 2, 1) = 1\n  end Cr", "end Cr", "block Cr is not antisymmetric"},
        {"m0( 2, 4) = 2", "m0( 2, 4) = 3", "m0 of Oe is not what m1 of J says"},
        {"m1( 2, 2, 1) = 2", "m1( 2, 2, 1) = 1", "m1 of mdCM is not the transpose of Ct"},
    };
    dfl_context *ctx = dfl_context_create();
    static dfl_sid s;
    refused(dfl_sid_read(&s, ctx, "a.SID", ""), ctx, "without nelastq");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused(dfl_sid_read(&s, ctx, "a.SID", changed(cases[i].from, cases[i].to)), ctx,
                cases[i].message);
    /* a mode of mass 0.4 would have the momentum of a mass above that of the body */
    assert_int_equal(
        dfl_sid_read(&s, ctx, "a.SID", changed("m0( 2, 2) = 3\n", "m0( 2, 2) = 0.4\n")), DFL_OK);
    refused(dfl_sid_check(&s, ctx, "a.SID"), ctx, "square of Ct of mode 2 along y, 4, is above");
    assert_int_equal(
        dfl_sid_read(&s, ctx, "a.SID", changed("m0( 2, 2) = 3\n", "m0( 2, 2) = 1.01\n")), DFL_OK);
    refused(dfl_sid_check(&s, ctx, "a.SID"), ctx, "negative kinetic energy");
    dfl_context_free(ctx);
}

/* Files of another writer, where the shared folder is: all agree with themselves (J with Oe, mdCM
   with Ct); two have masses that no body has. */
static void public_files_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int modes, nodes;
        const char *refused;
    } files[] = {{"beam", 11, 6, NULL},
                 {"balken1m", 1, 3, "balken1m.SID_FEM:213: no body has these masses: the square"},
                 {"Beam_3m", 4, 21, "negative kinetic energy"}};
    dfl_context *ctx = dfl_context_create();
    static dfl_sid s, again;
    for (int i = 0; i < 3; i++) {
        char path[500], name[40];
        snprintf(name, sizeof name, "%s.SID_FEM", files[i].name);
        snprintf(path, sizeof path, "%s/../shared/fe/%s", DFL_SOURCE_DIR, name);
        const char *text = read_text(path);
        if (!text) {
            print_message("%s is not here: skipped\n", path);
            continue;
        }
        if (dfl_sid_read(&s, ctx, name, text))
            fail_msg("%s", dfl_message(ctx));
        assert_int_equal(s.n, files[i].modes);
        assert_int_equal(s.nnodes, files[i].nodes);
        const dfl_status status = dfl_sid_check(&s, ctx, name);
        if (files[i].refused)
            refused(status, ctx, files[i].refused);
        else
            assert_int_equal(status, DFL_OK);
        dfl_text out = {.ctx = ctx};
        assert_int_equal(dfl_sid_write(&out, &s, "again"), DFL_OK);
        assert_int_equal(dfl_sid_read(&again, ctx, name, dfl_text_string(&out)), DFL_OK);
        same_bodies(&again, &s, 0);
        dfl_text_clear(&out);
    }
    dfl_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_block_is_read),
        cmocka_unit_test(random_bodies_are_what_was_written),
        cmocka_unit_test(wrong_files_are_refused_with_their_line),
        cmocka_unit_test(public_files_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
