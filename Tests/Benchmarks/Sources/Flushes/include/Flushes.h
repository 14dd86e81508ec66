#ifndef BENCHMARKS_FLUSHES_H
#define BENCHMARKS_FLUSHES_H

/// Whether flushes are counted on this system.
int flushes_are_counted(void);

/// How often this process has asked the system to bring data to the disk, since it started.
///
/// Counted are `fsync`, `fdatasync`, `msync` with MS_SYNC, and writes to a descriptor that was
/// opened with O_DSYNC or O_SYNC, which is how LMDB stores its meta page.
unsigned long long flushes_count(void);

#endif
