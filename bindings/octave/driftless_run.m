% DRIFTLESS_RUN  Simulates a model script, as the program `driftless run` does.
%
%   r = driftless_run('pendulum.lua')
%   r = driftless_run('pendulum.lua', options)
%
% options  a struct; absent and empty fields are what the script says, else the default:
%   to, from       end and start of the simulated time
%   rtol (1e-6), atol (follows the model)
%   every          rows at this distance of time (default: one per step); interpolate: true does not
%                  move them onto the constraints
%   set            a struct with values of parameters, inputs and settings, set.L = 2, or a cell array
%                  {'arm.L', 2; 'arm.m', 3}
%   form           'psf', 'psi1', 'ggl', ...; method 'radau', 'radau5', 'bdf', ...; evaluation 'auto', 'tape', 'native' or 'recursion'
%   first_step, max_step, fixed_step, accept_unconverged, max_steps, and the settings of the method
%   quiet          true: what the script prints is dropped
%   allow_fmu      true: fmu(...) in the script may start libraries of FMUs, which no sandbox keeps from anything
%   keep_partial   true: a run that fails on its way returns what there is, r.status says so
%
% r.time         times, a column
% r.names        the names of all columns: states, then outputs, as in every other result
% r.values       one row per time
% r.columns      the same by name: r.columns.x, r.columns.der_x, r.columns.lambda_rod; what no field can
%                be called becomes '_'
% r.status       'completed', 'stopped' (by an event), 'failed'; r.message, r.identifier
% r.events       time, name, direction
% r.initial      given, held, corrected, in the order of r.names
% r.statistics, r.max_residual, r.energy_drift, r.seconds, r.form, r.method, r.model, r.messages
%
% Failures are errors with identifiers as those of geoms.
%
% See also: geoms

function r = driftless_run(file, options)
    if nargin < 1
        error('driftless:invalid', 'driftless_run: name the model''s file, see help driftless_run');
    end
    if nargin < 2
        options = struct();
    end
    [r, failure] = driftless_run_mex(file, options, @driftless_trap, @() []);
    driftless_raise('driftless_run', failure);
    r.columns = driftless_columns(r.names, r.values);
end
