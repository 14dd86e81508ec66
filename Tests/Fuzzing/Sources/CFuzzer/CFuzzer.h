#pragma once

#include <stddef.h>
#include <stdint.h>

// The entry of libFuzzer for programs that have a main function of their own.
// Source: https://llvm.org/docs/LibFuzzer.html#using-libfuzzer-as-a-library
int LLVMFuzzerRunDriver(
    int *argc, char ***argv, int (*test)(const uint8_t *bytes, size_t count));
