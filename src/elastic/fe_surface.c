/* fe_surface.c: the surface of solids and shells of an input file of CalculiX or Abaqus: faces that
   belong to one element alone, and their edges where the surface has a fold of more than 30 degrees
   or an end. */
#include "elastic/elastic.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 20, MOST_FACES = 6, MOST_NUMBERS = 1 + MOST_NODES };

/* Kinds of elements by the beginning of their names; faces by corners, from 0, ended by -1. */
typedef struct element_kind {
    const char *type;
    int nodes, nfaces, face[MOST_FACES][4];
} element_kind;

static const element_kind kinds[] = {
    {"C3D20",
     20,
     6,
     {{0, 1, 2, 3}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}},
    {"C3D8",
     8,
     6,
     {{0, 1, 2, 3}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}},
    {"C3D15", 15, 5, {{0, 1, 2, -1}, {3, 4, 5, -1}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}}},
    {"C3D6", 6, 5, {{0, 1, 2, -1}, {3, 4, 5, -1}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}}},
    {"C3D10", 10, 4, {{0, 1, 2, -1}, {0, 1, 3, -1}, {1, 2, 3, -1}, {2, 0, 3, -1}}},
    {"C3D4", 4, 4, {{0, 1, 2, -1}, {0, 1, 3, -1}, {1, 2, 3, -1}, {2, 0, 3, -1}}},
    {"S8", 8, 1, {{0, 1, 2, 3}}},
    {"S6", 6, 1, {{0, 1, 2, -1}}},
    {"S4", 4, 1, {{0, 1, 2, 3}}},
    {"S3", 3, 1, {{0, 1, 2, -1}}}};

typedef struct face {
    int key[4];  /* nodes by number, for comparison; -1: a triangle */
    int node[4]; /* in order */
} face;

typedef struct edge {
    int a, b; /* a < b */
    double normal[3];
} edge;

typedef struct surface {
    dfl_fe *fe;
    const char *file;
    int nfaces, face_room;
    face *face;
} surface;

static dfl_status read_faces(surface *s, const char *text);
static dfl_status add_element(surface *s, const element_kind *kind, const double *x, int line);
static int compare_faces(const void *a, const void *b);
static int compare_edges(const void *a, const void *b);
static dfl_status find_edges(surface *s);

dfl_status dfl_fe_read_elements(dfl_fe *fe, const char *file, const char *text)
{
    surface s = {.fe = fe, .file = file};
    dfl_status status = read_faces(&s, text);
    if (!status && s.nfaces > 0)
        status = find_edges(&s);
    dfl_free(fe->ctx, s.face);
    return status;
}

/* ------------------------------------------------------------------ text */

/* The kind that TYPE= of a line *ELEMENT names, or NULL. */
static const element_kind *kind_of(const char *line, size_t length)
{
    char upper[200] = {0};
    for (size_t i = 0, k = 0; i < length && k + 1 < sizeof upper; i++)
        if (!isspace((unsigned char)line[i]))
            upper[k++] = (char)toupper((unsigned char)line[i]);
    const char *type = strncmp(upper, "*ELEMENT,", 9) == 0 ? strstr(upper, ",TYPE=") : NULL;
    for (size_t k = 0; type && k < sizeof kinds / sizeof *kinds; k++) {
        const size_t n = strlen(kinds[k].type);
        if (strncmp(type + 6, kinds[k].type, n) == 0 && !isdigit((unsigned char)type[6 + n]))
            return &kinds[k];
    }
    return NULL;
}

/* Numbers of one line, behind the `have` that are there. */
static int take_numbers(double *x, int have, const char *from, const char *end)
{
    while (from < end && have < MOST_NUMBERS) {
        char *next;
        const double value = strtod(from, &next);
        if (next == from || next > end)
            break;
        x[have++] = value;
        from = next + strspn(next, " \t\r,");
    }
    return have;
}

/* An element may go on in the next line. */
static dfl_status read_faces(surface *s, const char *text)
{
    const element_kind *kind = NULL;
    double x[MOST_NUMBERS];
    int have = 0, line = 0;
    dfl_status status = DFL_OK;
    for (const char *at = text; *at && !status; line++) {
        const size_t length = strcspn(at, "\n");
        if (at[0] == '*' && at[1] != '*') {
            kind = kind_of(at, length);
            have = 0;
        } else if (kind && at[0] != '*') {
            have = take_numbers(x, have, at, at + length);
            if (have == 1 + kind->nodes) {
                status = add_element(s, kind, x, line + 1);
                have = 0;
            }
        }
        at += length + (at[length] == '\n');
    }
    return status;
}

static dfl_status add_element(surface *s, const element_kind *kind, const double *x, int line)
{
    int node[MOST_NODES];
    for (int k = 0; k < kind->nodes; k++) {
        node[k] = x[1 + k] >= 1.0 && x[1 + k] <= 2147483647.0
                      ? dfl_fe_find_node(s->fe, (int)x[1 + k])
                      : -1;
        if (node[k] < 0)
            return dfl_fail(s->fe->ctx, DFL_INVALID,
                            "%s:%d: an element has the node %g, which is missing", s->file, line,
                            x[1 + k]);
    }
    for (int f = 0; f < kind->nfaces; f++) {
        face *all = dfl_grow(s->fe->ctx, s->face, &s->face_room, s->nfaces, sizeof *all);
        if (!all)
            return DFL_NO_MEMORY;
        s->face = all;
        face *to = &all[s->nfaces++];
        for (int k = 0; k < 4; k++)
            to->key[k] = to->node[k] = kind->face[f][k] < 0 ? -1 : node[kind->face[f][k]];
        for (int i = 1; i < 4; i++) /* few: insertion */
            for (int k = i; k > 0 && to->key[k] < to->key[k - 1]; k--) {
                const int swap = to->key[k];
                to->key[k] = to->key[k - 1];
                to->key[k - 1] = swap;
            }
    }
    return DFL_OK;
}

/* ------------------------------------------------------------------ faces and edges */

static int compare_faces(const void *a, const void *b)
{
    const face *x = a, *y = b;
    for (int k = 0; k < 4; k++)
        if (x->key[k] != y->key[k])
            return x->key[k] < y->key[k] ? -1 : 1;
    return 0;
}

static int compare_edges(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    return x->a != y->a ? (x->a < y->a ? -1 : 1) : (x->b > y->b) - (x->b < y->b);
}

/* Unit vector across a face; its sign does not matter. */
static void normal_of(double out[3], const dfl_fe *fe, const face *f)
{
    const double *p = fe->at + 3 * (size_t)f->node[0], *q = fe->at + 3 * (size_t)f->node[1];
    const double *r = fe->at + 3 * (size_t)f->node[2];
    double size = 0.0;
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        out[a] = (q[b] - p[b]) * (r[c] - p[c]) - (q[c] - p[c]) * (r[b] - p[b]);
        size = hypot(size, out[a]);
    }
    for (int a = 0; a < 3; a++)
        out[a] = size > 0.0 ? out[a] / size : 0.0;
}

static void add_edges(edge *edges, int *count, const dfl_fe *fe, const face *f)
{
    const int corners = f->node[3] < 0 ? 3 : 4;
    double normal[3];
    normal_of(normal, fe, f);
    for (int k = 0; k < corners; k++) {
        const int a = f->node[k], b = f->node[(k + 1) % corners];
        edge *to = &edges[(*count)++];
        *to = (edge){.a = a < b ? a : b, .b = a < b ? b : a};
        memcpy(to->normal, normal, sizeof normal);
    }
}

/* Whether the faces of the edges from `first` on, which are `count`, lie in one plane. */
static bool is_flat(const edge *first, int count)
{
    double cosine = 0.0;
    for (int a = 0; a < 3 && count == 2; a++)
        cosine += first[0].normal[a] * first[1].normal[a];
    return fabs(cosine) > 0.866;
}

static dfl_status find_edges(surface *s)
{
    dfl_fe *fe = s->fe;
    int count = 0;
    edge *edges = dfl_alloc(fe->ctx, 4 * (size_t)s->nfaces, sizeof *edges);
    if (!edges)
        return DFL_NO_MEMORY;
    qsort(s->face, (size_t)s->nfaces, sizeof *s->face, compare_faces);
    for (int k = 0; k < s->nfaces; k++) {
        const bool before = k > 0 && compare_faces(&s->face[k - 1], &s->face[k]) == 0;
        const bool after = k + 1 < s->nfaces && compare_faces(&s->face[k], &s->face[k + 1]) == 0;
        if (!before && !after)
            add_edges(edges, &count, fe, &s->face[k]);
    }
    qsort(edges, (size_t)count, sizeof *edges, compare_edges);
    fe->edge = dfl_alloc(fe->ctx, 2 * (size_t)count + 1, sizeof *fe->edge);
    dfl_status status = fe->edge ? DFL_OK : DFL_NO_MEMORY;
    for (int k = 0, next; k < count && !status; k = next) {
        for (next = k + 1; next < count && compare_edges(&edges[k], &edges[next]) == 0;)
            next++;
        if (is_flat(&edges[k], next - k))
            continue;
        fe->edge[2 * fe->nedges] = edges[k].a;
        fe->edge[2 * fe->nedges++ + 1] = edges[k].b;
    }
    dfl_free(fe->ctx, edges);
    return status;
}
