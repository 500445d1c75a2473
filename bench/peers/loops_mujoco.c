/* The hanging N four-bar of bench_loops.c in MuJoCo: hinges, loops closed by "connect" equality
   constraints. These are soft by design: springs and dampers with a time constant (solref), and
   three rows each, of which the one across the plane is redundant. The fixed steps are not
   controlled. */
#define _DEFAULT_SOURCE
#include <mujoco/mujoco.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void write_model(FILE *file, int n, double h)
{
    static const char rod[] = "<inertial pos='0.5 0 0' mass='1' diaginertia='1e-5 "
                              "0.083333333333333333 0.083333333333333333'/>"
                              "<joint type='hinge' axis='0 0 1'/>";
    fprintf(file,
            "<mujoco><option gravity='0 -9.81 0' timestep='%g' integrator='RK4' solver='Newton' "
            "tolerance='1e-12' iterations='100'><flag contact='disable'/></option>"
            "<compiler angle='radian'/><size nconmax='10' njmax='%d' nstack='20000000'/>"
            "<worldbody>",
            h, 3 * n + 20);
    for (int i = 0; i <= n; i++) {
        fprintf(file, "<body name='r%d' pos='%d 0 0' euler='0 0 -1.5707963267948966'>%s", i, i,
                rod);
        if (i < n)
            fprintf(file, "<body name='c%d' pos='1 0 0' euler='0 0 1.5707963267948966'>%s</body>",
                    i, rod);
        fputs("</body>", file);
    }
    fputs("</worldbody><equality>", file);
    for (int i = 0; i < n; i++)
        fprintf(file,
                "<connect body1='c%d' body2='r%d' anchor='1 0 0' solref='%g 1' "
                "solimp='0.9999 0.9999 0.001'/>",
                i, i + 1, 2 * h);
    fputs("</equality></mujoco>", file);
}

static mjModel *load(int n, double h)
{
    char name[] = "/tmp/fourbarsXXXXXX.xml", message[500];
    const int descriptor = mkstemps(name, 4);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (!file)
        return NULL;
    write_model(file, n, h);
    fclose(file);
    mjModel *m = mj_loadXML(name, NULL, message, sizeof message);
    unlink(name);
    if (!m)
        fprintf(stderr, "loops_mujoco: %s\n", message);
    return m;
}

static void measure(int n, double h, double t_end)
{
    mjModel *m = load(n, h);
    if (!m)
        return;
    mjData *d = mj_makeData(m);
    for (int i = 0; i < m->nv; i++) /* an upright, then its coupler */
        d->qvel[i] = i % 2 ? -1 : 1;
    const double k = 9.81 * ((n + 1) * 0.5 + n) / ((n + 1) / 3.0 + n);
    const long steps = lround(t_end / h);
    double q = 0, w = 1, residual = 0, error = 0;
    const double start = cpu_now();
    for (long i = 0; i < steps; i++) {
        mj_step(m, d);
        for (int row = 0; row < d->nefc; row++)
            residual = fmax(residual, fabs(d->efc_pos[row]));
    }
    const double seconds = cpu_now() - start;
    for (long i = 0; i < steps * 100; i++) { /* leap-frog */
        const double middle = q + h / 200 * w;
        w -= h / 100 * k * sin(middle);
        q = middle + h / 200 * w;
    }
    error = fabs(d->qpos[0] - q);
    printf("{\"model\":\"fourbars-hanging\",\"N\":%d,\"bodies\":%d,\"solver\":\"mujoco\","
           "\"step\":%g,\"seconds\":%g,\"cpu_per_second\":%.4g,\"steps\":%ld,\"res_pos\":%.1e,"
           "\"err_angle\":%.1e}\n",
           n, 2 * n + 1, h, t_end, seconds / t_end, steps, residual, error);
    fflush(stdout);
    mj_deleteData(d);
    mj_deleteModel(m);
}

/* usage: loops_mujoco [N...]: these N with steps of 1e-2 s; else the usual ones with both steps. */
int main(int argc, char **argv)
{
    static const int sizes[] = {1, 2, 5, 10, 20, 40, 100};
    for (int i = 1; i < argc; i++)
        measure(atoi(argv[i]), 1e-2, 10);
    if (argc > 1)
        return 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int k = 0; k < 2; k++)
            measure(sizes[i], k ? 1e-3 : 1e-2, sizes[i] <= 20 || k == 0 ? 10 : 2);
    return 0;
}
