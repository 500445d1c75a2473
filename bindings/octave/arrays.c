/* arrays.c: numbers in and out of the interpreter's arrays. */
#include "gateway.h"

#include <stdio.h>
#include <string.h>

static void expand_sparse(double *out, const mxArray *value, size_t rows, size_t columns);
static bool convert(double *out, const mxArray *value, size_t count);

bool gateway_is_function(const mxArray *value)
{
    return mxIsClass(value, "function_handle");
}

bool gateway_is_numeric(const mxArray *value)
{
    return (mxIsNumeric(value) || mxIsLogical(value)) && !mxIsComplex(value) &&
           mxGetNumberOfDimensions(value) == 2;
}

bool gateway_copy(double *out, char why[GATEWAY_WHY], const mxArray *value, int rows, int columns)
{
    if (!gateway_is_numeric(value)) {
        snprintf(why, GATEWAY_WHY, "is %s; give real numbers",
                 mxIsComplex(value) ? "complex" : mxGetClassName(value));
        return false;
    }
    const size_t m = mxGetM(value), n = mxGetN(value), count = (size_t)rows * (size_t)columns;
    const bool vector = columns == 1 && (m == 1 || n == 1) && m * n == count;
    if (!vector && !(m == (size_t)rows && n == (size_t)columns) && !(count == 0 && m * n == 0)) {
        snprintf(why, GATEWAY_WHY, "is %zu x %zu; it must be %d x %d", m, n, rows, columns);
        return false;
    }
    if (mxIsSparse(value))
        expand_sparse(out, value, m, n);
    else if (mxIsDouble(value))
        memcpy(out, mxGetData(value), count * sizeof *out);
    else if (!convert(out, value, count)) {
        snprintf(why, GATEWAY_WHY, "is %s; give doubles", mxGetClassName(value));
        return false;
    }
    return true;
}

static void expand_sparse(double *out, const mxArray *value, size_t rows, size_t columns)
{
    const mwIndex *start = mxGetJc(value), *row = mxGetIr(value);
    const bool logical = mxIsLogical(value);
    const void *data = mxGetData(value);
    memset(out, 0, rows * columns * sizeof *out);
    for (size_t j = 0; j < columns; j++)
        for (mwIndex k = start[j]; k < start[j + 1]; k++)
            out[(size_t)row[k] + rows * j] =
                logical ? (double)((const mxLogical *)data)[k] : ((const double *)data)[k];
}

/* What a user may write for numbers beside doubles. */
static bool convert(double *out, const mxArray *value, size_t count)
{
    const void *data = mxGetData(value);
    for (size_t i = 0; i < count; i++) {
        if (mxIsLogical(value))
            out[i] = ((const mxLogical *)data)[i];
        else if (mxIsSingle(value))
            out[i] = (double)((const float *)data)[i];
        else if (mxIsInt32(value))
            out[i] = ((const int *)data)[i];
        else
            return false;
    }
    return true;
}

mxArray *gateway_vector(const double *values, int count)
{
    mxArray *array = mxCreateDoubleMatrix((mwSize)count, 1, mxREAL);
    if (count > 0)
        memcpy(mxGetData(array), values, (size_t)count * sizeof *values);
    return array;
}

mxArray *gateway_scalar(double value)
{
    return mxCreateDoubleScalar(value);
}

mxArray *gateway_record(void)
{
    return mxCreateStructMatrix(1, 1, 0, NULL);
}

mxArray *gateway_element(const mxArray *array, int i)
{
    mxArray *one = gateway_record();
    for (int k = 0; k < mxGetNumberOfFields(array); k++)
        gateway_set(one, mxGetFieldNameByNumber(array, k),
                    mxDuplicateArray(mxGetFieldByNumber(array, (mwIndex)i, k)));
    return one;
}

void gateway_set(mxArray *record, const char *name, mxArray *value)
{
    mxAddField(record, name);
    mxSetField(record, 0, name, value);
}
