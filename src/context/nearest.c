/* nearest.c: the word nearest to a misspelt one. */
#include "context/context.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { LONGEST_WORD = 100 };

static int distance(const char *a, const char *b);
static bool same(char a, char b);

const char *dfl_nearest_word(const char *word, const char *const *words, int count)
{
    const char *nearest = NULL;
    int best = 0;
    for (int i = 0; i < count; i++)
        if (dfl_nearer_word(&best, word, words[i]))
            nearest = words[i];
    return nearest;
}

bool dfl_nearer_word(int *best, const char *word, const char *candidate)
{
    const size_t length = strlen(word), other = strlen(candidate);
    const size_t longest = length > other ? length : other;
    if (longest > LONGEST_WORD || length == 0)
        return false;
    const int d = distance(word, candidate);
    const int limit = longest < 4 ? 1 : (int)longest / 3;
    if (d > limit || d >= (int)longest || (*best && d + 1 >= *best))
        return false;
    *best = d + 1;
    return true;
}

/* Letters inserted, deleted, replaced or swapped with their neighbour (optimal string alignment);
   at most LONGEST_WORD letters each. */
static int distance(const char *a, const char *b)
{
    int row[3][LONGEST_WORD + 1];
    const int na = (int)strlen(a), nb = (int)strlen(b);
    for (int j = 0; j <= nb; j++)
        row[0][j] = j;
    for (int i = 1; i <= na; i++) {
        int *now = row[i % 3];
        const int *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= nb; j++) {
            int least = last[j - 1] + (!same(a[i - 1], b[j - 1]));
            least = last[j] + 1 < least ? last[j] + 1 : least;
            least = now[j - 1] + 1 < least ? now[j - 1] + 1 : least;
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]) &&
                before[j - 2] + 1 < least)
                least = before[j - 2] + 1;
            now[j] = least;
        }
    }
    return row[na % 3][nb];
}

/* Capitals do not matter. */
static bool same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}
