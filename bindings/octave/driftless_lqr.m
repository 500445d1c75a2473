% DRIFTLESS_LQR  State feedback u = -K y of a model script near a state that minimizes the integral of weighted squares.
%
%   r = driftless_lqr('crane.lua', struct('state_weight', struct('x', 10), 'input_weight', struct('drive', 0.1)))
%
% options  a struct; absent and empty fields are what the script says, else the default:
%   at       where: a struct of values by name, at.x = 0.1, pairs {'der(x)', 2}, 't=0.5' (of a run) or 'equilibrium';
%            default: the consistent start of the script
%   steady   coordinates whose speeds are kept, a steady motion: 'yaw', or a cell array
%   set      values of parameters, inputs and settings: a struct, set.m = 2, or pairs {'arm.m', 2}
%   quiet    true: what the script prints is dropped
%   and settings of simulate{}, such as rtol
%   state_weight   weights of squares of variables or outputs: a struct, pairs {'der(x)', 2}, or a text 'x=10,der(x)=2'
%   input_weight   of inputs; those not named have 1
%
% r.K              r.inputs are the names of its rows, r.states of its columns
% r.poles          of the closed loop
% r.uncontrollable, r.unobservable   numbers of modes that no input reaches, that no output shows
% r.t, r.kind      as of driftless_linearize
%
% Failures are errors with identifiers as those of geoms.
%
% See also: driftless_linearize

function r = driftless_lqr(file, options)
    if nargin < 1
        error('driftless:invalid', 'driftless_lqr: name the model''s file, see help driftless_lqr');
    end
    if nargin < 2
        options = struct();
    end
    if ~isstruct(options) || ~isfield(options, 'state_weight') || isempty(options.state_weight)
        error('driftless:invalid', 'driftless_lqr: give options.state_weight, weights of variables or outputs by name');
    end
    r = driftless_analyse('lqr', file, options, {'inputs', 'outputs', 'state_weight', 'input_weight'});
    r.poles = complex(r.re, r.im);
    r = rmfield(r, {'re', 'im', 'hz', 'damping', 'unstable', 'stability'});
end
