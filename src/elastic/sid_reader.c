/* sid_reader.c: standard input data of elastic bodies (Wallrapp 1994), as text.

   Blocks have order, nrow, ncol, nq, structure (0 zero, 1 diagonal, 2 symmetric, 3 full, 4 unit)
   and entries m0(row, column) and m1(row, mode, column), with D for exponents. J and mdCM, Ct, Cr,
   Me, Ke, De give the matrices of elastic.h; Oe.m1, the slope of centrifugal forces, gives J2: Oe_i
   = -om.(dJ/dq_i) om / 2. Loads stiffen a body through fields of second order: m1 of Ct, phi and
   psi, and the symmetric part of that of Cr. Gr and Ge follow from the others and are not needed.
 */
#include "elastic/elastic.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum block_kind { MDCM, J, CT, CR, ME, KE, DE, OE, ORIGIN, PHI, PSI, OTHER } block_kind;

/* Sizes: 0 stands for the number of modes. */
static const struct {
    const char *name;
    int rows, columns;
} blocks[] = {{"mdCM", 3, 1},   {"J", 6, 1},   {"Ct", 0, 3}, {"Cr", 0, 3},
              {"Me", 0, 0},     {"Ke", 0, 0},  {"De", 0, 0}, {"Oe", 0, 6},
              {"origin", 3, 1}, {"phi", 3, 0}, {"psi", 3, 0}};

typedef struct reader {
    dfl_sid *sid;
    dfl_context *ctx;
    const char *file;
    int line;
    block_kind block;
    bool open; /* within a block whose entries count */
    int structure;
    int found[OTHER];                                        /* the line of a block, 0: none */
    double Oe[6 * DFL_MOST_MODES], mdCM[3 * DFL_MOST_MODES]; /* what J and Ct say again */
    double m1[3 * DFL_MOST_MODES * DFL_MOST_MODES];          /* of the present Ct, phi or psi */
} reader;

static dfl_status read_line(reader *r, char *line);
static dfl_status read_pair(reader *r, char *key, const char *value);
static dfl_status read_entry(reader *r, char *key, const char *value);
static dfl_status begin_block(reader *r, const char *word);
static dfl_status begin_node(reader *r, const char *name);
static dfl_status read_size(reader *r, const char *key, const char *value);
static dfl_status take(reader *r, int order, int row, int mode, int column, double value);
static double *place(reader *r, int order, int row, int mode, int column, double *factor);
static dfl_status end_block(reader *r);
static void split_couplings(reader *r);
static dfl_status complete(reader *r);
static dfl_status agree(const reader *r);
static void halve(double *A, int n, double sign);
static bool number(double *out, const char *text);
static char *trim(char *text);

dfl_status dfl_sid_read(dfl_sid *sid, dfl_context *ctx, const char *file, const char *text)
{
    enum { LONGEST = 400 };
    reader *r = dfl_alloc(ctx, 1, sizeof *r);
    if (!r)
        return DFL_NO_MEMORY;
    *r = (reader){.sid = sid, .ctx = ctx, .file = file, .block = OTHER};
    dfl_status status = DFL_OK;
    memset(sid, 0, sizeof *sid);
    while (*text && !status) {
        const size_t length = strcspn(text, "\n");
        char line[LONGEST];
        r->line++;
        const size_t kept = length < LONGEST ? length : LONGEST - 1;
        memcpy(line, text, kept);
        line[kept] = '\0';
        if (r->line > 1) /* a title */
            status = length < LONGEST
                         ? read_line(r, trim(line))
                         : dfl_fail(ctx, DFL_INVALID, "%s:%d: the line is too long", file, r->line);
        text += length + (text[length] == '\n');
    }
    if (!status)
        status = complete(r);
    dfl_free(ctx, r);
    return status;
}

static dfl_status read_line(reader *r, char *line)
{
    char *equals = strchr(line, '=');
    if (!*line)
        return DFL_OK;
    if (strncmp(line, "end ", 4) == 0)
        return end_block(r);
    if (!equals)
        return begin_block(r, line);
    *equals = '\0';
    return read_pair(r, trim(line), trim(equals + 1));
}

static dfl_status begin_block(reader *r, const char *word)
{
    const dfl_status status = end_block(r);
    if (status)
        return status;
    for (int k = 0; k < OTHER; k++)
        if (strcmp(word, blocks[k].name) == 0)
            r->block = (block_kind)k;
    r->open = r->block != OTHER;
    r->structure = 3;
    if (!r->open)
        return DFL_OK;
    if (r->sid->n == 0)
        return dfl_fail(r->ctx, DFL_INVALID, "%s:%d: block %s comes before nelastq", r->file,
                        r->line, word);
    if (r->block >= ORIGIN && r->sid->nnodes == 0)
        return dfl_fail(r->ctx, DFL_INVALID, "%s:%d: block %s is outside of a node", r->file,
                        r->line, word);
    r->found[r->block] = r->line;
    return DFL_OK;
}

static dfl_status read_pair(reader *r, char *key, const char *value)
{
    double x = 0.0;
    if (strcmp(key, "new node") == 0)
        return begin_node(r, value);
    if (strcmp(key, "mass") == 0 || strcmp(key, "nelastq") == 0) {
        if (!number(&x, value) || !(x > 0.0))
            return dfl_fail(r->ctx, DFL_INVALID, "%s:%d: %s is '%.40s', not a positive number",
                            r->file, r->line, key, value);
        if (key[0] == 'm')
            r->sid->mass = x;
        else if (x > DFL_MOST_MODES || x != floor(x))
            return dfl_fail(r->ctx, DFL_INVALID, "%s:%d: nelastq is %g; 1 to %d modes are possible",
                            r->file, r->line, x, DFL_MOST_MODES);
        else
            r->sid->n = (int)x;
        return DFL_OK;
    }
    if (!r->open)
        return DFL_OK;
    if (key[0] == 'm' && (key[1] == '0' || key[1] == '1'))
        return read_entry(r, key, value);
    return read_size(r, key, value);
}

static dfl_status begin_node(reader *r, const char *name)
{
    if (r->sid->nnodes == DFL_MOST_SID_NODES)
        return dfl_fail(r->ctx, DFL_INVALID, "%s:%d: more than %d nodes; leave some out", r->file,
                        r->line, DFL_MOST_SID_NODES);
    if (strlen(name) >= DFL_LONGEST_SID_NAME || !*name)
        return dfl_fail(r->ctx, DFL_INVALID, "%s:%d: a node needs a name of up to %d characters",
                        r->file, r->line, DFL_LONGEST_SID_NAME - 1);
    strcpy(r->sid->node[r->sid->nnodes++].name, name);
    return DFL_OK;
}

/* nrow, ncol and nq must be those of the block; structure 4 is a unit matrix. */
static dfl_status read_size(reader *r, const char *key, const char *value)
{
    const int n = r->sid->n;
    const int rows = blocks[r->block].rows ? blocks[r->block].rows : n;
    const int columns = blocks[r->block].columns ? blocks[r->block].columns : n;
    const int wanted = strcmp(key, "nrow") == 0   ? rows
                       : strcmp(key, "ncol") == 0 ? columns
                       : strcmp(key, "nq") == 0   ? n
                                                  : -1;
    double x = 0.0;
    if (!number(&x, value))
        return dfl_fail(r->ctx, DFL_INVALID, "%s:%d: %s is '%.40s', not a number", r->file, r->line,
                        key, value);
    if (wanted >= 0 && x != wanted)
        return dfl_fail(r->ctx, DFL_INVALID, "%s:%d: %s of %s is %g; with %d modes it is %d",
                        r->file, r->line, key, blocks[r->block].name, x, n, wanted);
    if (strcmp(key, "structure") != 0)
        return DFL_OK;
    if (!(x >= 0.0 && x <= 4.0) || x != floor(x) || (x == 4.0 && rows != columns))
        return dfl_fail(r->ctx, DFL_INVALID, "%s:%d: structure is %g; there are 0 to 4", r->file,
                        r->line, x);
    r->structure = (int)x;
    dfl_status status = DFL_OK;
    for (int i = 1; i <= rows && r->structure == 4 && !status; i++)
        status = take(r, 0, i, 0, i, 1.0);
    return status;
}

/* m0( i, j) or m1( i, k, j) */
static dfl_status read_entry(reader *r, char *key, const char *value)
{
    const int order = key[1] - '0', wanted = 2 + order;
    long index[3] = {0};
    int count = 0;
    double x = 0.0;
    char *at = key + 2 + strspn(key + 2, " ");
    bool fine = *at == '(';
    while (fine && count < wanted) {
        char *end;
        index[count++] = strtol(at + 1, &end, 10);
        fine = end > at + 1;
        at = end + strspn(end, " ");
        fine = fine && *at == (count < wanted ? ',' : ')');
    }
    if (!fine || !number(&x, value))
        return dfl_fail(r->ctx, DFL_INVALID,
                        "%s:%d: '%.40s = %.40s' is not an entry such as m%d(%s) = 1.5D+00", r->file,
                        r->line, key, value, order, order ? "1, 1, 1" : "1, 1");
    const int n = r->sid->n, column = order ? 2 : 1;
    const int rows = blocks[r->block].rows ? blocks[r->block].rows : n;
    const int columns = blocks[r->block].columns ? blocks[r->block].columns : n;
    if (index[0] < 1 || index[0] > rows || index[column] < 1 || index[column] > columns ||
        (order && (index[1] < 1 || index[1] > n)))
        return dfl_fail(r->ctx, DFL_INVALID, "%s:%d: %s of %s is outside of %d rows, %d columns%s",
                        r->file, r->line, key, blocks[r->block].name, rows, columns,
                        order ? " and the modes" : "");
    return take(r, order, (int)index[0], (int)index[1], (int)index[column], x);
}

static dfl_status take(reader *r, int order, int row, int mode, int column, double value)
{
    double factor = 1.0, *out = place(r, order, row - 1, mode - 1, column - 1, &factor);
    if (out)
        *out = factor * value;
    if (out && order == 0 && r->structure == 2 && row != column) {
        out = place(r, 0, column - 1, 0, row - 1, &factor);
        if (out)
            *out = value;
    }
    return DFL_OK;
}

/* Where an entry belongs, or NULL. */
static double *place(reader *r, int order, int row, int mode, int column, double *factor)
{
    static const int oe[] = {0, 1, 2, 3, 5, 4}; /* xx yy zz xy yz xz */
    dfl_sid *s = r->sid;
    dfl_sid_node *node = s->nnodes ? &s->node[s->nnodes - 1] : NULL;
    const int n = s->n;
    switch (r->block) {
    case MDCM:
        return order ? &r->mdCM[row * n + mode] : &s->moment[row];
    case J:
        return order ? &s->J1[row * n + mode] : &s->inertia[row];
    case CT:
        return order ? &r->m1[(column * n + row) * n + mode] : &s->S[column * n + row];
    case CR:
        return order ? &s->C1[(column * n + mode) * n + row] : &s->C0[column * n + row];
    case ME:
        return order ? NULL : &s->Me[row * n + column];
    case KE:
        return order ? NULL : &s->K[row * n + column];
    case DE:
        return order ? NULL : &s->D[row * n + column];
    case OE:
        *factor = order == 0 ? 1.0 : column < 3 ? -1.0 : -0.5;
        return order ? &s->J2[(oe[column] * n + row) * n + mode] : &r->Oe[oe[column] * n + row];
    case ORIGIN:
        return order ? NULL : &node->at[row];
    case PHI:
        return order ? &r->m1[(row * n + column) * n + mode] : &node->phi[row * n + column];
    case PSI:
        return order ? &r->m1[(row * n + column) * n + mode] : &node->psi[row * n + column];
    default:
        return NULL;
    }
}

/* Fields of second order: m1 of Ct, phi and psi, which are symmetric. */
static dfl_status end_block(reader *r)
{
    const block_kind block = r->open ? r->block : OTHER;
    const int n = r->sid->n;
    dfl_sid_node *node = r->sid->nnodes ? &r->sid->node[r->sid->nnodes - 1] : NULL;
    double *out = block == CT    ? r->sid->S2
                  : block == PHI ? node->phi2
                  : block == PSI ? node->psi2
                                 : NULL;
    double size = 0.0, apart = 0.0;
    for (int a = 0; a < 3 && out; a++)
        for (int i = 0; i < n; i++)
            for (int k = i; k < n; k++) {
                const double x = r->m1[(a * n + i) * n + k], y = r->m1[(a * n + k) * n + i];
                out[a * DFL_MOST_PAIRS + dfl_mode_pair(n, i, k)] = 0.5 * (x + y);
                size = fmax(size, fmax(fabs(x), fabs(y)));
                apart = fmax(apart, fabs(x - y));
            }
    r->sid->stiffened = r->sid->stiffened || size > 0.0;
    if (out)
        memset(r->m1, 0, sizeof r->m1);
    r->open = false;
    r->block = OTHER;
    if (apart > 1e-6 * size)
        return dfl_fail(r->ctx, DFL_INVALID,
                        "%s:%d: m1 of %s is not symmetric: entries of two modes differ by %g of %g",
                        r->file, r->found[block], blocks[block].name, apart, size);
    return DFL_OK;
}

/* Where loads stiffen the body, the symmetric part of Cr.m1 is that of second order. */
static void split_couplings(reader *r)
{
    dfl_sid *s = r->sid;
    const int n = s->n;
    for (int a = 0; a < 3 && s->stiffened; a++)
        for (int i = 0; i < n; i++)
            for (int k = i; k < n; k++) {
                double *x = &s->C1[(a * n + i) * n + k], *y = &s->C1[(a * n + k) * n + i];
                const double even = 0.5 * (*x + *y);
                s->C2[a * DFL_MOST_PAIRS + dfl_mode_pair(n, i, k)] = even;
                *x -= even;
                if (i != k)
                    *y -= even;
            }
}

/* Nothing is missing and nothing contradicts; rounding errors of C1 and J2 vanish. */
static dfl_status complete(reader *r)
{
    static const block_kind needed[] = {J, CT, CR, ME, KE};
    dfl_sid *s = r->sid;
    const int n = s->n;
    if (n == 0 || !(s->mass > 0.0))
        return dfl_fail(r->ctx, DFL_INVALID, "%s:%d: the file ends without %s: is it a SID file?",
                        r->file, r->line, n ? "mass" : "nelastq");
    for (size_t k = 0; k < sizeof needed / sizeof *needed; k++)
        if (!r->found[needed[k]])
            return dfl_fail(r->ctx, DFL_INVALID, "%s:%d: the file ends without the block %s",
                            r->file, r->line, blocks[needed[k]].name);
    split_couplings(r);
    const dfl_status status = agree(r);
    if (status)
        return status;
    s->line = r->found[ME];
    for (int a = 0; a < 6; a++)
        halve(s->J2 + a * n * n, n, 1.0);
    for (int a = 0; a < 3; a++)
        halve(s->C1 + a * n * n, n, -1.0);
    halve(s->Me, n, 1.0);
    halve(s->K, n, 1.0);
    halve(s->D, n, 1.0);
    return DFL_OK;
}

/* The (anti)symmetric part of a matrix. */
static void halve(double *A, int n, double sign)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k <= i; k++) {
            A[i * n + k] = 0.5 * (A[i * n + k] + sign * A[k * n + i]);
            A[k * n + i] = sign * A[i * n + k];
        }
}

/* Me, Ke and De are symmetric, C1 antisymmetric (unless loads stiffen the body); J.m1 is -2 Oe.m0,
   -Oe.m0 where axes differ, and mdCM.m1 is Ct^T. */
static dfl_status agree(const reader *r)
{
    const dfl_sid *s = r->sid;
    const int n = s->n;
    const struct {
        const double *A;
        block_kind block;
        double sign;
    } square[] = {{s->Me, ME, 1.0},  {s->K, KE, 1.0},           {s->D, DE, 1.0},
                  {s->C1, CR, -1.0}, {s->C1 + n * n, CR, -1.0}, {s->C1 + 2 * n * n, CR, -1.0}};
    for (size_t m = 0; m < sizeof square / sizeof *square; m++) {
        const double *A = square[m].A;
        double size = 0.0, apart = 0.0;
        for (int i = 0; i < n; i++)
            for (int k = 0; k < n; k++) {
                size = fmax(size, fabs(A[i * n + k]));
                apart = fmax(apart, fabs(A[i * n + k] - square[m].sign * A[k * n + i]));
            }
        if (square[m].block == CR) /* small by nature: against products of modes */
            size = fmax(size, s->Me[0]);
        if (apart > 1e-6 * size)
            return dfl_fail(r->ctx, DFL_INVALID, "%s:%d: block %s is not %s: entries differ by %g",
                            r->file, r->found[square[m].block], blocks[square[m].block].name,
                            square[m].sign > 0.0 ? "symmetric" : "antisymmetric", apart);
    }
    double size[2] = {0.0}, apart[2] = {0.0};
    for (int a = 0; a < 6; a++)
        for (int i = 0; i < n; i++) {
            const double x = s->J1[a * n + i], y = -(a < 3 ? 2.0 : 1.0) * r->Oe[a * n + i];
            size[0] = fmax(size[0], fmax(fabs(x), fabs(y)));
            apart[0] = fmax(apart[0], fabs(x - y));
            if (a >= 3)
                continue;
            size[1] = fmax(size[1], fabs(s->S[a * n + i]));
            apart[1] = fmax(apart[1], fabs(s->S[a * n + i] - r->mdCM[a * n + i]));
        }
    if (r->found[OE] && apart[0] > 1e-6 * size[0])
        return dfl_fail(r->ctx, DFL_INVALID,
                        "%s:%d: m0 of Oe is not what m1 of J says: they differ by %g of %g",
                        r->file, r->found[OE], apart[0], size[0]);
    if (r->found[MDCM] && apart[1] > 1e-6 * size[1])
        return dfl_fail(r->ctx, DFL_INVALID,
                        "%s:%d: m1 of mdCM is not the transpose of Ct: they differ by %g of %g",
                        r->file, r->found[MDCM], apart[1], size[1]);
    return DFL_OK;
}

/* A finite number with E or D before its exponent, and nothing behind it. */
static bool number(double *out, const char *text)
{
    enum { LONGEST = 60 };
    char copy[LONGEST], *end;
    if (!*text || strlen(text) >= LONGEST)
        return false;
    strcpy(copy, text);
    for (char *c = copy; *c; c++)
        if (*c == 'D' || *c == 'd')
            *c = 'e';
    *out = strtod(copy, &end);
    return end > copy && *end == '\0' && isfinite(*out);
}

static char *trim(char *text)
{
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
    return text + strspn(text, " \t\r");
}
