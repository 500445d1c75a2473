/* print_name.c: names and numbers in both notations.

   In LaTeX a name is a letter, a Greek letter or a word, and what follows it is an index: x1
   becomes x_{1}, alpha_left \alpha_{\mathrm{left}}, j1.q j_{1,\mathrm{q}}, lambda(rod)
   \lambda_{\mathrm{rod}}; der(...) becomes a dot. */
#include "symbolic/print.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void latex_name(dfl_text *text, const char *name, size_t length);
static size_t argument_of(const char *function, const char *name, size_t length);
static size_t word_length(const char *name, size_t length);
static void latex_base(dfl_text *text, const char *word, size_t length);
static bool is_greek(const char *word, size_t length);
static void latex_index(dfl_text *text, const char *name, size_t length);
static void latex_roman(dfl_text *text, const char *bytes, size_t length);

void dfl_print_name(dfl_text *text, const char *name, dfl_notation notation)
{
    if (notation == DFL_TEXT)
        dfl_text_add(text, "%s", name);
    else
        latex_name(text, name, strlen(name));
}

void dfl_print_part_name(dfl_text *text, const dfl_names *names, int i, dfl_notation notation)
{
    for (int k = 0; k < names->letters; k++)
        dfl_text_add(text, "z");
    dfl_text_add(text, notation == DFL_TEXT ? "%d" : "_{%d}", i + 1);
}

void dfl_print_number(dfl_text *text, double value, dfl_notation notation)
{
    char digits[40];
    int precision = 15;
    do
        snprintf(digits, sizeof digits, "%.*g", precision, value);
    while (precision++ < 17 && strtod(digits, NULL) != value);
    char *exponent = strchr(digits, 'e');
    if (notation == DFL_TEXT)
        dfl_text_add(text, "%s", digits);
    else if (!isfinite(value))
        dfl_text_add(text, isnan(value) ? "\\mathrm{nan}" : value > 0 ? "\\infty" : "-\\infty");
    else if (!exponent)
        dfl_text_add(text, "%s", digits);
    else {
        const int power = atoi(exponent + 1);
        *exponent = 0;
        dfl_text_add(text, "%s \\cdot 10^{%d}", digits, power);
    }
}

static void latex_name(dfl_text *text, const char *name, size_t length)
{
    const size_t once = argument_of("der", name, length);
    const size_t twice = once ? argument_of("der", name + 4, once) : 0;
    if (once) {
        dfl_text_add(text, twice ? "\\ddot{" : "\\dot{");
        latex_name(text, twice ? name + 8 : name + 4, twice ? twice : once);
        dfl_text_add(text, "}");
        return;
    }
    const size_t word = word_length(name, length);
    latex_base(text, name, word);
    if (word < length)
        latex_index(text, name + word, length - word);
}

/* The length of the argument if the name is function(argument), else 0. */
static size_t argument_of(const char *function, const char *name, size_t length)
{
    const size_t head = strlen(function);
    if (length < head + 3 || strncmp(name, function, head) != 0 || name[head] != '(' ||
        name[length - 1] != ')')
        return 0;
    return length - head - 2;
}

/* Letters, and anything else that is neither a digit nor a separator; at least one byte. */
static size_t word_length(const char *name, size_t length)
{
    size_t i = 1;
    while (i < length && !isdigit((unsigned char)name[i]) && !strchr("_.-[]()", name[i]))
        i++;
    return i < length ? i : length;
}

static void latex_base(dfl_text *text, const char *word, size_t length)
{
    if (is_greek(word, length))
        dfl_text_add(text, "\\%.*s", (int)length, word);
    else if (length == 1 && isalpha((unsigned char)word[0]))
        dfl_text_bytes(text, word, 1);
    else
        latex_roman(text, word, length);
}

static bool is_greek(const char *word, size_t length)
{
    static const char *const letters[] = {
        "alpha",   "beta",   "gamma", "delta",   "epsilon", "zeta",  "eta",   "theta", "iota",
        "kappa",   "lambda", "mu",    "nu",      "xi",      "pi",    "rho",   "sigma", "tau",
        "upsilon", "phi",    "chi",   "psi",     "omega",   "Gamma", "Delta", "Theta", "Lambda",
        "Xi",      "Pi",     "Sigma", "Upsilon", "Phi",     "Psi",   "Omega"};
    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++)
        if (strlen(letters[i]) == length && strncmp(letters[i], word, length) == 0)
            return true;
    return false;
}

/* The rest of a name: pieces between separators, numbers as they are, words upright. */
static void latex_index(dfl_text *text, const char *name, size_t length)
{
    const char *before = "_{";
    for (size_t i = 0; i < length;) {
        if (strchr("_.-[]()", name[i])) {
            i++;
            continue;
        }
        const bool digits = isdigit((unsigned char)name[i]);
        size_t end = i;
        while (end < length && !strchr("_.-[]()", name[end]) &&
               (!digits || isdigit((unsigned char)name[end])))
            end++;
        dfl_text_add(text, "%s", before);
        if (digits)
            dfl_text_bytes(text, name + i, end - i);
        else
            latex_roman(text, name + i, end - i);
        before = ",";
        i = end;
    }
    if (before[0] == ',')
        dfl_text_add(text, "}");
}

static void latex_roman(dfl_text *text, const char *bytes, size_t length)
{
    dfl_text_add(text, "\\mathrm{");
    for (size_t i = 0; i < length; i++) {
        if (strchr("#$%&_{}", bytes[i]))
            dfl_text_add(text, "\\%c", bytes[i]);
        else if (!strchr("\\^~", bytes[i]))
            dfl_text_bytes(text, bytes + i, 1);
    }
    dfl_text_add(text, "}");
}
