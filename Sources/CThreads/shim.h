// The one function for threads that Settle calls and Swift's Glibc module leaves out.

#ifndef SETTLE_CTHREADS_SHIM_H
#define SETTLE_CTHREADS_SHIM_H

#ifdef __linux__
#include <pthread.h>
int pthread_setname_np(pthread_t thread, const char *name);
#endif

#endif
