/* run_settings.c: settings of a run from texts "NAME=VALUE". */
#include "model/run_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_allowed(int setting);
static dfl_status no_setting(dfl_context *ctx, const char *name);
static dfl_status choose(dfl_choices *out, char **texts, dfl_context *ctx, const char *text);
static dfl_status choose_number(dfl_choices *out, dfl_context *ctx, int setting, const char *text,
                                const char *value);

dfl_status dfl_choose_texts(dfl_choices *out, char **texts, dfl_context *ctx, const char *prefix,
                            int count, const char *const *settings)
{
    *out = dfl_choices_none(prefix);
    dfl_status status = dfl_check_texts(ctx, "settings", count, settings);
    for (int i = 0; !status && i < count; i++)
        status = choose(out, texts, ctx, settings[i]);
    return status;
}

static dfl_status choose(dfl_choices *out, char **texts, dfl_context *ctx, const char *text)
{
    const char *equal = strchr(text, '=');
    char name[DFL_LONGEST_SETTING] = "";
    if (!equal || equal == text || equal - text >= DFL_LONGEST_SETTING)
        return dfl_fail(ctx, DFL_INVALID, "setting '%s': write NAME=VALUE", text);
    memcpy(name, text, (size_t)(equal - text));
    const int setting = dfl_setting_find(name);
    if (setting < 0 || !is_allowed(setting))
        return no_setting(ctx, name);
    const dfl_setting_kind kind = dfl_setting_at(setting)->kind;
    if (kind != DFL_SETTING_WORD && kind != DFL_SETTING_TEXT)
        return choose_number(out, ctx, setting, text, equal + 1);
    dfl_free(ctx, texts[setting]);
    out->text[setting] = texts[setting] = dfl_copy_string(ctx, equal + 1);
    return texts[setting] ? DFL_OK : DFL_NO_MEMORY;
}

static bool is_allowed(int setting)
{
    return dfl_setting_at(setting)->where & (DFL_FOR_SCRIPT | DFL_FOR_RUN);
}

static dfl_status no_setting(dfl_context *ctx, const char *name)
{
    const char *names[DFL_MOST_SETTINGS], *nearest;
    int count = 0;
    for (int i = 0; i < dfl_settings_count(); i++)
        if (is_allowed(i))
            names[count++] = dfl_setting_at(i)->name;
    nearest = dfl_nearest_word(name, names, count);
    if (nearest)
        return dfl_fail(ctx, DFL_INVALID, "there is no setting '%s'; did you mean %s?", name,
                        nearest);
    return dfl_fail(ctx, DFL_INVALID,
                    "there is no setting '%s'; those of simulate{} and of driftless run are "
                    "allowed",
                    name);
}

static dfl_status choose_number(dfl_choices *out, dfl_context *ctx, int setting, const char *text,
                                const char *value)
{
    char *end;
    const bool flag = dfl_setting_at(setting)->kind == DFL_SETTING_FLAG;
    double number = strtod(value, &end);
    if (flag && (!strcmp(value, "true") || !strcmp(value, "false")))
        number = value[0] == 't';
    else if (end == value || *end || !isfinite(number))
        return dfl_fail(ctx, DFL_INVALID, "setting '%s': '%s' is %s", text, value,
                        flag ? "neither true nor false" : "not a number");
    return dfl_choose_number(out, ctx, setting, number);
}
