/* MuJoCo on the models of tree_models.h: forward dynamics by composite bodies and a sparse
   factorization, inverse dynamics, mass matrix. Models are given as URDF, whose XML is flat (long
   chains), the free base as MJCF. */
#define _DEFAULT_SOURCE
#include "../tree_report.h"

#include <mujoco/mujoco.h>

#include <unistd.h>

typedef struct peer {
    int shape, n;
    tree_body *bodies;
    mjModel *m;
    mjData *d;
    int *address_q, *address_v; /* of the joint of each body */
    double bytes, *q, *v, *tau, *bias, *a;
} peer;

static void write_inertial(FILE *file, const tree_body *b)
{
    fprintf(file,
            "<inertial><origin xyz=\"%.17g %.17g %.17g\"/><mass value=\"%.17g\"/><inertia "
            "ixx=\"%.17g\" iyy=\"%.17g\" izz=\"%.17g\" ixy=\"%.17g\" ixz=\"%.17g\" "
            "iyz=\"%.17g\"/></inertial>",
            b->c[0], b->c[1], b->c[2], b->m, b->I[0], b->I[1], b->I[2], b->I[3], b->I[4], b->I[5]);
}

static void write_urdf(FILE *file, const peer *p)
{
    fputs("<robot name=\"r\"><mujoco><compiler balanceinertia=\"false\"/></mujoco>"
          "<link name=\"b-1\"/>\n",
          file);
    for (int i = 0; i < p->n; i++) {
        const tree_body *b = &p->bodies[i];
        fprintf(file, "<link name=\"b%d\">", i);
        write_inertial(file, b);
        fprintf(
            file,
            "</link>\n<joint name=\"j%d\" type=\"continuous\"><parent link=\"b%d\"/><child "
            "link=\"b%d\"/><origin xyz=\"%.17g %.17g %.17g\"/><axis xyz=\"%d %d %d\"/></joint>\n",
            i, b->parent, i, b->t[0], b->t[1], b->t[2], b->axis == 0, b->axis == 1, b->axis == 2);
    }
    fputs("</robot>\n", file);
}

static void write_mjcf(FILE *file, const peer *p, int i)
{
    const tree_body *b = &p->bodies[i];
    fprintf(file,
            "<body name=\"b%d\" pos=\"%.17g %.17g %.17g\"><inertial pos=\"%.17g %.17g %.17g\" "
            "mass=\"%.17g\" fullinertia=\"%.17g %.17g %.17g %.17g %.17g %.17g\"/>",
            i, b->t[0], b->t[1], b->t[2], b->c[0], b->c[1], b->c[2], b->m, b->I[0], b->I[1],
            b->I[2], b->I[3], b->I[4], b->I[5]);
    if (b->axis == TREE_FREE_AXIS)
        fputs("<freejoint/>", file);
    else
        fprintf(file, "<joint type=\"hinge\" axis=\"%d %d %d\"/>", b->axis == 0, b->axis == 1,
                b->axis == 2);
    for (int k = i + 1; k < p->n; k++)
        if (p->bodies[k].parent == i)
            write_mjcf(file, p, k);
    fputs("</body>\n", file);
}

static void load(peer *p)
{
    char error[500] = "", name[] = "/tmp/tree_XXXXXX.xml";
    const int fd = mkstemps(name, 4);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!file)
        exit(1);
    if (p->shape == TREE_LEGS) {
        fputs("<mujoco><worldbody>", file);
        write_mjcf(file, p, 0);
        fputs("</worldbody></mujoco>\n", file);
    } else {
        write_urdf(file, p);
    }
    fclose(file);
    const double heap = tree_heap();
    p->m = mj_loadXML(name, NULL, error, sizeof error);
    unlink(name);
    if (!p->m) {
        fprintf(stderr, "mujoco: %s\n", error);
        exit(1);
    }
    p->m->opt.disableflags |=
        mjDSBL_CONSTRAINT | mjDSBL_CONTACT | mjDSBL_PASSIVE | mjDSBL_SENSOR | mjDSBL_ACTUATION;
    p->d = mj_makeData(p->m);
    p->bytes = tree_heap() - heap;
}

/* One Newton step for the principal axes of a body: a rotation by b_ij / (b_ii - b_jj) makes b_ij
   vanish. */
static void turn_axes(double *quat, double *moments, const double *I)
{
    const double full[9] = {I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]};
    double R[9], T[9], B[9];
    mju_quat2Mat(R, quat);
    mju_mulMatMat(T, full, R, 3, 3, 3);
    mju_mulMatTMat(B, R, T, 3, 3, 3);
    const double turn[3] = {B[5] / (B[4] - B[8]), B[2] / (B[8] - B[0]), B[1] / (B[0] - B[4])};
    mju_quatIntegrate(quat, turn, 1);
    for (int k = 0; k < 3; k++)
        moments[k] = B[4 * k];
}

/* The compiler finds principal axes less accurately: M would differ by 2e-9, accelerations by
   1e-7. */
static void refine_inertia(peer *p)
{
    for (int i = 0; i < p->n; i++) {
        char name[20];
        snprintf(name, sizeof name, "b%d", i);
        const int body = mj_name2id(p->m, mjOBJ_BODY, name);
        for (int k = 0; k < 3; k++)
            turn_axes(p->m->body_iquat + 4 * body, p->m->body_inertia + 3 * body, p->bodies[i].I);
    }
}

/* MuJoCo orders bodies depth-first. */
static void find_addresses(peer *p)
{
    for (int i = 0; i < p->n; i++) {
        char name[20];
        snprintf(name, sizeof name, "b%d", i);
        const int joint = p->m->body_jntadr[mj_name2id(p->m, mjOBJ_BODY, name)];
        p->address_q[i] = p->m->jnt_qposadr[joint];
        p->address_v[i] = p->m->jnt_dofadr[joint];
    }
}

static void fill_state(peer *p, int k)
{
    const int first = p->shape == TREE_LEGS, revolute = p->n - first;
    double *q = p->q + (long)k * p->m->nq, *v = p->v + (long)k * p->m->nv;
    double *tau = p->tau + (long)k * p->m->nv, *own = calloc((size_t)(3 * p->n), sizeof *own);
    tree_base base;
    tree_state(&base, own, own + p->n, own + 2 * p->n, revolute, k);
    if (first) {
        memcpy(q, base.pos, sizeof base.pos);
        memcpy(q + 3, base.quat, sizeof base.quat);
        memcpy(v, base.v, sizeof base.v);
        tree_to_base(v + 3, &base, base.w);
    }
    for (int i = 0; i < revolute; i++) {
        q[p->address_q[i + first]] = own[i];
        v[p->address_v[i + first]] = own[p->n + i];
        tau[p->address_v[i + first]] = own[2 * p->n + i];
    }
    free(own);
}

static void put(peer *p, int k)
{
    memcpy(p->d->qpos, p->q + (long)k * p->m->nq, (size_t)p->m->nq * sizeof(double));
    memcpy(p->d->qvel, p->v + (long)k * p->m->nv, (size_t)p->m->nv * sizeof(double));
    mj_kinematics(p->m, p->d);
    mj_comPos(p->m, p->d);
}

static void forward(void *user, int k)
{
    peer *p = user;
    put(p, k);
    mj_crb(p->m, p->d);
    mj_factorM(p->m, p->d);
    mj_comVel(p->m, p->d);
    mj_rne(p->m, p->d, 0, p->bias);
    for (int i = 0; i < p->m->nv; i++)
        p->bias[i] = p->tau[(long)k * p->m->nv + i] - p->bias[i];
    mj_solveM(p->m, p->d, p->a, p->bias, 1);
}

static void inverse(void *user, int k)
{
    peer *p = user;
    put(p, k);
    mj_comVel(p->m, p->d);
    memcpy(p->d->qacc, p->tau + (long)k * p->m->nv, (size_t)p->m->nv * sizeof(double));
    mj_rne(p->m, p->d, 1, p->a);
}

static void mass(void *user, int k)
{
    put(user, k);
    mj_crb(((peer *)user)->m, ((peer *)user)->d);
}

static int revolute_values(double *y, void *user)
{
    const peer *p = user;
    const int first = p->shape == TREE_LEGS;
    for (int i = first; i < p->n; i++)
        y[i - first] = p->a[p->address_v[i]];
    return p->n - first;
}

static int mass_values(double *y, void *user)
{
    peer *p = user;
    mj_mulM(p->m, p->d, p->a, p->v);
    const int n = revolute_values(y, p);
    y[n] = mju_dot(p->a, p->v, p->m->nv);
    return n + 1;
}

static void make_peer(peer *p)
{
    const size_t n = (size_t)p->n;
    p->bodies = calloc(n, sizeof *p->bodies);
    p->address_q = calloc(n, sizeof(int));
    p->address_v = calloc(n, sizeof(int));
    tree_fill(p->bodies, p->shape, p->n);
    load(p);
    refine_inertia(p);
    find_addresses(p);
    const size_t nv = (size_t)p->m->nv, states = (size_t)tree_states(p->n);
    p->q = calloc(states * (size_t)p->m->nq, sizeof(double));
    p->v = calloc(states * nv, sizeof(double));
    p->tau = calloc(states * nv, sizeof(double));
    p->bias = calloc(nv, sizeof(double));
    p->a = calloc(nv, sizeof(double));
    for (int k = 0; k < tree_states(p->n); k++)
        fill_state(p, k);
}

static void free_peer(peer *p)
{
    void *blocks[] = {p->bodies, p->address_q, p->address_v, p->q, p->v, p->tau, p->bias, p->a};
    mj_deleteData(p->d);
    mj_deleteModel(p->m);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        free(blocks[i]);
}

int main(int argc, char **argv)
{
    static const tree_task tasks[] = {{"FD", forward, revolute_values, 1},
                                      {"ID", inverse, revolute_values, 1},
                                      {"M", mass, mass_values, 1}};
    peer p = {0};
    int values;
    tree_arguments(&p.shape, &p.n, &values, argc, argv);
    make_peer(&p);
    const tree_case c = {"MuJoCo", p.shape, p.n, p.m->nv, p.bytes, &p};
    tree_report(&c, tasks, 3, values);
    free_peer(&p);
    return 0;
}
