#ifndef SETTLE_CPQ_SHIM_H
#define SETTLE_CPQ_SHIM_H

#include <libpq-fe.h>

#ifdef __linux__
/* One of the system's own that Swift's Glibc module leaves out. */
#include <pthread.h>
int pthread_setname_np(pthread_t thread, const char *name);
#endif

#endif
