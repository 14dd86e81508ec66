#ifndef SETTLE_CLMDB_SHIM_H
#define SETTLE_CLMDB_SHIM_H

#include <lmdb.h>

#ifdef __linux__
/* One of the system's own that Swift's Glibc module leaves out. */
#include <sys/statfs.h>
#endif

#endif
