% fails(identifier, text, f)  checks that f() raises an error with this identifier and text.
function fails(identifier, text, f)
    raised = [];
    try
        f();
    catch raised
    end
    if isempty(raised)
        error('test:failed', 'no error, but %s was expected: %s', identifier, text);
    end
    found = isempty(text) || ~isempty(strfind(raised.message, text));
    if ~strcmp(raised.identifier, identifier) || ~found
        error('test:failed', 'expected %s "%s" but got %s "%s"', identifier, text, ...
              raised.identifier, raised.message);
    end
end
