#ifndef BENCHMARKS_LMDB_SHIM_H
#define BENCHMARKS_LMDB_SHIM_H

#include <lmdb.h>

#endif
