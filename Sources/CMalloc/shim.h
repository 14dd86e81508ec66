// The one function of the C library's allocator that Settle calls, which Swift's Glibc module leaves out.

#ifndef SETTLE_CMALLOC_SHIM_H
#define SETTLE_CMALLOC_SHIM_H

// Says whose C library it is, where there is one of several.
#include <stdlib.h>

#if defined(__linux__) && defined(__GLIBC__)
#include <malloc.h>
#endif

/// Gives free memory back to the system, as far as the C library knows how to.
static inline void settle_malloc_trim(void) {
#if defined(__linux__) && defined(__GLIBC__)
    (void)malloc_trim(0);
#endif
}

#endif
