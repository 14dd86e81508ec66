#ifndef SETTLE_CLMDB_SHIM_H
#define SETTLE_CLMDB_SHIM_H

#include <lmdb.h>

#ifdef __linux__
/* Two of the system's own that Swift's Glibc module leaves out. */
#include <pthread.h>
#include <sys/statfs.h>
int pthread_setname_np(pthread_t thread, const char *name);
#endif

#endif
