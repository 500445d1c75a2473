/* row_meanings.c: what the rows of a joint prevent, in words. */
#include "declare/declare.h"

#include <string.h>

static void print_axes(dfl_text *text, const char *before, const char *axes, int n);
static int find_axes(char *axes, const char *const *meanings, int count, const char *kind);

enum { MOST_AXES = 7 };

void dfl_print_motions(dfl_text *text, const char *const *meanings, int count)
{
    static const char *const kinds[] = {"translation", "rotation"};
    const char *before = "";
    for (int kind = 0; kind < 2; kind++) {
        char axes[MOST_AXES];
        const int n = find_axes(axes, meanings, count, kinds[kind]);
        if (n == 0)
            continue;
        print_axes(text, before, axes, n);
        dfl_text_add(text, " %s", kinds[kind]);
        before = ", ";
    }
    for (int i = 0; i < count; i++)
        if (meanings[i][1] != ' ') {
            dfl_text_add(text, "%s%s", before, meanings[i]);
            before = ", ";
        }
}

/* The axes of "x translation" and the like, in alphabetical order; returns their number. */
static int find_axes(char *axes, const char *const *meanings, int count, const char *kind)
{
    int n = 0;
    for (int i = 0; i < count && n < MOST_AXES; i++) {
        if (meanings[i][1] != ' ' || strcmp(meanings[i] + 2, kind) != 0)
            continue;
        int place = n++;
        for (; place > 0 && axes[place - 1] > meanings[i][0]; place--)
            axes[place] = axes[place - 1];
        axes[place] = meanings[i][0];
    }
    return n;
}

static void print_axes(dfl_text *text, const char *before, const char *axes, int n)
{
    for (int k = 0; k < n; k++)
        dfl_text_add(text, "%s%c", k == 0 ? before : k + 1 < n ? ", " : " and ", axes[k]);
}
