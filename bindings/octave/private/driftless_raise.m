% driftless_raise(name, failure)  raises the failure of a gateway, if there is one: a user's error as it
% was, one of the library with the name of the function in front.
function driftless_raise(name, failure)
    if isempty(failure)
        return
    end
    if ~isstruct(failure)
        rethrow(failure);
    elseif isfield(failure, 'stack')
        error(failure);
    else
        error(failure.identifier, '%s: %s', name, failure.message);
    end
end
