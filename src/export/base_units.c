/* base_units.c: units such as "N s/m" or "kg*m^2" in terms of the base units of SI. */
#include "export/fmu_internal.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Exponents of kg, m, s, A, K, mol, cd, rad. */
typedef struct known_unit {
    const char *name;
    double factor;
    signed char exponent[DFL_BASE_UNITS];
} known_unit;

static const known_unit known[] = {
    {"kg", 1, {1}},
    {"m", 1, {0, 1}},
    {"s", 1, {0, 0, 1}},
    {"A", 1, {0, 0, 0, 1}},
    {"K", 1, {0, 0, 0, 0, 1}},
    {"mol", 1, {0, 0, 0, 0, 0, 1}},
    {"cd", 1, {0, 0, 0, 0, 0, 0, 1}},
    {"rad", 1, {0, 0, 0, 0, 0, 0, 0, 1}},
    {"deg", 3.14159265358979323846 / 180, {0, 0, 0, 0, 0, 0, 0, 1}},
    {"rpm", 3.14159265358979323846 / 30, {0, 0, -1, 0, 0, 0, 0, 1}},
    {"N", 1, {1, 1, -2}},
    {"J", 1, {1, 2, -2}},
    {"W", 1, {1, 2, -3}},
    {"Pa", 1, {1, -1, -2}},
    {"bar", 1e5, {1, -1, -2}},
    {"Hz", 1, {0, 0, -1}},
    {"V", 1, {1, 2, -3, -1}},
    {"C", 1, {0, 0, 1, 1}},
    {"F", 1, {-1, -2, 4, 2}},
    {"Ohm", 1, {1, 2, -3, -2}},
    {"H", 1, {1, 2, -2, -2}},
    {"T", 1, {1, 0, -2, -1}},
    {"g", 1e-3, {1}},
    {"t", 1e3, {1}},
    {"min", 60, {0, 0, 1}},
    {"h", 3600, {0, 0, 1}},
    {"l", 1e-3, {0, 3}},
    {"%", 1e-2, {0}},
    {"1", 1, {0}},
};

static const known_unit *find(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].name) == length && !memcmp(known[i].name, name, length))
            return &known[i];
    return NULL;
}

/* A name as it is, or behind a prefix. */
static const known_unit *find_prefixed(double *factor, const char *name, size_t length)
{
    static const struct {
        char letter;
        double factor;
    } prefixes[] = {{'n', 1e-9}, {'u', 1e-6}, {'m', 1e-3}, {'c', 1e-2},
                    {'d', 1e-1}, {'k', 1e3},  {'M', 1e6},  {'G', 1e9}};
    const known_unit *unit = find(name, length);
    *factor = 1;
    for (size_t i = 0; !unit && length > 1 && i < sizeof prefixes / sizeof *prefixes; i++)
        if (prefixes[i].letter == name[0]) {
            unit = find(name + 1, length - 1);
            *factor = prefixes[i].factor;
        }
    return unit;
}

/* One factor with its exponent, to the power `sense`; *at moves behind it. */
static bool multiply(dfl_base_unit *out, const char **at, int sense)
{
    const char *name = *at;
    double prefix;
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ%");
    if (length == 0 && *name == '1')
        length = 1;
    const known_unit *unit = find_prefixed(&prefix, name, length);
    const char *end = name + length;
    long power = 1;
    if (!unit)
        return false;
    if (*end == '^' || isdigit((unsigned char)*end)) {
        const char *number = end + (*end == '^');
        char *rest;
        power = strtol(number, &rest, 10);
        if (rest == number || labs(power) > 9)
            return false;
        end = rest;
    }
    power *= sense;
    out->factor *= pow(prefix * unit->factor, (double)power);
    for (int k = 0; k < DFL_BASE_UNITS; k++)
        out->exponent[k] += (int)power * unit->exponent[k];
    *at = end;
    return true;
}

/* A quotient ends the unit, or another quotient follows: "N/m s" may mean two things. */
bool dfl_fmu_base_unit(dfl_base_unit *out, const char *unit)
{
    const char *at = unit;
    int sense = 1;
    *out = (dfl_base_unit){.factor = 1};
    while (multiply(out, &at, sense)) {
        const char *before = at;
        at += strspn(at, " *");
        if (!*at)
            return true;
        if (*at == '/')
            sense = -1;
        else if (sense < 0 || at == before)
            return false;
        at += strspn(at, " /");
    }
    return false;
}
