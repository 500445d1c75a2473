/* sid_writer.c: standard input data of elastic bodies as text, with all blocks that readers of
   others expect: Gr_i = 2 int (r.Phi_i 1 - Phi_i r^T), Ge_ij = 2 int Phi_j x Phi_i and AP = 1 +
   [psi] follow from the others. */
#include "elastic/elastic.h"

#include <math.h>

enum { ZERO = 0, SYMMETRIC = 2, FULL = 3 };

static void begin(dfl_text *out, const char *name, int order, int rows, int columns, int n,
                  int structure);
static void entry(dfl_text *out, int row, int column, double value);
static void slope(dfl_text *out, int row, int mode, int column, double value);
static void write_node(dfl_text *out, const dfl_sid *s, int k);
static void write_rigid(dfl_text *out, const dfl_sid *s);
static void write_couplings(dfl_text *out, const dfl_sid *s);
static void write_gyroscopic(dfl_text *out, const dfl_sid *s);
static void write_centrifugal(dfl_text *out, const dfl_sid *s);
static void write_square(dfl_text *out, const char *name, const double *A, int n);
static double second(const double *pairs, int axis, int n, int i, int k);

dfl_status dfl_sid_write(dfl_text *out, const dfl_sid *s, const char *title)
{
    const int n = s->n;
    dfl_text_add(out, "%5d%5d : %s\n part\n new modal =\n  refmod\n", s->nnodes, n, title);
    dfl_text_add(out, "   mass = %.17g\n   nelastq = %d\n", s->mass, n);
    for (int i = 0; i < n; i++)
        dfl_text_add(out, "   ielastq (%4d) = mode %d : %.6g Hz\n", i + 1, i + 1,
                     sqrt(fmax(s->K[i * n + i] / s->Me[i * n + i], 0.0)) / 6.283185307179586);
    dfl_text_add(out, "  end refmod\n  frame\n");
    for (int k = 0; k < s->nnodes; k++)
        write_node(out, s, k);
    dfl_text_add(out, "  end frame\n");
    write_rigid(out, s);
    write_couplings(out, s);
    write_square(out, "Me", s->Me, n);
    write_gyroscopic(out, s);
    write_centrifugal(out, s);
    begin(out, "ksigma", 0, n, 1, n, ZERO);
    dfl_text_add(out, "  end ksigma\n");
    write_square(out, "Ke", s->K, n);
    write_square(out, "De", s->D, n);
    dfl_text_add(out, " end modal\n end part\n");
    return out->status;
}

static void begin(dfl_text *out, const char *name, int order, int rows, int columns, int n,
                  int structure)
{
    dfl_text_add(out,
                 "  %s\n   order = %d\n   nrow = %d\n   ncol = %d\n   nq = %d\n   nqn = 0\n"
                 "   structure = %d\n",
                 name, order, rows, columns, n, structure);
}

static void entry(dfl_text *out, int row, int column, double value)
{
    if (value != 0.0)
        dfl_text_add(out, "   m0(%4d,%4d) = %.17g\n", row, column, value);
}

static void slope(dfl_text *out, int row, int mode, int column, double value)
{
    if (value != 0.0)
        dfl_text_add(out, "   m1(%4d,%4d,%4d) = %.17g\n", row, mode, column, value);
}

static void write_node(dfl_text *out, const dfl_sid *s, int k)
{
    const int n = s->n;
    const dfl_sid_node *node = &s->node[k];
    dfl_text_add(out, "  new node = %s\n   rframe = body ref\n", node->name);
    begin(out, "origin", 1, 3, 1, n, FULL);
    for (int a = 0; a < 3; a++)
        entry(out, a + 1, 1, node->at[a]);
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < n; i++)
            slope(out, a + 1, i + 1, 1, node->phi[a * n + i]);
    dfl_text_add(out, "  end origin\n");
    for (int turn = 0; turn < 2; turn++) {
        const char *name = turn ? "psi" : "phi";
        begin(out, name, s->stiffened, 3, n, n, FULL);
        for (int a = 0; a < 3; a++)
            for (int i = 0; i < n; i++)
                entry(out, a + 1, i + 1, (turn ? node->psi : node->phi)[a * n + i]);
        for (int a = 0; a < 3; a++)
            for (int i = 0; i < n * n; i++)
                slope(out, a + 1, i % n + 1, i / n + 1,
                      second(turn ? node->psi2 : node->phi2, a, n, i / n, i % n));
        dfl_text_add(out, "  end %s\n", name);
    }
    begin(out, "AP", 1, 3, 3, n, FULL);
    for (int a = 0; a < 3; a++)
        entry(out, a + 1, a + 1, 1.0);
    for (int i = 0; i < n; i++)
        for (int a = 0; a < 3; a++) {
            const int b = (a + 1) % 3, c = (a + 2) % 3;
            slope(out, c + 1, i + 1, b + 1, node->psi[a * n + i]);
            slope(out, b + 1, i + 1, c + 1, -node->psi[a * n + i]);
        }
    dfl_text_add(out, "  end AP\n  end node\n");
}

static void write_rigid(dfl_text *out, const dfl_sid *s)
{
    const int n = s->n;
    begin(out, "mdCM", 1, 3, 1, n, FULL);
    for (int a = 0; a < 3; a++)
        entry(out, a + 1, 1, s->moment[a]);
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < n; i++)
            slope(out, a + 1, i + 1, 1, s->S[a * n + i]);
    dfl_text_add(out, "  end mdCM\n");
    begin(out, "J", 1, 6, 1, n, FULL);
    for (int a = 0; a < 6; a++)
        entry(out, a + 1, 1, s->inertia[a]);
    for (int a = 0; a < 6; a++)
        for (int i = 0; i < n; i++)
            slope(out, a + 1, i + 1, 1, s->J1[a * n + i]);
    dfl_text_add(out, "  end J\n");
}

static void write_couplings(dfl_text *out, const dfl_sid *s)
{
    const int n = s->n;
    begin(out, "Ct", s->stiffened, n, 3, n, FULL);
    for (int i = 0; i < n; i++)
        for (int a = 0; a < 3; a++)
            entry(out, i + 1, a + 1, s->S[a * n + i]);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int a = 0; a < 3; a++)
                slope(out, i + 1, k + 1, a + 1, second(s->S2, a, n, i, k));
    dfl_text_add(out, "  end Ct\n");
    begin(out, "Cr", 1, n, 3, n, FULL);
    for (int i = 0; i < n; i++)
        for (int a = 0; a < 3; a++)
            entry(out, i + 1, a + 1, s->C0[a * n + i]);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int a = 0; a < 3; a++)
                slope(out, i + 1, k + 1, a + 1,
                      s->C1[(a * n + k) * n + i] + second(s->C2, a, n, i, k));
    dfl_text_add(out, "  end Cr\n");
}

/* int Phi_b r_c = -(J1_bc + e_bca C0_a) / 2 for b != c */
static void write_gyroscopic(dfl_text *out, const dfl_sid *s)
{
    static const int place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    const int n = s->n;
    begin(out, "Gr", 0, 3, 3 * n, n, FULL);
    for (int i = 0; i < n; i++)
        for (int a = 0; a < 3; a++) {
            const int b = (a + 1) % 3, c = (a + 2) % 3;
            const double C0 = s->C0[a * n + i], J1 = s->J1[place[b][c] * n + i];
            entry(out, a + 1, 3 * i + a + 1, s->J1[a * n + i]);
            entry(out, b + 1, 3 * i + c + 1, J1 + C0);
            entry(out, c + 1, 3 * i + b + 1, J1 - C0);
        }
    dfl_text_add(out, "  end Gr\n");
    begin(out, "Ge", 0, n, 3 * n, n, FULL);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int a = 0; a < 3; a++)
                entry(out, i + 1, 3 * k + a + 1, 2.0 * s->C1[(a * n + k) * n + i]);
    dfl_text_add(out, "  end Ge\n");
}

/* Oe_i = -om.(J1_i + 2 J2_ik q_k) om / 2, by xx yy zz xy yz xz */
static void write_centrifugal(dfl_text *out, const dfl_sid *s)
{
    static const int oe[] = {0, 1, 2, 3, 5, 4};
    const int n = s->n;
    begin(out, "Oe", 1, n, 6, n, FULL);
    for (int i = 0; i < n; i++)
        for (int a = 0; a < 6; a++)
            entry(out, i + 1, a + 1, -(a < 3 ? 0.5 : 1.0) * s->J1[oe[a] * n + i]);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int a = 0; a < 6; a++)
                slope(out, i + 1, k + 1, a + 1,
                      -(a < 3 ? 1.0 : 2.0) * s->J2[(oe[a] * n + i) * n + k]);
    dfl_text_add(out, "  end Oe\n");
}

static void write_square(dfl_text *out, const char *name, const double *A, int n)
{
    begin(out, name, 0, n, n, n, SYMMETRIC);
    for (int i = 0; i < n; i++)
        for (int k = i; k < n; k++)
            entry(out, i + 1, k + 1, A[i * n + k]);
    dfl_text_add(out, "  end %s\n", name);
}

static double second(const double *pairs, int axis, int n, int i, int k)
{
    return pairs[axis * DFL_MOST_PAIRS + (i < k ? dfl_mode_pair(n, i, k) : dfl_mode_pair(n, k, i))];
}
