/* amalgamate.c: many C files as one.

     amalgamate OUTPUT HEADER ROOT FILE.c ...
     amalgamate OUTPUT --header ROOT HEADER.h ...

   Headers of ROOT/src are copied in where the first file includes them; those of ROOT/include are
   left to `#include "HEADER"`, unless that is -. Names that several files use for their own static
   functions, variables, types or constants get the name of their file as an ending. Macros of a
   file end with it. With --header the public headers ROOT/include/driftless/HEADER.h become one. */
#include "names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct source {
    char path[512]; /* below ROOT/src */
    char *text;
    names own; /* at file scope */
} source;

typedef struct job {
    FILE *out;
    const char *root, *header;
    source *files; /* .c files, then headers as they are met */
    int count, ncode;
} job;

static char *read_file(const char *root, const char *folder, const char *path)
{
    char full[1024];
    snprintf(full, sizeof full, "%s/%s/%s", root, folder, path);
    FILE *file = fopen(full, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        fprintf(stderr, "amalgamate: cannot read %s\n", full);
        exit(1);
    }
    const long size = ftell(file);
    rewind(file);
    char *text = calloc((size_t)size + 1, 1);
    if (!text || fread(text, 1, (size_t)size, file) != (size_t)size)
        exit(1);
    fclose(file);
    return text;
}

static int find_file(const job *j, const char *path)
{
    for (int i = 0; i < j->count; i++)
        if (!strcmp(j->files[i].path, path))
            return i;
    return -1;
}

static void add_file(job *j, const char *path)
{
    source *f = realloc(j->files, (size_t)(j->count + 1) * sizeof *f);
    if (!f)
        exit(1);
    j->files = f;
    f += j->count++;
    memset(f, 0, sizeof *f);
    snprintf(f->path, sizeof f->path, "%s", path);
    f->text = read_file(j->root, "src", path);
    names_collect(&f->own, f->text);
}

/* The path of an #include "..." line, or false. */
static bool included(char *path, size_t size, const char *line, char open)
{
    const char *at = line + strspn(line, " \t");
    if (strncmp(at, "#include", 8) != 0)
        return false;
    at += 8 + strspn(at + 8, " \t");
    if (*at != open)
        return false;
    const size_t length = strcspn(at + 1, open == '"' ? "\"\n" : ">\n");
    snprintf(path, size, "%.*s", (int)length, at + 1);
    return true;
}

/* The file below ROOT/src that a line includes and that is to be copied; or false. */
static bool copied(char *path, size_t size, const job *j, const char *line)
{
    char name[400];
    if (included(path, size, line, '"'))
        return true;
    if (strcmp(j->header, "-") != 0 || !included(name, sizeof name, line, '<') ||
        strncmp(name, "driftless/", 10) != 0)
        return false;
    snprintf(path, size, "../include/%s", name);
    return true;
}

static void load_headers(job *j)
{
    char path[512];
    for (int i = 0; i < j->count; i++)
        for (const char *line = j->files[i].text; line; line = strchr(line, '\n')) {
            line += *line == '\n';
            if (copied(path, sizeof path, j, line) && find_file(j, path) < 0)
                add_file(j, path);
            if (!*line)
                break;
        }
}

/* Names of file i that others have, too. */
static void find_shared(names *shared, const job *j, int i)
{
    for (int k = 0; k < j->files[i].own.count; k++)
        for (int o = 0; o < j->count; o++)
            if (o != i && names_have(&j->files[o].own, j->files[i].own.item[k])) {
                names_add(shared, j->files[i].own.item[k], strlen(j->files[i].own.item[k]));
                break;
            }
}

static const char *base_name(char *base, size_t size, const char *path)
{
    const char *slash = strrchr(path, '/');
    snprintf(base, size, "%s", slash ? slash + 1 : path);
    *strrchr(base, '.') = 0;
    return base;
}

static void write_file(job *j, int i, bool *written);

/* One line outside of comments that includes something; whether it was one. */
static bool write_include(job *j, const char *line, bool *written)
{
    char path[512];
    if (copied(path, sizeof path, j, line)) {
        const int header = find_file(j, path);
        if (!written[header])
            write_file(j, header, written);
        return true;
    }
    return included(path, sizeof path, line, '<') && !strncmp(path, "driftless/", 10);
}

static void write_file(job *j, int i, bool *written)
{
    const source *f = &j->files[i];
    names shared = {0}, macros = {0};
    char base[512], ending[520];
    written[i] = true;
    base_name(base, sizeof base, f->path);
    snprintf(ending, sizeof ending, "_%s", base);
    if (i < j->ncode) {
        find_shared(&shared, j, i);
        names_macros(&macros, f->text);
        fprintf(j->out, "\n/* ======== %s */\n", f->path);
    }
    for (const char *line = f->text; *line;) {
        const char *end = strchr(line, '\n');
        end = end ? end + 1 : line + strlen(line);
        if (!write_include(j, line, written)) {
            /* up to the next include, so that comments over several lines stay whole */
            char path[512];
            while (*end && !included(path, sizeof path, end, '"') &&
                   !included(path, sizeof path, end, '<')) {
                const char *next = strchr(end, '\n');
                end = next ? next + 1 : end + strlen(end);
            }
            names_write(j->out, line, end, &shared, ending);
        }
        line = end;
    }
    for (int k = 0; k < macros.count; k++)
        fprintf(j->out, "#undef %s\n", macros.item[k]);
    names_clear(&shared);
    names_clear(&macros);
}

/* Without the lines that include each other. */
static int write_headers(FILE *out, const char *root, char *const *headers, int count)
{
    char path[512];
    for (int i = 0; i < count; i++) {
        char *text = read_file(root, "include/driftless", headers[i]);
        for (const char *line = text; *line;) {
            const size_t length = strcspn(line, "\n") + 1;
            const bool own =
                included(path, sizeof path, line, '"') ||
                (included(path, sizeof path, line, '<') && !strncmp(path, "driftless/", 10));
            if (!own)
                fwrite(line, 1, length, out);
            line += length;
        }
        free(text);
    }
    return ferror(out) || fclose(out) != 0;
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr, "usage: amalgamate OUTPUT HEADER|--header ROOT FILE ...\n");
        return 2;
    }
    job j = {.out = fopen(argv[1], "wb"), .header = argv[2], .root = argv[3]};
    if (!j.out) {
        fprintf(stderr, "amalgamate: cannot write %s\n", argv[1]);
        return 1;
    }
    if (!strcmp(j.header, "--header"))
        return write_headers(j.out, j.root, argv + 4, argc - 4);
    for (int i = 4; i < argc; i++)
        add_file(&j, argv[i]);
    j.ncode = j.count;
    load_headers(&j);
    bool *written = calloc((size_t)j.count, sizeof *written);
    if (!written)
        return 1;
    fputs("/* Driftless in one file: cc -O2 driftless.c -lm\n   The sources, with their "
          "documentation, and "
          "the licence (BSD-3-Clause) are those of the project. */\n#define DFL_LAPACK 0\n"
          "#if defined(__GNUC__) && !defined(__clang__)\n"
          "#pragma GCC diagnostic ignored \"-Wpsabi\"\n#endif\n",
          j.out);
    if (strcmp(j.header, "-") != 0)
        fprintf(j.out, "#include \"%s\"\n", j.header);
    for (int i = 0; i < j.ncode; i++)
        write_file(&j, i, written);
    const bool failed = ferror(j.out) || fclose(j.out) != 0;
    for (int i = 0; i < j.count; i++) {
        names_clear(&j.files[i].own);
        free(j.files[i].text);
    }
    free(j.files);
    free(written);
    return failed;
}
