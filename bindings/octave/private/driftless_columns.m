% columns = driftless_columns(names, values)  the columns of a matrix as fields: der(x) becomes der_x; a name that is
% taken gets one more '_'.
function columns = driftless_columns(names, values)
    columns = struct();
    for i = 1:numel(names)
        field = regexprep(regexprep(names{i}, '[^A-Za-z0-9_]+', '_'), '_+$', '');
        if isempty(field) || ~isletter(field(1))
            field = ['x', field];
        end
        while isfield(columns, field)
            field = [field, '_'];
        end
        columns.(field) = values(:, i);
    end
end
