/* names.h: identifiers of C files. */
#ifndef AMALGAMATION_NAMES_H
#define AMALGAMATION_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct names {
    char **item;
    int count;
} names;

void names_add(names *list, const char *name, size_t length);
bool names_have(const names *list, const char *name);
void names_clear(names *list);

/* What a file defines at its outermost level and keeps for itself: static functions and variables,
   types, tags, constants of enumerations. */
void names_collect(names *out, const char *text);

/* The macros that it defines. */
void names_macros(names *out, const char *text);

/* Writes the text from..to; identifiers of `shared` get an ending, unless they are members of a
   structure. */
void names_write(FILE *out, const char *from, const char *to, const names *shared,
                 const char *ending);

#endif
