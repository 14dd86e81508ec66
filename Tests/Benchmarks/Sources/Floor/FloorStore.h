#ifndef BENCHMARKS_FLOOR_STORE_H
#define BENCHMARKS_FLOOR_STORE_H

#include <lmdb.h>
#include <stddef.h>
#include <stdint.h>

struct floor_store {
    MDB_env *environment;
    MDB_dbi table;
};

static inline MDB_val value_of(const uint8_t *bytes, size_t length) {
    // LMDB only reads what it is given here.
    MDB_val value = {length, (void *)bytes};
    return value;
}

#endif
