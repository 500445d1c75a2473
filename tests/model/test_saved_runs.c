/* A run as bytes: it goes on with the same bits, whatever happens afterwards. */
#include "running.h"

static const char *const sampled =
    "local x = position('x') mass(x, 1) local u = discrete('u', 0)\n"
    "sample('control', { period = 0.1, set = { [u] = -4*x - 2*velocity(x) } })\n"
    "force(x, delay('late', u, 'control')) initial{ x = 1, ['der(x)'] = 0 }\n";

static const char *const massless =
    "local x, q = position('x', 'q') mass(x, 1)\n"
    "force(x, -10*(x - q)) force(q, 10*(x - q) - velocity(q) + sin(time))\n"
    "local r = dynamic('r', function(r) return x - r end)\n"
    "initial{ x = 1, q = 0, ['der(x)'] = 0, r = 0 }\n";

/* A run that has advanced to t; false: form, method and model do not go together. */
static bool runs_to(fixture *f, const char *text, const dfl_run_options *options, double t)
{
    char path[500];
    *f = (fixture){.ctx = dfl_context_create()};
    snprintf(path, sizeof path, "%s/examples/%s.lua", DFL_SOURCE_DIR, text);
    expect(f, strchr(text, ' ')
                  ? dfl_model_load_text(&f->model, f->ctx, "test.lua", text, strlen(text), NULL)
                  : dfl_model_load(&f->model, f->ctx, path, NULL));
    dfl_status status = dfl_run_create(&f->run, f->ctx, f->model, options);
    if (!status)
        status = dfl_run_start(f->run);
    if (!status)
        expect(f, dfl_run_advance(f->run, t));
    if (status)
        finished(f);
    return !status;
}

/* The bytes of a run later on: all that it does after that follows from them. */
static char *bytes_at(const fixture *f, double t)
{
    char *bytes = malloc(dfl_run_saved_size(f->run));
    assert_non_null(bytes);
    expect(f, dfl_run_advance(f->run, t));
    expect(f, dfl_run_save(bytes, f->run));
    return bytes;
}

/* From bytes at t to bytes at t + 1: in the run that was saved, in the same one once more, and in
   another one that has been elsewhere. */
static bool same_bits(const char *text, const char *form, const char *method, double t)
{
    const char *const settings[] = {"rtol=1e-7", form, method};
    const dfl_run_options options = {.nsettings = 1 + (form != NULL) + (method != NULL),
                                     .settings = settings};
    fixture f, other;
    if (!runs_to(&f, text, &options, t))
        return false;
    assert_true(runs_to(&other, text, &options, 0.4 * t));
    const size_t size = dfl_run_saved_size(f.run);
    char *saved = bytes_at(&f, t), *first = bytes_at(&f, t + 1);
    expect(&f, dfl_run_restore(f.run, saved, size));
    assert_true(dfl_run_time(f.run) == t);
    expect(&other, dfl_run_restore(other.run, saved, size));
    char *again = bytes_at(&f, t + 1), *elsewhere = bytes_at(&other, t + 1);
    if (memcmp(first, again, size) != 0 || memcmp(first, elsewhere, size) != 0)
        fail_msg("%s, %s, %s, t = %.17g", text, form, method, t);
    free(saved);
    free(first);
    free(again);
    free(elsewhere);
    finished(&f);
    finished(&other);
    return true;
}

static void saved_runs_go_on_with_the_same_bits(void **state)
{
    (void)state;
    static const char *const forms[] = {"form=psf", "form=psi1", "form=eom1", "form=tangent",
                                        "form=baumgarte"};
    static const char *const methods[] = {"method=radau", "method=bdf", "method=trapezoidal"};
    static const double times[] = {0.1234, 0.77, 1.9};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            assert_true(same_bits(pendulum, "form=psf", methods[k], times[i]));
            assert_true(same_bits(bouncing, "form=psf", methods[k], times[i]));
            assert_true(same_bits(massless, "form=psf", methods[k], times[i]));
        }
    for (int i = 0; i < 5; i++)
        assert_true(same_bits(pendulum, forms[i], "method=radau", times[i % 3]));
    assert_true(same_bits(pendulum, "form=psf", "method=half-explicit", 0.5));
    for (int k = 0; k < 3; k++) /* at a sample */
        assert_true(same_bits(sampled, "form=psf", methods[k], 1.5));
}

/* Switches, impacts, contacts, tables, samples; random times; every form that a model allows. */
static void switches_and_impacts_keep_the_bits(void **state)
{
    (void)state;
    static const char *const models[] = {"suspension",  "walker",  "backlash",    "geneva",
                                         "quarter-car", "ball",    "clutch",      "friction",
                                         "woodpecker",  "arm-pid", "cam-follower"};
    static const char *const forms[] = {NULL,           "form=psi1",      "form=eom1",
                                        "form=tangent", "form=baumgarte", "form=stabilized"};
    static const char *const methods[] = {NULL, "method=bdf", "method=midpoint"};
    const int count = (int)(sizeof models / sizeof *models);
    unsigned random = 1;
    int tried = 0;
    for (int i = 0; i < 4 * count; i++) {
        random = random * 1103515245u + 12345u;
        const double t = 0.05 + 1.2 * (random >> 8) / (1 << 24);
        tried += same_bits(models[i % count], forms[i % 6], i < count ? NULL : methods[i % 3], t);
    }
    assert_true(tried > 2 * count);
}

static void foreign_bytes_are_refused(void **state)
{
    (void)state;
    fixture f = started(pendulum, NULL), other = started(cart, NULL);
    const size_t size = dfl_run_saved_size(f.run);
    char *bytes = calloc(size, 1);
    assert_non_null(bytes);
    assert_int_equal(dfl_run_restore(f.run, bytes, size), DFL_INVALID);
    expect(&f, dfl_run_save(bytes, f.run));
    assert_int_equal(dfl_run_restore(f.run, bytes, size - 1), DFL_INVALID);
    assert_int_equal(dfl_run_restore(f.run, bytes, 3), DFL_INVALID);
    assert_int_equal(dfl_run_restore(other.run, bytes, size), DFL_INVALID);
    assert_non_null(strstr(dfl_message(other.ctx), "another model"));
    bytes[9] ^= 1;
    assert_int_equal(dfl_run_restore(f.run, bytes, size), DFL_INVALID);
    free(bytes);
    expect(&f, dfl_run_advance(f.run, 1));
    finished(&f);
    finished(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saved_runs_go_on_with_the_same_bits),
        cmocka_unit_test(switches_and_impacts_keep_the_bits),
        cmocka_unit_test(foreign_bytes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
