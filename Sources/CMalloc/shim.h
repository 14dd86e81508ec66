// The one function of the C library's allocator that Settle calls, which Swift's Glibc module leaves out.

#ifndef SETTLE_CMALLOC_SHIM_H
#define SETTLE_CMALLOC_SHIM_H

// Says whose C library it is, where there is one of several.
#include <stdbool.h>
#include <stdlib.h>

#if defined(__linux__) && defined(__GLIBC__)
#include <malloc.h>
#endif

/// Gives free memory back to the system; false where the C library does not know how to.
static inline bool settle_malloc_trim(void) {
#if defined(__linux__) && defined(__GLIBC__)
    (void)malloc_trim(0);
    return true;
#else
    return false;
#endif
}

#endif
