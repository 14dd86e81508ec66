#ifndef BENCHMARKS_ALLOCATIONS_H
#define BENCHMARKS_ALLOCATIONS_H

/// Whether allocations are counted on this system.
int allocations_are_counted(void);

/// How many blocks of memory the calling thread has asked for since it started.
unsigned long long allocations_count(void);

#endif
