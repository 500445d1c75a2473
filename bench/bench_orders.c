/* bench_orders.c: orders of convergence of every method with every form, as in docs/orders.md. */
#include "orders.h"

#include <stdlib.h>

static void print_table(const orders_motion m[2], const char *title, int first, int last);
static void print_cell(const orders_found *found, dfl_form form, const orders_method *method);
static void theory(double order[ORDERS_KINDS], dfl_form form, const orders_method *method);

static const char introduction[] =
    "# Orders of convergence\n"
    "\n"
    "This page shows the orders of p, v and the multipliers for every method with every form. "
    "They are measured with fixed\n"
    "steps, with Newton's iteration carried to rounding (`bench_orders > docs/orders.md`; "
    "`bench/orders.h` describes how).\n"
    "`-`: the combination is refused; `?`: the errors do not lie on a line; `*`: more than 0.3 "
    "from the order of theory.\n"
    "`tests/solver/integrators/test_orders_table.c` recomputes a part.\n"
    "\n"
    "Theory:\n"
    "\n"
    "- Radau IIA with s stages: multipliers of index 2 (psi1, eom2, ggl, ext316, ssf) have order "
    "s, "
    "multipliers of index 3 (eom)\n"
    "  order s - 1, and velocities of eom order s.\n"
    "- BDF has its order in all unknowns.\n"
    "- Multipliers of the midpoint rule have order 1 where they are means over the step: in "
    "forms without gII, or with v' in\n"
    "  gII.\n"
    "- Everything else has the order of the method.\n"
    "\n"
    "What differs, and why:\n"
    "\n"
    "- eom, trapezoidal: the multipliers of index 3 oscillate with an amplitude that does not "
    "fall with h, because the rule\n"
    "  damps nothing.\n"
    "- extrapolation is run with four rows, which have order 4.\n"
    "- ext316, ssf: singular for the top, where [G; L] has dependent rows. On motions of the "
    "pendulum through a turning point,\n"
    "  where L = 0, there is no order at all.\n"
    "- radau 13: only a factor of about 2 in h lies between steps that are too large (for the "
    "first term of the error or for\n"
    "  Newton's iteration) and rounding. The top, whose motion is smoother, is the better "
    "example.\n"
    "- partition: if h changes, the independent coordinates change at other times, which "
    "methods of high order show.\n"
    "- explicit-pair on the pendulum: the leading term of order 8 is small, and steps that "
    "show it come near rounding.\n"
    "- half-explicit on the top: the leading term of order 5 nearly vanishes for this motion; "
    "compare the pendulum.\n";

int main(void)
{
    static const struct {
        const char *name, *about;
    } motions[] = {{"pendulum", "Pendulum, p' = v"}, {"top", "Top with a quaternion, p' = Z(p) v"}};
    static const struct {
        const char *about;
        int first, last;
    } parts[] = {
        {"Runge-Kutta methods", 0, 6}, {"BDF", 6, 11}, {"explicit methods", 11, ORDERS_METHODS}};
    fputs(introduction, stdout);
    for (size_t i = 0; i < sizeof motions / sizeof *motions; i++) {
        orders_motion m[2];
        for (int j = 0; j < 2; j++)
            if (!orders_motion_make(&m[j], motions[i].name, j == 1))
                return EXIT_FAILURE;
        printf("\n## %s\n", motions[i].about);
        for (size_t j = 0; j < sizeof parts / sizeof *parts; j++)
            print_table(m, parts[j].about, parts[j].first, parts[j].last);
        for (int j = 0; j < 2; j++)
            problem_free(&m[j].prob);
    }
    return EXIT_SUCCESS;
}

static void print_table(const orders_motion m[2], const char *title, int first, int last)
{
    printf("\n### %s, %s\n\n| form |", m[0].prob.name, title);
    for (int j = first; j < last; j++)
        printf(" %s |", orders_methods[j].name);
    printf("\n| --- |");
    for (int j = first; j < last; j++)
        printf(" --- |");
    printf("\n");
    for (int form = 0; form < DFL_FORMS; form++) {
        printf("| `%s` |", dfl_form_name((dfl_form)form));
        for (int j = first; j < last; j++) {
            const orders_found found = orders_measure(&m[orders_high(&orders_methods[j])],
                                                      (dfl_form)form, &orders_methods[j]);
            print_cell(&found, (dfl_form)form, &orders_methods[j]);
        }
        printf("\n");
        fflush(stdout);
    }
}

static void print_cell(const orders_found *found, dfl_form form, const orders_method *method)
{
    double expected[ORDERS_KINDS];
    if (found->status) {
        printf(" %s |", found->status == DFL_INVALID ? "-" : "singular");
        return;
    }
    theory(expected, form, method);
    for (int i = 0; i < ORDERS_KINDS; i++)
        if (isnan(found->order[i]))
            printf(" ?");
        else
            printf(" %.1f%s", found->order[i],
                   fabs(found->order[i] - expected[i]) > 0.3 ? "\\*" : "");
    printf(" |");
}

/* Hairer, Lubich and Roche (1989), table 2.3; Brenan, Campbell and Petzold (1996), 3.2: multipliers
   of index 2 have the order s of the stages, those of index 3 s - 1, velocities of index 3 s; with
   fixed steps BDF has its order in all unknowns. The implicit midpoint rule's multipliers belong to
   the middle of the step where they are means. */
static void theory(double order[ORDERS_KINDS], dfl_form form, const orders_method *method)
{
    static const double explicit_order[] = {[DFL_TRAPEZOIDAL] = 2,
                                            [DFL_MIDPOINT] = 2,
                                            [DFL_HALF_EXPLICIT] = 5,
                                            [DFL_EXPLICIT_PAIR] = 8,
                                            [DFL_EXTRAPOLATION] = 4};
    const bool radau = method->integrator == DFL_RADAU;
    const bool index_2 = form == DFL_PSI1 || form == DFL_EOM2 || form == DFL_GGL ||
                         form == DFL_EXT316 || form == DFL_SSF;
    const bool mean =
        index_2 || form == DFL_EOM || form == DFL_EOM1 || form == DFL_PINV || form == DFL_BAUMGARTE;
    const double full = method->order ? method->order : explicit_order[method->integrator];
    const double stages = radau ? (full + 1) / 2 : full;
    order[0] = order[1] = order[2] = full;
    if (radau && index_2)
        order[2] = stages;
    if (radau && form == DFL_EOM) {
        order[1] = stages;
        order[2] = fmax(1, stages - 1); /* one stage is BDF 1 */
    }
    if (method->integrator == DFL_MIDPOINT && mean)
        order[2] = 1;
}
