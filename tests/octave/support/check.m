% check(condition, format, ...)  fails with this sentence unless the condition holds.
function check(condition, varargin)
    if ~all(condition(:)) || isempty(condition)
        error('test:failed', 'not true: %s', sprintf(varargin{:}));
    end
end
