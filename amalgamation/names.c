/* names.c: a reader of C that knows as much as amalgamate.c needs: tokens, brackets, declarations
   at the outermost level. */
#include "names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Names with the prefix of the project are unique. */
static void keep(names *list, const char *name, size_t length)
{
    if (strncmp(name, "dfl_", 4) != 0 && strncmp(name, "DFL_", 4) != 0)
        names_add(list, name, length);
}

void names_add(names *list, const char *name, size_t length)
{
    char **item = realloc(list->item, (size_t)(list->count + 1) * sizeof *item);
    char *copy = calloc(length + 1, 1);
    if (!item || !copy)
        exit(1);
    memcpy(copy, name, length);
    list->item = item;
    list->item[list->count++] = copy;
}

bool names_have(const names *list, const char *name)
{
    for (int i = 0; i < list->count; i++)
        if (!strcmp(list->item[i], name))
            return true;
    return false;
}

void names_clear(names *list)
{
    for (int i = 0; i < list->count; i++)
        free(list->item[i]);
    free(list->item);
    *list = (names){0};
}

/* ------------------------------------------------------------------------------- tokens */

typedef struct token {
    const char *at;
    size_t length;
    char kind; /* 'i' identifier, '#' directive, '"' text, ' ' space and comments, '0' number, or
                  the character itself; 0 at the end */
} token;

static size_t quoted_length(const char *at)
{
    size_t n = 1;
    while (at[n] && at[n] != *at)
        n += at[n] == '\\' && at[n + 1] ? 2 : 1;
    return n + 1;
}

static size_t comment_length(const char *at)
{
    const char *end = at[1] == '/' ? strchr(at, '\n') : strstr(at + 2, "*/");
    if (!end)
        return strlen(at);
    return (size_t)(end - at) + (at[1] == '/' ? 0 : 2);
}

static token next_token(const char *at)
{
    token t = {at, 1, *at};
    if (!*at)
        return t;
    if (isspace((unsigned char)*at)) {
        t.kind = ' ';
    } else if (at[0] == '/' && (at[1] == '*' || at[1] == '/')) {
        t.kind = ' ';
        t.length = comment_length(at);
    } else if (*at == '"' || *at == '\'') {
        t.kind = '"';
        t.length = quoted_length(at);
    } else if (isalpha((unsigned char)*at) || *at == '_') {
        t.kind = 'i';
        while (isalnum((unsigned char)at[t.length]) || at[t.length] == '_')
            t.length++;
    } else if (isdigit((unsigned char)*at)) {
        t.kind = '0';
        while (isalnum((unsigned char)at[t.length]) || at[t.length] == '.' ||
               ((at[t.length] == '-' || at[t.length] == '+') && strchr("eEpP", at[t.length - 1]) &&
                at[1] != 'x'))
            t.length++;
    } else if (at[0] == '-' && at[1] == '>') {
        t.kind = '.';
        t.length = 2;
    }
    return t;
}

static bool is(const token *t, const char *word)
{
    return t->length == strlen(word) && !strncmp(t->at, word, t->length);
}

/* The next token that is neither space nor a directive. */
static token next_code(const char **at)
{
    token t = next_token(*at);
    while (t.kind == ' ' || t.kind == '#') {
        size_t length = t.length;
        while (t.kind == '#' && t.at[length] && !(t.at[length] == '\n' && t.at[length - 1] != '\\'))
            length++;
        t = next_token(t.at + length);
    }
    *at = t.at + t.length;
    return t;
}

/* Past the bracket that closes the one before `at`. */
static void skip_brackets(const char **at)
{
    int depth = 1;
    while (depth > 0) {
        const token t = next_code(at);
        if (!t.kind)
            return;
        depth += (t.kind == '(' || t.kind == '{' || t.kind == '[') -
                 (t.kind == ')' || t.kind == '}' || t.kind == ']');
    }
}

/* ------------------------------------------------------------------------------- declarations */

static void collect_constants(names *out, const char **at)
{
    bool expected = true;
    for (;;) {
        const token t = next_code(at);
        if (!t.kind || t.kind == '}')
            return;
        if (t.kind == 'i' && expected)
            keep(out, t.at, t.length);
        expected = t.kind == ',';
        if (t.kind == '(')
            skip_brackets(at);
    }
}

/* The rest of a declaration after its first token; `kept`: its names belong to the file. */
typedef struct declaration {
    bool is_static, is_type, named;
    token last; /* the last identifier */
} declaration;

static void name_declared(names *out, declaration *d)
{
    if (!d->named && d->last.kind == 'i' && (d->is_static || d->is_type))
        keep(out, d->last.at, d->last.length);
    d->named = true;
}

/* struct TAG {...}, enum {...}: names inside; `at` is behind the keyword. */
static void collect_tag(names *out, const char **at, bool enumeration)
{
    const char *ahead = *at;
    token t = next_code(&ahead);
    const token tag = t;
    if (t.kind == 'i')
        t = next_code(&ahead);
    if (t.kind != '{')
        return;
    if (tag.kind == 'i')
        keep(out, tag.at, tag.length);
    *at = ahead;
    if (enumeration)
        collect_constants(out, at);
    else
        skip_brackets(at);
}

/* A declaration begins at *at; false at the end of the text. */
static bool collect_declaration(names *out, const char **at)
{
    declaration d = {0};
    bool body = false;
    for (;;) {
        const token t = next_code(at);
        if (!t.kind)
            return false;
        if (t.kind == ';') {
            name_declared(out, &d);
            return true;
        }
        if (t.kind == 'i' && (is(&t, "__attribute__") || is(&t, "_Static_assert"))) {
            next_code(at);
            skip_brackets(at);
        } else if (t.kind == 'i' && (is(&t, "struct") || is(&t, "union") || is(&t, "enum"))) {
            collect_tag(out, at, is(&t, "enum"));
        } else if (t.kind == 'i') {
            d.is_static = d.is_static || is(&t, "static");
            d.is_type = d.is_type || is(&t, "typedef");
            if (!d.named)
                d.last = t;
        } else if (t.kind == '(' && d.is_type) { /* typedef int (*name)(...) */
            const char *ahead = *at;
            if (next_code(&ahead).kind == '*') {
                d.last = next_code(&ahead);
                name_declared(out, &d);
            }
            skip_brackets(at);
        } else if (t.kind == '(' || t.kind == '=' || t.kind == '[' || t.kind == ',') {
            if (!(d.is_type && t.kind == '='))
                name_declared(out, &d);
            d.named = t.kind != ','; /* another one follows */
            body = t.kind == '(';
            if (t.kind == '(' || t.kind == '[')
                skip_brackets(at);
        } else if (t.kind == '{') {
            skip_brackets(at);
            if (body)
                return true;
        }
    }
}

void names_collect(names *out, const char *text)
{
    while (collect_declaration(out, &text))
        ;
}

void names_macros(names *out, const char *text)
{
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, "#define ", 8) == 0) {
            const token t = next_token(line + 8);
            names_add(out, t.at, t.length);
        }
    }
}

/* ------------------------------------------------------------------------------- writing */

static bool in_list(const names *list, const token *t)
{
    for (int i = 0; i < list->count; i++)
        if (is(t, list->item[i]))
            return true;
    return false;
}

/* Depth of brackets, and the depth at which the innermost body of a structure is; 0: none. */
typedef struct place {
    int depth, structure;
    bool keyword; /* `struct` was read, its body may follow */
} place;

static void move_on(place *p, const token *t)
{
    if (t->kind == 'i' && (is(t, "struct") || is(t, "union")))
        p->keyword = true;
    else if (t->kind == ';' || t->kind == ')' || t->kind == '*' || t->kind == '=')
        p->keyword = false;
    if (t->kind == '{') {
        p->depth++;
        if (p->keyword && !p->structure)
            p->structure = p->depth;
        p->keyword = false;
    } else if (t->kind == '}') {
        p->structure = p->structure == p->depth ? 0 : p->structure;
        p->depth--;
    }
}

void names_write(FILE *out, const char *from, const char *to, const names *shared,
                 const char *ending)
{
    place p = {0};
    char before = 0; /* kind of the last token that is no space */
    while (from < to) {
        const token t = next_token(from);
        bool rename = t.kind == 'i' && before != '.' && in_list(shared, &t);
        if (rename && p.structure) { /* a member, unless it is the type of one */
            const char *ahead = t.at + t.length;
            const char next = next_code(&ahead).kind;
            rename = next == 'i' || next == '*';
        }
        move_on(&p, &t);
        fwrite(t.at, 1, t.length, out);
        if (rename)
            fputs(ending, out);
        before = t.kind == ' ' ? before : t.kind;
        from += t.length;
    }
}
