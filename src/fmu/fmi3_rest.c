/* fmi3_rest.c: functions of FMI 3.0 for what no exported model has: other types, clocks,
   configurations. They succeed if nothing is asked for, and refuse everything else. */
#if !defined(DFL_FMI) || DFL_FMI == 3
#include "fmu/fmi3.h"

#include "fmu/fmu.h"

/* Callers have the declarations of the standard. */
#ifdef __GNUC__
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#endif

static fmi3Status refuse(fmi3Instance c, size_t n)
{
    return n == 0 ? fmi3OK
                  : (fmi3Status)dfl_fmu_refuse(c, "the model has no variables of this type");
}

static fmi3Status refuse_function(fmi3Instance c)
{
    return (fmi3Status)dfl_fmu_refuse(c, "the model does not offer this function");
}

#define OTHER_TYPE(type)                                                                           \
    FMI3 fmi3Status fmi3Get##type(fmi3Instance c, const fmi3ValueReference vr[], size_t n,         \
                                  fmi3##type value[], size_t count)                                \
    {                                                                                              \
        (void)vr, (void)value, (void)count;                                                        \
        return refuse(c, n);                                                                       \
    }                                                                                              \
    FMI3 fmi3Status fmi3Set##type(fmi3Instance c, const fmi3ValueReference vr[], size_t n,         \
                                  const fmi3##type value[], size_t count)                          \
    {                                                                                              \
        (void)vr, (void)value, (void)count;                                                        \
        return refuse(c, n);                                                                       \
    }
OTHER_TYPE(Float32)
OTHER_TYPE(Int8)
OTHER_TYPE(UInt8)
OTHER_TYPE(Int16)
OTHER_TYPE(UInt16)
OTHER_TYPE(Int32)
OTHER_TYPE(UInt32)
OTHER_TYPE(Int64)
OTHER_TYPE(UInt64)
OTHER_TYPE(Boolean)
OTHER_TYPE(String)

FMI3 fmi3Status fmi3GetBinary(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                              size_t sizes[], fmi3Binary value[], size_t count)
{
    (void)vr, (void)sizes, (void)value, (void)count;
    return refuse(c, n);
}

FMI3 fmi3Status fmi3SetBinary(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                              const size_t sizes[], const fmi3Binary value[], size_t count)
{
    (void)vr, (void)sizes, (void)value, (void)count;
    return refuse(c, n);
}

FMI3 fmi3Status fmi3GetClock(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                             fmi3Clock value[])
{
    (void)vr, (void)value;
    return refuse(c, n);
}

FMI3 fmi3Status fmi3SetClock(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                             const fmi3Clock value[])
{
    (void)vr, (void)value;
    return refuse(c, n);
}

FMI3 fmi3Status fmi3GetIntervalDecimal(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                       fmi3Float64 interval[], fmi3IntervalQualifier kind[])
{
    (void)vr, (void)interval, (void)kind;
    return refuse(c, n);
}

FMI3 fmi3Status fmi3GetIntervalFraction(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                        fmi3UInt64 counter[], fmi3UInt64 resolution[],
                                        fmi3IntervalQualifier kind[])
{
    (void)vr, (void)counter, (void)resolution, (void)kind;
    return refuse(c, n);
}

FMI3 fmi3Status fmi3GetShiftDecimal(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                    fmi3Float64 shift[])
{
    (void)vr, (void)shift;
    return refuse(c, n);
}

FMI3 fmi3Status fmi3GetShiftFraction(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                     fmi3UInt64 counter[], fmi3UInt64 resolution[])
{
    (void)vr, (void)counter, (void)resolution;
    return refuse(c, n);
}

FMI3 fmi3Status fmi3SetIntervalDecimal(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                       const fmi3Float64 interval[])
{
    (void)vr, (void)interval;
    return refuse(c, n);
}

FMI3 fmi3Status fmi3SetIntervalFraction(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                        const fmi3UInt64 counter[], const fmi3UInt64 resolution[])
{
    (void)vr, (void)counter, (void)resolution;
    return refuse(c, n);
}

FMI3 fmi3Status fmi3SetShiftDecimal(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                    const fmi3Float64 shift[])
{
    (void)vr, (void)shift;
    return refuse(c, n);
}

FMI3 fmi3Status fmi3SetShiftFraction(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                     const fmi3UInt64 counter[], const fmi3UInt64 resolution[])
{
    (void)vr, (void)counter, (void)resolution;
    return refuse(c, n);
}

FMI3 fmi3Status fmi3GetOutputDerivatives(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                         const fmi3Int32 order[], fmi3Float64 value[], size_t count)
{
    (void)vr, (void)order, (void)value, (void)count;
    return refuse(c, n);
}

FMI3 fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance c, fmi3ValueReference vr,
                                                    size_t *count)
{
    (void)vr, (void)count;
    return refuse_function(c);
}

FMI3 fmi3Status fmi3GetVariableDependencies(fmi3Instance c, fmi3ValueReference dependent,
                                            size_t elements[], fmi3ValueReference independents[],
                                            size_t of[], fmi3DependencyKind kinds[], size_t count)
{
    (void)dependent, (void)elements, (void)independents, (void)of, (void)kinds, (void)count;
    return refuse_function(c);
}

FMI3 fmi3Status fmi3GetAdjointDerivative(fmi3Instance c, const fmi3ValueReference unknown[],
                                         size_t nunknown, const fmi3ValueReference known[],
                                         size_t nknown, const fmi3Float64 seed[], size_t nseed,
                                         fmi3Float64 sensitivity[], size_t nsensitivity)
{
    (void)unknown, (void)nunknown, (void)known, (void)nknown, (void)seed, (void)nseed,
        (void)sensitivity, (void)nsensitivity;
    return refuse_function(c);
}

FMI3 fmi3Status fmi3EnterConfigurationMode(fmi3Instance c)
{
    return refuse_function(c);
}

FMI3 fmi3Status fmi3ExitConfigurationMode(fmi3Instance c)
{
    return refuse_function(c);
}

FMI3 fmi3Status fmi3ActivateModelPartition(fmi3Instance c, fmi3ValueReference clock,
                                           fmi3Float64 time)
{
    (void)clock, (void)time;
    return refuse_function(c);
}

FMI3 fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance c)
{
    (void)c;
    return fmi3OK;
}
#endif
