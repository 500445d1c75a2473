/* settings.c: the settings that one source gives. */
#include "settings/settings.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

int dfl_setting_find(const char *name)
{
    for (int i = 0; name && i < dfl_settings_count(); i++)
        if (!strcmp(dfl_setting_at(i)->name, name))
            return i;
    return -1;
}

int dfl_setting_word(const dfl_setting *setting, const char *word)
{
    for (int i = 0; setting && setting->words && word && setting->words[i]; i++)
        if (!strcmp(setting->words[i], word))
            return i;
    return -1;
}

dfl_choices dfl_choices_none(const char *prefix)
{
    dfl_choices choices = {.prefix = prefix};
    for (int i = 0; i < DFL_MOST_SETTINGS; i++)
        choices.number[i] = NAN;
    return choices;
}

dfl_status dfl_choose_number(dfl_choices *choices, dfl_context *ctx, int setting, double number)
{
    const dfl_setting *it = dfl_setting_at(setting);
    const dfl_spelled name = dfl_setting_spelled(choices->prefix, it->name);
    if (!isfinite(number))
        return dfl_fail(ctx, DFL_INVALID, "%s is %g; give a finite number", name.text, number);
    if (it->kind == DFL_SETTING_POSITIVE && !(number > 0))
        return dfl_fail(ctx, DFL_INVALID, "%s is %g; it must be positive", name.text, number);
    if (it->kind == DFL_SETTING_COUNT &&
        !(number >= 1 && number <= 1e15 && number == floor(number)))
        return dfl_fail(ctx, DFL_INVALID, "%s is %g; it must be a whole number, 1 or more",
                        name.text, number);
    if (it->kind == DFL_SETTING_WHOLE && !(fabs(number) <= 1e9 && number == floor(number)))
        return dfl_fail(ctx, DFL_INVALID, "%s is %g; it must be a whole number", name.text, number);
    choices->number[setting] = number;
    return DFL_OK;
}

double dfl_choices_number(const dfl_choices *choices, const char *name)
{
    const int i = dfl_setting_find(name);
    assert(i >= 0);
    return choices->number[i];
}

const char *dfl_choices_text(const dfl_choices *choices, const char *name)
{
    const int i = dfl_setting_find(name);
    assert(i >= 0);
    return choices->text[i];
}

/* Whether a word is given, and is one of `words`. */
static bool is_one_of(const dfl_choices *choices, const char *name, const char *const *words)
{
    const char *given = dfl_choices_text(choices, name);
    for (; given && *words; words++)
        if (!strcmp(given, *words))
            return true;
    return false;
}

bool dfl_choices_demand_sparse(const dfl_choices *choices)
{
    return is_one_of(choices, "linear", (const char *const[]){"sparse", NULL});
}

bool dfl_choices_demand_tree(const dfl_choices *choices)
{
    return is_one_of(choices, "linear", (const char *const[]){"tree", NULL});
}

bool dfl_choices_may_be_sparse(const dfl_choices *choices)
{
    static const char *const explicit_ones[] = {"explicit-pair", "half-explicit", "extrapolation",
                                                NULL};
    static const char *const dense[] = {"dense", NULL}, *const psf[] = {"psf", NULL};
    return (!dfl_choices_text(choices, "form") || is_one_of(choices, "form", psf)) &&
           !is_one_of(choices, "method", explicit_ones) && !is_one_of(choices, "linear", dense);
}

dfl_spelled dfl_setting_spelled(const char *prefix, const char *name)
{
    dfl_spelled spelled;
    snprintf(spelled.text, sizeof spelled.text, "%s%s", prefix, name);
    if (prefix[0] == '-')
        for (char *c = spelled.text; *c; c++)
            *c = *c == '_' ? '-' : *c;
    return spelled;
}
