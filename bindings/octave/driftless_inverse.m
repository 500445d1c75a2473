% DRIFTLESS_INVERSE  The inputs with which a model script follows the motions that it prescribes.
%
%   r = driftless_inverse('hoist.lua')
%   r = driftless_inverse('hoist.lua', options)
%
% options  a struct; absent and empty fields are what the script says, else the default:
%   to, from, every, rtol, ... settings of simulate{}
%   set      values of parameters, inputs and settings: a struct, set.m = 2, or pairs {'arm.m', 2}
%   quiet    true: what the script prints is dropped
%
% r.time         times, a column
% r.names        the names of all columns: variables, outputs, inputs, and their powers power(NAME)
% r.values       one row per time
% r.columns      the same by name: r.columns.x, r.columns.push, r.columns.power_push
% r.drives       the names of the inputs; r.peak and r.rms, one number for each
%
% Failures are errors with identifiers as those of geoms.
%
% See also: driftless_run

function r = driftless_inverse(file, options)
    if nargin < 1
        error('driftless:invalid', 'driftless_inverse: name the model''s file, see help driftless_inverse');
    end
    if nargin < 2
        options = struct();
    end
    r = driftless_analyse('inverse', file, options, {});
    r.columns = driftless_columns(r.names, r.values);
end
