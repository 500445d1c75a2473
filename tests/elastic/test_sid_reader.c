/* SID files: every block and structure code, and what is refused with file and line. */
#include "support.h"

#include "elastic/elastic.h"

#include <stdio.h>

#define SIZE(ORDER, ROWS, COLUMNS, STRUCTURE)                                                      \
    "order = " #ORDER "\nnrow = " #ROWS "\nncol = " #COLUMNS                                       \
    "\nnq = 2\nnqn = 0\nstructure = " #STRUCTURE "\n"
#define HEAD                                                                                       \
    "2 2 : a title = with anything m0(\n part\n new modal =\n refmod\n mass = 2.0D+00\n"           \
    "nelastq = 2\n ielastq ( 1) = Eigen Mode 1 : 9 Hz\n end refmod\n frame\n"
#define NODE                                                                                       \
    "new node = 17\n rframe = body ref\n origin\n" SIZE(                                           \
        1, 3, 1, 3) "m0( 1, 1) = 3.0D+00\n"                                                        \
                    "m1( 2, 1, 1) = 0.5\n end origin\n phi\n" SIZE(                                \
                        0, 3, 2,                                                                   \
                        3) "m0( 2, 1) =-1.5D-01\n end phi\n"                                       \
                           "psi\n" SIZE(0, 3, 2, 3) "m0( 3, 2) = 7\n end psi\n AP\n" SIZE(         \
                               1, 3, 3, 3) "m0( 1, 1) = 1\n end AP\n end node\n end frame\n"
#define MASSES                                                                                     \
    "mdCM\n" SIZE(1, 3, 1, 3) "m0( 1, 1) = 1.5\n end mdCM\n J\n" SIZE(                             \
        1, 6, 1, 3) "m0( 2, 1) = 4\n m0( 4, 1) = 0.25\n "                                          \
                    "m1( 3, 2, 1) = 0.75\n end J\n "                                               \
                    "Ct\n" SIZE(0, 2, 3, 3) "m0( 2, 3) = "                                         \
                                            "0.125\n end Ct\n "                                    \
                                            "Cr\n" SIZE(1, 2, 3, 3) "m0("                          \
                                                                    " 1,"                          \
                                                                    " 2)"                          \
                                                                    " = "                          \
                                                                    "0."                           \
                                                                    "6\n"                          \
                                                                    " m1"                          \
                                                                    "( "                           \
                                                                    "1, "                          \
                                                                    "2, "                          \
                                                                    "3) "                          \
                                                                    "= "                           \
                                                                    "0."                           \
                                                                    "2\n"                          \
                                                                    " m1"                          \
                                                                    "( "                           \
                                                                    "2, "                          \
                                                                    "1, "                          \
                                                                    "3) "                          \
                                                                    "=-"                           \
                                                                    "0."                           \
                                                                    "2\n"                          \
                                                                    " en"                          \
                                                                    "d "                           \
                                                                    "Cr"                           \
                                                                    "\n"
#define REST                                                                                       \
    "Me\n" SIZE(0, 2, 2, 4) "end Me\n Gr\n" SIZE(0, 3, 6, 3) "m0( 1, 6) = 1\n end Gr\n Ge\n" SIZE( \
        0, 2, 6,                                                                                   \
        0) "end Ge\n Oe\n" SIZE(1, 2, 6,                                                           \
                                3) "m1( 1, 1, 1) =-0.9\n m1( 1, 2, 5) = 0.4\n"                     \
                                   "m1( 2, 1, 5) = 0.4\n end Oe\n ksigma\n" SIZE(                  \
                                       0, 2, 1,                                                    \
                                       0) "end ksigma\n Ke\n" SIZE(0, 2, 2,                        \
                                                                   2) "m0( 1, 1) = 9\n m0( 1, 2) " \
                                                                      "= 2\n m0( 2, 2) = 8\n end " \
                                                                      "Ke\n De\n" SIZE(0, 2, 2,    \
                                                                                       1) "m0( "   \
                                                                                          "2, 2) " \
                                                                                          "= "     \
                                                                                          "0.3\n " \
                                                                                          "end "   \
                                                                                          "De\n "  \
                                                                                          "end "   \
                                                                                          "modal"  \
                                                                                          "\n "    \
                                                                                          "end "   \
                                                                                          "part\n"

static void every_block_is_read(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    static dfl_sid s;
    assert_int_equal(dfl_sid_read(&s, ctx, "a.SID", HEAD NODE MASSES REST), DFL_OK);
    assert_int_equal(s.n, 2);
    assert_int_equal(s.nnodes, 1);
    assert_string_equal(s.node[0].name, "17");
    assert_near(s.mass, 2, 0);
    assert_near(s.node[0].at[0], 3, 0);
    assert_near(s.node[0].phi[2 * 1 + 0], -0.15, 0); /* y, mode 1 */
    assert_near(s.node[0].psi[2 * 2 + 1], 7, 0);
    assert_near(s.moment[0], 1.5, 0);
    assert_near(s.inertia[1], 4, 0);
    assert_near(s.inertia[3], 0.25, 0);
    assert_near(s.J1[2 * 2 + 1], 0.75, 0); /* zz, mode 2 */
    assert_near(s.S[2 * 2 + 1], 0.125, 0); /* z, mode 2 */
    assert_near(s.C0[2 * 1 + 0], 0.6, 0);
    assert_near(s.C1[4 * 2 + 2 * 1 + 0], 0.2, 0); /* z: C_1 grows by 0.2 q_2 */
    assert_near(s.C1[4 * 2 + 2 * 0 + 1], -0.2, 0);
    assert_near(s.Me[0] + s.Me[3], 2, 0); /* unit */
    assert_near(s.Me[1], 0, 0);
    assert_near(s.J2[0], 0.9, 0);
    assert_near(s.J2[4 * 5 + 1], -0.2, 0); /* yz is the fifth of Oe */
    assert_near(s.K[2], 2, 0);             /* symmetric */
    assert_near(s.D[3], 0.3, 0);
    dfl_context_free(ctx);
}

static void wrong_files_are_refused_with_their_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "without nelastq"},
        {HEAD NODE MASSES, "without the block Me"},
        {"title\nmass = x\n", "a.SID:2: mass is 'x'"},
        {"title\nmass = 1\nnelastq = 1000000\n", "a.SID:3: nelastq is 1e+06"},
        {"title\nMe\n", "a.SID:2: block Me comes before nelastq"},
        {HEAD "Me\nnrow = 3\n", "a.SID:11: nrow of Me is 3; with 2 modes it is 2"},
        {HEAD "Me\nm0( 3, 1) = 1\n", "a.SID:11: m0( 3, 1) of Me is outside"},
        {HEAD "Me\nm0( 0, 1) = 1\n", "outside"},
        {HEAD "J\nm1( 1, 3, 1) = 1\n", "outside"},
        {HEAD "Me\nm0( 1, 1 = 1\n", "is not an entry"},
        {HEAD "Me\nm0( 1, 1) = 1.0D+999\n", "is not an entry"},
        {HEAD "Me\nm0( 1, 1) = nan\n", "is not an entry"},
        {HEAD "Me\nstructure = 7\n", "structure is 7"},
        {HEAD "phi\n", "outside of a node"},
    };
    dfl_context *ctx = dfl_context_create();
    static dfl_sid s;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(dfl_sid_read(&s, ctx, "a.SID", cases[i].text), DFL_INVALID);
        if (!strstr(dfl_message(ctx), cases[i].message))
            fail_msg("'%s' does not contain '%s'", dfl_message(ctx), cases[i].message);
    }
    dfl_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_block_is_read),
        cmocka_unit_test(wrong_files_are_refused_with_their_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
