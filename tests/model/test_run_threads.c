/* Runs of one model in several threads. */
#include "running.h"

#include <math.h>
#include <pthread.h>

typedef struct worker {
    const dfl_model *model;
    double L, x;
} worker;

static void *work(void *user)
{
    worker *w = user;
    dfl_context *ctx = dfl_context_create();
    dfl_run *it = NULL;
    w->x = NAN;
    for (int i = 0; i < 20; i++) {
        if (dfl_run_create(&it, ctx, w->model, NULL) ||
            dfl_run_set(it, dfl_run_find(it, "L"), w->L) || dfl_run_start(it) ||
            dfl_run_advance(it, 2))
            break;
        w->x = dfl_run_get(it, dfl_run_find(it, "x"));
        dfl_run_free(it);
        it = NULL;
    }
    dfl_run_free(it);
    dfl_context_free(ctx);
    return NULL;
}

/* One model, two threads, the same bits as one after the other. */
static void runs_of_one_model_live_in_threads(void **state)
{
    (void)state;
    fixture f = created(pendulum, NULL);
    worker two[2] = {{f.model, 1, 0}, {f.model, 1.2, 0}}, after[2] = {two[0], two[1]};
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, work, &two[i]), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < 2; i++) {
        work(&after[i]);
        assert_true(isfinite(after[i].x) && after[i].x == two[i].x);
    }
    finished(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_of_one_model_live_in_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
