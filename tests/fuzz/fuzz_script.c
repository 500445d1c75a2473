/* fuzz_script.c: bytes as a model script. */
#include "bytes.h"
#include "try_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_model((const char *)data, size, false);
    return 0;
}
