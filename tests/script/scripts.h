/* scripts.h: what the tests of scripts share: one script run to its end as a value. */
#ifndef DFL_TESTS_SCRIPTS_H
#define DFL_TESTS_SCRIPTS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "failing.h"
#include "script/script.h"

/* A script that was run: the model, or why there is none. */
typedef struct loaded {
    dfl_context *ctx;
    dfl_model *model;
    dfl_status status;
    char message[1024];
    char printed[8192];
} loaded;

static inline void keep_printed(const char *text, void *user)
{
    loaded *l = user;
    const size_t length = strlen(l->printed);
    snprintf(l->printed + length, sizeof l->printed - length, "%s", text);
}

static inline void load_bytes(loaded *l, const char *text, size_t length,
                              const dfl_script_options *options)
{
    dfl_script_options all = options ? *options : (dfl_script_options){0};
    *l = (loaded){.ctx = dfl_context_create()};
    assert_non_null(l->ctx);
    all.print = keep_printed;
    all.user = l;
    l->status = dfl_script_load_text(&l->model, l->ctx, "test.lua", text, length, &all);
    snprintf(l->message, sizeof l->message, "%s", l->status ? dfl_message(l->ctx) : "");
    assert_true((l->status == DFL_OK) == (l->model != NULL));
}

/* Runs `text`; unload frees it. */
static inline void load(loaded *l, const char *text, const dfl_script_options *options)
{
    load_bytes(l, text, strlen(text), options);
}

static inline void unload(loaded *l)
{
    dfl_model_free(l->model);
    assert_int_equal(dfl_context_live(l->ctx), 0);
    dfl_context_free(l->ctx);
}

/* Runs `text`, which must succeed. */
static inline void load_good(loaded *l, const char *text)
{
    load(l, text, NULL);
    if (l->status)
        fail_msg("%s: %s", dfl_status_name(l->status), l->message);
}

/* `text` succeeds and prints `printed`. */
static inline void assert_prints(const char *text, const char *printed)
{
    loaded l;
    load_good(&l, text);
    assert_string_equal(l.printed, printed);
    unload(&l);
}

/* `text` fails with a message of one line that contains `piece`. */
static inline void assert_refused(const char *text, const char *piece,
                                  const dfl_script_options *options)
{
    loaded l;
    load(&l, text, options);
    if (l.status != DFL_INVALID || !strstr(l.message, piece) || strchr(l.message, '\n'))
        fail_msg("%s\nexpected '%s', found %s: '%s'", text, piece, dfl_status_name(l.status),
                 l.message);
    unload(&l);
}

/* Wrong scripts and what their authors are told. */
typedef struct wrong {
    const char *script, *message;
} wrong;

static inline void check_all(const wrong *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_refused(list[i].script, list[i].message, NULL);
}
#define CHECK_ALL(list) check_all(list, sizeof(list) / sizeof *(list))

/* Fails one allocation after another, every `stride`-th of them, until `text` is loaded. */
static inline void assert_survives_failed_allocations(const char *text, int stride)
{
    dfl_context *ctx = dfl_context_create();
    dfl_status status;
    WHILE_ALLOCATIONS_FAIL_BY(stride, status, ctx) {
        dfl_model *model = NULL;
        status = dfl_script_load_text(&model, ctx, "test.lua", text, strlen(text), NULL);
        dfl_model_free(model);
    }
    dfl_context_free(ctx);
}

#endif
