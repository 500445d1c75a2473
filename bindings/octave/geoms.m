% GEOMS  Simulates a constrained mechanical system without drift off its constraints.
%
%   [t, x, info] = geoms(problem, tspan, x0)
%   [t, x, info] = geoms(problem, tspan, x0, options)
%
% integrates the equations of motion in general form
%
%   p' = kin                      M a = f - W' * [lambda; mu],  a = v'
%   r' = b    0 = d    0 = c      0 = g    0 = gI    0 = hv    0 = W a + bias
%
% with the unknowns x = [w; lambda; mu; r; v; s; p].
%
% tspan    [start, end]: a row for every step. More times, rising or falling: rows at these.
% x0       the start, completed so that every constraint is satisfied.
% t, x     times (a column) and states (one row each).
%
% problem  a struct:
%   np nv nr nw ns nl nm         sizes of p, v, r, w, s, lambda, mu; absent ones are 0
%   ne nep n0                    numbers of invariants e, of invariants ep, of massless rows gam
%   eval        blocks = eval(t, x) or eval(t, x, need): a struct with the fields
%                 kin (np) f (nv) b (nr) d (nw) c (ns) g (nl) ep (nep) gI (nl) hv (nm) e (ne)
%                 gam (n0) W (nl+nm x nv) K0 (nv x n0) bias (nl+nm)
%               as far as the problem has them. need.kinematics, .force, .dynamic, .auxiliary,
%               .position (c g ep), .velocity (gI hv e gam), .directions (W K0), .bias say which are
%               used; others may be left out. NaN asks for a smaller step, an error ends the run.
%   mass        a matrix, the vector of its diagonal, or a function M = mass(t, x); identity if absent
%   mass_times  y = mass_times(t, x, a) = M a, instead of mass
%   residual    y = residual(t, x, a) = M a - f, instead of mass and f
%   jacobian    J = jacobian(t, x, a): a struct with the fields d, acc, vel, gam, pos, b, dyn, kin;
%               differences if absent
%   contract    'native' (default) or 'geoms': f with constraint forces, bias without accelerations
%   mass_diagonal, mass_constant, trivial_kinematics, autonomous, no_bias,
%   forces_free_of_multipliers   true or false (default)
%   names       a struct of cell arrays for messages: names.p = {'x', 'y'}, names.g = {'rod'}
%   bodies      an array of structs first_v, nv, first_p, np, for options.norm = 'body'
%   pattern     a sparse matrix: nonzeros of [d; acc; vel; gam; pos; b; dyn; kin], for differences
%
% options  a struct; absent and empty fields are the default:
%   rtol (1e-6), atol (follows the values)     one number, or one per unknown
%   order                        1, 5, 9 or 13; default: 5, 9 or 13 as it pays
%   form                         'psf' (default), 'psi1', 'eom', 'eom2', 'eom1', 'uode', 'ggl', 'baumgarte',
%                                'odae', 'ext316', 'ext317', 'pinv', 'tangent', 'partition', 'explicit',
%                                'implicit', 'qr', 'svd'
%   integrator                   'radau' (default), 'bdf', 'trapezoidal', 'midpoint', 'half-explicit',
%                                'explicit-pair'
%   baumgarte_alpha, baumgarte_beta, lagged, independent   of the forms that have them
%   first_step max_step fixed_step accept_unconverged max_steps safety min_factor max_factor keep_low keep_high
%   selectors ('orthogonal' 'unit' 'user') select renewal ('default' 'on_change' 'always')
%   algebraic ('auto' 'lu' 'qr' 'svd') differential ('lu' 'qr') carry_accelerations
%   rigid_invariants norm ('rms' 'body') rounding rank_tolerance redundant
%   reference ('default' 'start' 'stage1' 'stage2' 'stage3') prediction ('extrapolate' 'constant')
%   control ('predictive' 'classical') newton_iterations newton_updates newton_tolerance
%   multiplier_weight jacobian_reuse self_check project_output
%   start       'project' (least change of x0), 'as_given', 'check', 'conditions'
%   held        numbers (or n logical values) of what 'project' never changes; weight: n weights
%   condition   r = condition(t, x): solved together with the constraints; unique: true or false
%   on_step     stop = on_step(t_old, t, x) after every step; true stops the run
%   on_output   stop = on_output(t, x) at the distance `every`, and at the end
%   event       values = event(t, x), whose zeros are located; event_kinds: an array of structs with
%               direction (0, 1 rising, -1 falling) and terminal (true: the run ends there);
%               stop = on_event(number, direction, t, x)
%   log         log(level, text) gets notices, warnings and rejected steps
%   keep_partial  true: a run that fails on its way returns what there is, info says why
%
% info     status ('completed', 'stopped', 'failed'), identifier, message, t, x, step (proposed next),
%          order, initial (given, held, corrected), events (t, event, direction, x), statistics,
%          max_residual (largest residuals over all steps), messages.
%
% Failures are errors with the identifiers driftless:invalid, driftless:inconsistent,
% driftless:not_converged, driftless:singular, driftless:rank_changed, driftless:too_many_steps,
% driftless:not_finite, driftless:callback, driftless:no_memory. An error inside one of your
% functions comes out as it is.
%
% See docs/octave.md for examples, docs/reference.md for every option.
%
% See also: driftless_run

function [t, x, info] = geoms(problem, tspan, x0, options)
    if nargin < 3
        error('driftless:invalid', 'geoms: give a problem, the times and the start, see help geoms');
    end
    if nargin < 4
        options = struct();
    end
    [t, x, info, failure] = geoms_mex(problem, tspan, x0, options, @driftless_trap, ...
                                      takes_need(problem));
    driftless_raise('geoms', failure);
end

% Whether problem.eval has a third argument.
function yes = takes_need(problem)
    yes = false;
    try
        count = nargin(problem.eval);
        yes = count > 2 || count < 0;
    catch
    end
end
