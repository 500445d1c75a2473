% [failure, ...] = driftless_trap(n, f, ...)  calls f for n results and catches its error as a struct.
% n = -1: one result if f returns any, else an empty one.
function [failure, varargout] = driftless_trap(n, f, varargin)
    failure = [];
    varargout = cell(1, abs(n));
    try
        if n >= 0
            [varargout{1:n}] = f(varargin{:});
        else
            f(varargin{:});
            if exist('ans', 'var') % only where f returned something
                varargout{1} = ans;
            end
        end
    catch err
        failure = struct('message', err.message, 'identifier', err.identifier);
        failure.stack = err.stack;
    end
end
