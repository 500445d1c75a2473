/* c_ode.c: the projected right-hand side of an ODE in the exported C file.

   QR form of Kurz, Burkhardt & Eberhard (2011), with C = W, C^T P = Q [R; 0] by Householder reflections
   with column pivoting, everything in the basis Q (rank of C first, J = Q2 = the rest):
       velocity      v <- v - Q [R^-T (gI, hv); 0]            their J J^T (v - theta) + theta
       acceleration  a = Q z,  z1 = -R^-T bias,  (Q^T M Q)_22 z2 = (Q^T f)_2 - (Q^T M Q)_21 z1
       multipliers   R (lambda, mu) = (Q^T f)_1 - (Q^T M Q)_1 z
   In a template '@' is the model's name and '$' its name in capitals. */
#include "export/c_parts.h"

static const char declarations[] =
    "\n"
    "/* dy = y', y = (p, v, r). Returns 0, or 1 where the accelerations are not determined (the "
    "mass\n"
    "   matrix is not positive definite along the free directions, or a number is not finite). */\n"
    "int @_rhs(double *dy, double t, const double *y, const double *par, double *work);\n"
    "/* The unknowns x at y: multipliers, projected velocities, positions; for outputs. Returns as "
    "above. */\n"
    "int @_state(double *x, double t, const double *y, const double *par, double *work);\n";

/* Only with constraints. */
static const char qr[] =
    "/* y = H_k y, the reflection number k of A. */\n"
    "static void @_reflect(double *y, const double *A, const double *tau, int k, int rows)\n"
    "{\n"
    "    const double *c = A + k * rows;\n"
    "    double sum = y[k];\n"
    "    for (int i = k + 1; i < rows; i++)\n"
    "        sum += c[i] * y[i];\n"
    "    sum *= tau[k];\n"
    "    y[k] -= sum;\n"
    "    for (int i = k + 1; i < rows; i++)\n"
    "        y[i] -= sum * c[i];\n"
    "}\n"
    "\n"
    "/* A P = Q R, A rows x cols: Householder reflections with column pivoting. The vectors stay "
    "below\n"
    "   the diagonal, their first entries are 1. Returns the rank, -1 if a number is not finite. "
    "*/\n"
    "static int @_qr(double *A, double *tau, int *order, int rows, int cols)\n"
    "{\n"
    "    double first = 0.0;\n"
    "    int k;\n"
    "    for (k = 0; k < cols; k++)\n"
    "        order[k] = k;\n"
    "    for (k = 0; k < rows && k < cols; k++) {\n"
    "        double *c = A + k * rows, most = -1.0;\n"
    "        int best = k;\n"
    "        for (int j = k; j < cols; j++) {\n"
    "            double sum = 0.0;\n"
    "            for (int i = k; i < rows; i++)\n"
    "                sum += A[i + j * rows] * A[i + j * rows];\n"
    "            if (!(sum <= DBL_MAX))\n"
    "                return -1;\n"
    "            if (sum > most) {\n"
    "                most = sum;\n"
    "                best = j;\n"
    "            }\n"
    "        }\n"
    "        most = sqrt(most);\n"
    "        if (k == 0)\n"
    "            first = most;\n"
    "        if (!(most > 1e-10 * first))\n"
    "            break;\n"
    "        for (int i = 0; i < rows; i++) {\n"
    "            const double swap = c[i];\n"
    "            c[i] = A[i + best * rows];\n"
    "            A[i + best * rows] = swap;\n"
    "        }\n"
    "        const int swap = order[k];\n"
    "        order[k] = order[best];\n"
    "        order[best] = swap;\n"
    "        const double beta = c[k] > 0.0 ? -most : most;\n"
    "        tau[k] = (beta - c[k]) / beta;\n"
    "        for (int i = k + 1; i < rows; i++)\n"
    "            c[i] /= c[k] - beta;\n"
    "        c[k] = beta;\n"
    "        for (int j = k + 1; j < cols; j++)\n"
    "            @_reflect(A + j * rows, A, tau, k, rows);\n"
    "    }\n"
    "    return k;\n"
    "}\n"
    "\n"
    "/* z = Q^T z, z = Q z for the first rank reflections. */\n"
    "static void @_to_basis(double *z, const double *A, const double *tau, int rank, int rows)\n"
    "{\n"
    "    for (int k = 0; k < rank; k++)\n"
    "        @_reflect(z, A, tau, k, rows);\n"
    "}\n"
    "\n"
    "static void @_from_basis(double *z, const double *A, const double *tau, int rank, int rows)\n"
    "{\n"
    "    for (int k = rank - 1; k >= 0; k--)\n"
    "        @_reflect(z, A, tau, k, rows);\n"
    "}\n"
    "\n"
    "/* B = Q^T B Q for a symmetric B. */\n"
    "static void @_to_basis_both(double *B, const double *A, const double *tau, int rank, int n)\n"
    "{\n"
    "    for (int pass = 0; pass < 2; pass++) {\n"
    "        for (int j = 0; j < n; j++)\n"
    "            @_to_basis(B + j * n, A, tau, rank, n);\n"
    "        for (int j = 0; j < n; j++)\n"
    "            for (int i = 0; i < j; i++) {\n"
    "                const double swap = B[i + j * n];\n"
    "                B[i + j * n] = B[j + i * n];\n"
    "                B[j + i * n] = swap;\n"
    "            }\n"
    "    }\n"
    "}\n"
    "\n"
    "/* z = [R^-T h; 0]: the shortest solution of C x = h in the basis Q. */\n"
    "static void @_solve_rows(double *z, const double *h, const double *A, const int *order, int "
    "rank,\n"
    "                         int rows)\n"
    "{\n"
    "    memset(z, 0, (size_t)rows * sizeof *z);\n"
    "    for (int k = 0; k < rank; k++) {\n"
    "        double sum = h[order[k]];\n"
    "        for (int i = 0; i < k; i++)\n"
    "            sum -= A[i + k * rows] * z[i];\n"
    "        z[k] = sum / A[k + k * rows];\n"
    "    }\n"
    "}\n"
    "\n";

static const char cholesky[] =
    "/* Solves B z = q for the rows and columns first .. n-1 of the symmetric B (n x n), z in "
    "place of q.\n"
    "   B is overwritten below its diagonal. Returns 1 where B is not positive definite. */\n"
    "static int @_cholesky(double *B, double *q, int first, int n)\n"
    "{\n"
    "    for (int j = first; j < n; j++) {\n"
    "        const double whole = B[j + j * n];\n"
    "        for (int k = first; k < j; k++)\n"
    "            for (int i = j; i < n; i++)\n"
    "                B[i + j * n] -= B[i + k * n] * B[j + k * n];\n"
    "        if (!(B[j + j * n] > 1e-14 * whole))\n"
    "            return 1;\n"
    "        const double root = sqrt(B[j + j * n]);\n"
    "        for (int i = j; i < n; i++)\n"
    "            B[i + j * n] /= root;\n"
    "    }\n"
    "    for (int j = first; j < n; j++) {\n"
    "        q[j] /= B[j + j * n];\n"
    "        for (int i = j + 1; i < n; i++)\n"
    "            q[i] -= B[i + j * n] * q[j];\n"
    "    }\n"
    "    for (int j = n - 1; j >= first; j--) {\n"
    "        for (int i = j + 1; i < n; i++)\n"
    "            q[j] -= B[i + j * n] * q[i];\n"
    "        q[j] /= B[j + j * n];\n"
    "        if (!(fabs(q[j]) <= DBL_MAX))\n"
    "            return 1;\n"
    "    }\n"
    "    return 0;\n"
    "}\n";

static const char motion_opening[] =
    "/* dy = y' and x at (t, y). */\n"
    "static int @_motion(double *dy, double *x, double t, const double *y, const double *par,\n"
    "                    double *work)\n"
    "{\n"
    "    enum { n = $_NV, m = $_NL + $_NM };\n"
    "    double *v = x + $_FIRST_V;\n"
    "    memset(x, 0, $_N * sizeof *x);\n"
    "    memcpy(x + $_FIRST_P, y, $_NP * sizeof *x);\n"
    "    memcpy(v, y + $_NP, n * sizeof *x);\n"
    "    memcpy(x + $_FIRST_R, y + $_NP + n, $_NR * sizeof *x);\n";

/* without constraints */
static const char motion_free[] = "    double *B = work, *rest = B + n * n, *q = dy + $_NP;\n"
                                  "    @_M(B, t, x, par, rest);\n"
                                  "    @_f(q, t, x, par, rest);\n"
                                  "    if (@_cholesky(B, q, 0, n))\n"
                                  "        return 1;\n";

/* with constraints; between the two stand the residuals h = (gI, hv) */
static const char motion_project[] =
    "    double *B = work, *C = B + n * n, *W = C + n * m, *tau = W + n * m, *h = tau + m;\n"
    "    double *z = h + m, *q = z + n, *rest = q + n;\n"
    "    int order[m], rank;\n"
    "\n"
    "    /* velocities on the constraints */\n"
    "    @_W(W, t, x, par, rest);\n"
    "    for (int i = 0; i < n; i++)\n"
    "        for (int k = 0; k < m; k++)\n"
    "            C[i + k * n] = W[k + i * m];\n"
    "    rank = @_qr(C, tau, order, n, m);\n"
    "    if (rank < 0)\n"
    "        return 1;\n";

static const char motion_bound[] = "    @_solve_rows(z, h, C, order, rank, n);\n"
                                   "    @_from_basis(z, C, tau, rank, n);\n"
                                   "    for (int i = 0; i < n; i++)\n"
                                   "        v[i] -= z[i];\n"
                                   "\n"
                                   "    /* accelerations, in the basis Q */\n"
                                   "    @_bias(h, t, x, par, rest);\n"
                                   "    for (int k = 0; k < m; k++)\n"
                                   "        h[k] = -h[k];\n"
                                   "    @_solve_rows(z, h, C, order, rank, n);\n"
                                   "    @_f(q, t, x, par, rest);\n"
                                   "    @_to_basis(q, C, tau, rank, n);\n"
                                   "    @_M(B, t, x, par, rest);\n"
                                   "    @_to_basis_both(B, C, tau, rank, n);\n"
                                   "    for (int i = rank; i < n; i++)\n"
                                   "        for (int j = 0; j < rank; j++)\n"
                                   "            q[i] -= B[i + j * n] * z[j];\n"
                                   "    if (@_cholesky(B, q, rank, n))\n"
                                   "        return 1;\n"
                                   "    for (int i = rank; i < n; i++)\n"
                                   "        z[i] = q[i];\n"
                                   "\n"
                                   "    /* multipliers; those of dependent rows are 0 */\n"
                                   "    for (int k = rank - 1; k >= 0; k--) {\n"
                                   "        double sum = q[k];\n"
                                   "        for (int j = 0; j < n; j++)\n"
                                   "            sum -= B[k + j * n] * z[j];\n"
                                   "        for (int j = k + 1; j < rank; j++)\n"
                                   "            sum -= C[k + j * n] * x[order[j]];\n"
                                   "        x[order[k]] = sum / C[k + k * n];\n"
                                   "    }\n"
                                   "    @_from_basis(z, C, tau, rank, n);\n"
                                   "    memcpy(dy + $_NP, z, n * sizeof *dy);\n";

static const char ending[] =
    "int @_rhs(double *dy, double t, const double *y, const double *par, double *work)\n"
    "{\n"
    "    return @_motion(dy, work, t, y, par, work + $_N);\n"
    "}\n"
    "\n"
    "int @_state(double *x, double t, const double *y, const double *par, double *work)\n"
    "{\n"
    "    return @_motion(work, x, t, y, par, work + $_N);\n"
    "}\n";

size_t dfl_c_ode_work(const dfl_source *source)
{
    const size_t n = (size_t)source->eq->nv, m = (size_t)(source->eq->nl + source->eq->nm);
    return source->no_ode ? 0 : n * n + 2 * n * m + 2 * m + 2 * n + (size_t)source->eq->n;
}

void dfl_c_ode_declare(dfl_text *text, const dfl_source *source)
{
    if (!source->no_ode)
        dfl_source_fill(text, source, declarations);
}

void dfl_c_ode_define(dfl_text *text, const dfl_source *source)
{
    const dfl_equations *eq = source->eq;
    if (source->no_ode)
        return;
    dfl_text_add(text, "\n/* ---------------------------------------------------------- ODE */\n\n"
                       "#include <float.h>\n#include <math.h>\n\n");
    if (eq->nl + eq->nm)
        dfl_source_fill(text, source, qr);
    dfl_source_fill(text, source, cholesky);
    dfl_text_add(text, "\n");
    dfl_source_fill(text, source, motion_opening);
    if (eq->nl + eq->nm) {
        dfl_source_fill(text, source, motion_project);
        if (eq->nl)
            dfl_source_fill(text, source, "    @_gI(h, t, x, par, rest);\n");
        if (eq->nm)
            dfl_source_fill(text, source, "    @_hv(h + $_NL, t, x, par, rest);\n");
        dfl_source_fill(text, source, motion_bound);
    } else
        dfl_source_fill(text, source, motion_free);
    dfl_source_fill(text, source, "    @_kin(dy, t, x, par, rest);\n");
    if (eq->nr)
        dfl_source_fill(text, source, "    @_b(dy + $_NP + n, t, x, par, rest);\n");
    dfl_source_fill(text, source, "    return 0;\n}\n\n");
    dfl_source_fill(text, source, ending);
}
