/* Models of pieces with known motions, in the folder switches: every number in a comment at the end
   of a script is met by its run at three tolerances, with dense and with sparse matrices.

       -- value TIME NAME VALUE     to 100 tolerances
       -- event NAME K TIME         the K-th event of this name, to 10 tolerances of the time scale
       -- count NAME N [TIME]       events until then, or until the last time;
                                     NAME all: of all names */
#include <driftless/model.h>

#include "../support.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>

enum { LINES = 60, EVENTS = 500, LONGEST = 120, FILES = 100 };

typedef struct number {
    enum { A_VALUE, AN_EVENT, A_COUNT } kind;
    char name[40];
    int k; /* which event, or how many */
    double time, value;
} number;

typedef struct script {
    int count, events;
    number numbers[LINES];
    double end; /* behind the last time of them */
    struct {
        int number;
        double time;
    } met[EVENTS];
    dfl_context *ctx;
    dfl_model *model;
    dfl_run *run;
} script;

/* One line of a script. */
static void read_line(script *s, const char *line)
{
    number n = {.time = NAN};
    if (sscanf(line, "-- value %lf %39s %lf", &n.time, n.name, &n.value) == 3)
        n.kind = A_VALUE;
    else if (sscanf(line, "-- event %39s %d %lf", n.name, &n.k, &n.time) == 3)
        n.kind = AN_EVENT;
    else if (sscanf(line, "-- count %39s %d %lf", n.name, &n.k, &n.time) >= 2)
        n.kind = A_COUNT;
    else
        return;
    assert_true(s->count < LINES);
    s->numbers[s->count++] = n;
    s->end = fmax(s->end, 1.001 * n.time); /* events may come late */
}

static void read_numbers(script *s, const char *path)
{
    char line[400];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        read_line(s, line);
    fclose(file);
    if (!s->count)
        fail_msg("%s has no numbers", path);
}

static int remember(int event, int direction, double t, void *user)
{
    script *s = user;
    (void)direction;
    assert_true(s->events < EVENTS);
    s->met[s->events].number = event;
    s->met[s->events++].time = t;
    return 0;
}

static void expect(const script *s, dfl_status status)
{
    if (status)
        fail_msg("%s: %s", dfl_status_name(status), dfl_message(s->ctx));
}

static void begin(script *s, const char *path, double tolerance, const char *linear)
{
    char rtol[40], atol[40];
    snprintf(rtol, sizeof rtol, "rtol=%g", tolerance);
    snprintf(atol, sizeof atol, "atol=%g", tolerance);
    const char *const settings[] = {rtol, atol, linear};
    s->ctx = dfl_context_create();
    assert_non_null(s->ctx);
    expect(s, dfl_model_load(&s->model, s->ctx, path, NULL));
    expect(s, dfl_run_create(
                  &s->run, s->ctx, s->model,
                  &(dfl_run_options){
                      .nsettings = 3, .settings = settings, .on_event = remember, .user = s}));
    expect(s, dfl_run_start(s->run));
}

static void end(script *s)
{
    dfl_run_free(s->run);
    dfl_model_free(s->model);
    dfl_context_free(s->ctx);
}

static bool called(const script *s, int event, const char *name)
{
    const char *own = dfl_run_event_name(s->run, event);
    return !strcmp(name, "all") || (own && !strcmp(name, own));
}

/* The deviation of a value that the run has reached, in units of 100 tolerances. */
static double value_error(script *s, const number *n, double tolerance)
{
    const int place = dfl_run_find(s->run, n->name);
    if (place < 0)
        fail_msg("there is no %s", n->name);
    return fabs(dfl_run_get(s->run, place) - n->value) /
           (100 * tolerance * fmax(1, fabs(n->value)));
}

/* The same of the time of an event, in units of 10 tolerances; counts are right or not. */
static double event_error(const script *s, const number *n, double tolerance)
{
    int count = 0;
    for (int i = 0; i < s->events; i++) {
        if (!called(s, s->met[i].number, n->name))
            continue;
        if (n->kind == A_COUNT)
            count += !(s->met[i].time > n->time);
        else if (++count == n->k)
            return fabs(s->met[i].time - n->time) / (10 * tolerance * fmax(1, n->time));
    }
    return n->kind == A_COUNT && count == n->k ? 0 : INFINITY;
}

/* Whether all numbers are met; the values in the order of time. */
static bool numbers_are_met(const char *path, double tolerance, const char *linear)
{
    static script s;
    bool right = true;
    s = (script){0};
    read_numbers(&s, path);
    begin(&s, path, tolerance, linear);
    double error[LINES];
    for (int i = 0; i < s.count; i++)
        if (s.numbers[i].kind == A_VALUE) {
            if (s.numbers[i].time > dfl_run_time(s.run))
                expect(&s, dfl_run_advance(s.run, s.numbers[i].time));
            error[i] = value_error(&s, &s.numbers[i], tolerance);
        }
    expect(&s, dfl_run_advance(s.run, s.end));
    for (int i = 0; i < s.count; i++) {
        if (s.numbers[i].kind != A_VALUE)
            error[i] = event_error(&s, &s.numbers[i], tolerance);
        if (!(error[i] <= 1)) {
            right = false;
            print_message("%s, %g, %s: %s is off by %.2g of what is allowed\n",
                          strrchr(path, '/') + 1, tolerance, linear, s.numbers[i].name, error[i]);
        }
    }
    end(&s);
    return right;
}

static void all_numbers_are_met(void **state)
{
    (void)state;
    static const char *const linear[] = {"linear=dense", "linear=sparse"};
    static const char folder[] = DFL_SOURCE_DIR "/tests/model/switches";
    DIR *scripts = opendir(folder);
    int wrong = 0, runs = 0;
    assert_non_null(scripts);
    for (const struct dirent *entry; (entry = readdir(scripts));) {
        char path[500];
        if (!strstr(entry->d_name, ".lua"))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        for (double tolerance = 1e-6; tolerance > 1e-11; tolerance *= 1e-2)
            for (int i = 0; i < 2; i++, runs++)
                wrong += !numbers_are_met(path, tolerance, linear[i]);
    }
    closedir(scripts);
    print_message("%d runs, %d wrong\n", runs, wrong);
    assert_true(runs > 200);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_numbers_are_met)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
