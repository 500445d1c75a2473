/* The hanging N four-bar of bench_loops.c in Simbody: pins, loops closed by two PointInPlane constraints each
   (no redundant rows), Runge-Kutta-Merson with its own error control. Positions and velocities are
   projected onto the constraints when they leave them by more than a tenth of the accuracy. */
#include <Simbody.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <vector>

using namespace SimTK;

static double cpu_now()
{
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* theta, measured from the hanging position, by small steps. */
static double reference(int n, double t)
{
    const double k = 9.81 * ((n + 1) * 0.5 + n) / ((n + 1) / 3.0 + n);
    const int steps = (int)(t * 1e5);
    const double h = t / steps;
    double q = 0, w = 1;
    for (int i = 0; i < steps; i++) {
        const double middle = q + h / 2 * w; /* leap-frog */
        w -= h * k * std::sin(middle);
        q = middle + h / 2 * w;
    }
    return q;
}

static void measure(int n, double accuracy, double t_end)
{
    MultibodySystem system;
    SimbodyMatterSubsystem matter(system);
    GeneralForceSubsystem forces(system);
    Force::UniformGravity gravity(forces, matter, Vec3(0, -9.81, 0));
    const Body::Rigid rod(MassProperties(1, Vec3(0.5, 0, 0), Inertia(1e-5, 1.0 / 3, 1.0 / 3)));
    std::vector<MobilizedBody> upright, coupler;
    for (int i = 0; i <= n; i++)
        upright.push_back(
            MobilizedBody::Pin(matter.Ground(), Transform(Vec3(i, 0, 0)), rod, Transform()));
    for (int i = 0; i < n; i++)
        coupler.push_back(
            MobilizedBody::Pin(upright[(size_t)i], Transform(Vec3(1, 0, 0)), rod, Transform()));
    for (int i = 0; i < n; i++) {
        MobilizedBody &next = upright[(size_t)i + 1], &tip = coupler[(size_t)i];
        Constraint::PointInPlane(next, UnitVec3(XAxis), 1.0, tip, Vec3(1, 0, 0));
        Constraint::PointInPlane(next, UnitVec3(YAxis), 0.0, tip, Vec3(1, 0, 0));
    }
    State state = system.realizeTopology();
    for (auto &b : upright) {
        b.setOneQ(state, 0, -Pi / 2);
        b.setOneU(state, 0, 1);
    }
    for (auto &b : coupler) {
        b.setOneQ(state, 0, Pi / 2);
        b.setOneU(state, 0, -1);
    }
    RungeKuttaMersonIntegrator integrator(system);
    integrator.setAccuracy(accuracy);
    TimeStepper stepper(system, integrator);
    stepper.initialize(state);
    const double start = cpu_now();
    double position = 0, velocity = 0;
    for (double t = 0.5; t < t_end + 1e-9; t += 0.5) { /* seldom: it must not bound the steps */
        stepper.stepTo(t);
        const State &s = stepper.getState();
        system.realize(s, Stage::Velocity);
        for (int i = 0; i < s.getQErr().size(); i++)
            position = std::max(position, std::abs(s.getQErr()[i]));
        for (int i = 0; i < s.getUErr().size(); i++)
            velocity = std::max(velocity, std::abs(s.getUErr()[i]));
    }
    const double seconds = cpu_now() - start;
    const double angle = upright[0].getOneQ(stepper.getState(), 0) + Pi / 2;
    std::printf("{\"model\":\"fourbars-hanging\",\"N\":%d,\"bodies\":%d,\"solver\":\"simbody\","
                "\"tolerance\":%g,\"seconds\":%g,\"cpu_per_second\":%.4g,\"steps\":%d,"
                "\"res_pos\":%.1e,\"res_vel\":%.1e,\"err_angle\":%.1e}\n",
                n, 2 * n + 1, accuracy, t_end, seconds / t_end, integrator.getNumStepsTaken(),
                position, velocity, std::abs(angle - reference(n, stepper.getTime())));
    std::fflush(stdout);
}

int main()
{
    for (int n : {1, 2, 5, 10, 20, 40, 100})
        measure(n, 1e-6, n <= 20 ? 10 : n <= 40 ? 2 : 0.5);
    return 0;
}
