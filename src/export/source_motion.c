/* source_motion.c: blocks of exported C besides the equations: derivatives by parameters; poses,
   velocities, accelerations and Jacobians of the frames of a mechanism. */
#include "export/source_internal.h"

#include <string.h>

enum { POSE = 12, TWIST = 6 };

static dfl_status list_slopes(dfl_source *source);
static dfl_status list_frames(dfl_source *source);
static void list_pose(dfl_expr *out, dfl_graph *g, const dfl_model_frame *frame);
static dfl_status list_columns(dfl_source *source);

dfl_status dfl_source_add_motion(dfl_source *source)
{
    const dfl_status status = source->eq->have_jacobians ? list_slopes(source) : DFL_OK;
    return status || source->eq->model->frames.count == 0 ? status : list_frames(source);
}

void dfl_source_clear_motion(dfl_source *source)
{
    dfl_equation_jacobian_clear(&source->slopes, source->ctx);
    dfl_sparse_clear(&source->columns, source->ctx);
    dfl_free(source->ctx, source->frames);
}

/* ------------------------------------------------------------------------------- parameters */

static dfl_status list_slopes(dfl_source *source)
{
    const dfl_equations *eq = source->eq;
    const int count = source->nparams + source->ninputs;
    dfl_expr *symbols = dfl_alloc(source->ctx, (size_t)count, sizeof *symbols);
    if (!symbols)
        return DFL_NO_MEMORY;
    for (int i = 0; i < count; i++)
        symbols[i] =
            dfl_symbol_expr(eq->graph, i < source->nparams ? DFL_SYM_PARAM : DFL_SYM_INPUT,
                            i < source->nparams ? i : i - source->nparams, source->par[i]->name);
    const dfl_status status =
        count > 0 ? dfl_equations_slopes(&source->slopes, eq, symbols, count) : DFL_OK;
    const dfl_equation_jacobian *s = &source->slopes;
    const struct {
        const char *name, *meaning;
        const dfl_sparse *matrix;
    } all[] = {{"slopes_d", "derivatives of d, by parameters and inputs", &s->d},
               {"slopes_acc", "derivatives of W a + bias, by parameters and inputs", &s->acc},
               {"slopes_vel", "derivatives of gI, hv, e, by parameters and inputs", &s->vel},
               {"slopes_gam", "derivatives of gam, by parameters and inputs", &s->gam},
               {"slopes_pos", "derivatives of c, g, ep, by parameters and inputs", &s->pos},
               {"slopes_b", "derivatives of b, by parameters and inputs", &s->b},
               {"slopes_dyn", "derivatives of f - W^T (lambda, mu) - M a, by parameters and inputs",
                &s->dyn},
               {"slopes_kin", "derivatives of kin, by parameters and inputs", &s->kin}};
    for (int i = 0; !status && count > 0 && i < DFL_BLOCKS - DFL_BLOCK_S_D; i++)
        source->block[DFL_BLOCK_S_D + i] = (dfl_block){.name = all[i].name,
                                                       .meaning = all[i].meaning,
                                                       .rows = all[i].matrix->nrows,
                                                       .cols = all[i].matrix->ncols,
                                                       .matrix = all[i].matrix};
    dfl_free(source->ctx, symbols);
    return status;
}

/* ------------------------------------------------------------------------------- frames */

static dfl_status list_frames(dfl_source *source)
{
    const dfl_equations *eq = source->eq;
    const int count = eq->model->frames.count;
    source->frames =
        dfl_alloc(source->ctx, (size_t)count * (POSE + 2 * TWIST), sizeof *source->frames);
    if (!source->frames)
        return DFL_NO_MEMORY;
    dfl_expr *poses = source->frames, *speeds = poses + count * POSE,
             *accelerations = speeds + count * TWIST;
    for (int i = 0; i < count; i++) {
        const dfl_model_frame *frame = &eq->model->frames.item[i];
        list_pose(poses + i * POSE, eq->graph, frame);
        memcpy(speeds + i * TWIST, frame->v, sizeof frame->v);
        memcpy(speeds + i * TWIST + 3, frame->omega, sizeof frame->omega);
        memcpy(accelerations + i * TWIST, frame->a, sizeof frame->a);
        memcpy(accelerations + i * TWIST + 3, frame->alpha, sizeof frame->alpha);
    }
    source->block[DFL_BLOCK_POSES] =
        (dfl_block){.name = "frame_poses",
                    .meaning = "of each frame its origin, then its rotation by rows, in world axes",
                    .rows = count * POSE,
                    .cols = 1,
                    .vector = poses};
    source->block[DFL_BLOCK_SPEEDS] = (dfl_block){
        .name = "frame_velocities",
        .meaning = "of each frame the velocity of its origin, then its angular velocity",
        .rows = count * TWIST,
        .cols = 1,
        .vector = speeds};
    source->block[DFL_BLOCK_ACCELERATIONS] =
        (dfl_block){.name = "frame_accelerations",
                    .meaning = "the derivatives of frame_velocities",
                    .rows = count * TWIST,
                    .cols = 1,
                    .vector = accelerations};
    return list_columns(source);
}

/* In the plane there is an angle. */
static void list_pose(dfl_expr *out, dfl_graph *g, const dfl_model_frame *frame)
{
    memcpy(out, frame->r, sizeof frame->r);
    memcpy(out + 3, frame->R, sizeof frame->R);
    if (!frame->planar)
        return;
    const dfl_expr c = dfl_unary(g, DFL_OP_COS, frame->angle);
    const dfl_expr s = dfl_unary(g, DFL_OP_SIN, frame->angle);
    const dfl_expr zero = dfl_constant(g, 0), one = dfl_constant(g, 1);
    const dfl_expr R[9] = {c, dfl_neg(g, s), zero, s, c, zero, zero, zero, one};
    memcpy(out + 3, R, sizeof R);
}

static int place_of(const dfl_equations *eq, dfl_expr velocity)
{
    const dfl_variable *v = eq->x + eq->nw + eq->nl + eq->nm + eq->nr;
    int place = 0;
    while (place < eq->nv && v[place].symbol != velocity)
        place++;
    return place;
}

static dfl_status list_columns(dfl_source *source)
{
    const dfl_equations *eq = source->eq;
    const int count = eq->model->frames.count;
    dfl_sparse *J = &source->columns;
    *J = (dfl_sparse){.nrows = count * TWIST, .ncols = eq->nv};
    J->entry = dfl_alloc(source->ctx, (size_t)J->nrows * (size_t)eq->nv, sizeof *J->entry);
    if (!J->entry)
        return DFL_NO_MEMORY;
    for (int i = 0; i < count; i++) {
        const dfl_model_frame *frame = &eq->model->frames.item[i];
        for (int k = 0; k < frame->ncolumns; k++) {
            const dfl_frame_column *column = &frame->columns[k];
            const int place = place_of(eq, column->u);
            for (int j = 0; j < TWIST && place < eq->nv; j++) {
                const dfl_expr e = j < 3 ? column->v[j] : column->omega[j - 3];
                if (e != 0)
                    J->entry[J->count++] = (dfl_entry){i * TWIST + j, place, e};
            }
        }
    }
    source->block[DFL_BLOCK_COLUMNS] =
        (dfl_block){.name = "frame_jacobians",
                    .meaning = "derivatives of frame_velocities, with respect to v",
                    .rows = J->nrows,
                    .cols = J->ncols,
                    .matrix = J};
    return DFL_OK;
}
