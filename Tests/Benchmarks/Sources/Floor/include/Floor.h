#ifndef BENCHMARKS_FLOOR_H
#define BENCHMARKS_FLOOR_H

#include <stddef.h>
#include <stdint.h>

/// One LMDB environment with default flags (durable) that keeps JSON texts under identifiers in
/// its main table.
///
/// Documents are handed in together: the texts one after the other, where each starts (and, as one
/// more number, where the last ends), and the identifiers one after the other, all of one length.
/// Functions that return an int return 0 or an error of LMDB's; see floor_message.
typedef struct floor_store floor_store;

/// Makes or opens the environment in a folder that exists.
///
/// @return NULL on an error, which is in `error` then.
floor_store *floor_open(const char *folder, size_t map_size, int *error);

void floor_close(floor_store *store);

/// Puts documents in their order, `batch` of them in each transaction.
///
/// @param append 0 for a plain put, else MDB_APPEND is said too.
int floor_insert(
    floor_store *store, const uint8_t *texts, const size_t *starts, const uint8_t *keys,
    size_t key_length, size_t count, size_t batch, int append);

/// Gets documents in one read transaction, without looking at them.
///
/// @param picks The numbers of the documents in `keys`.
/// @param bytes The length of all texts found.
int floor_read(
    floor_store *store, const uint8_t *keys, size_t key_length, const size_t *picks, size_t count,
    size_t *bytes);

/// As floor_read, and finds amount, name, and city by searching the bytes.
int floor_read_fields(
    floor_store *store, const uint8_t *keys, size_t key_length, const size_t *picks, size_t count,
    size_t *amounts, size_t *text_bytes);

/// Walks all documents, without looking at them.
int floor_scan(floor_store *store, size_t *count, size_t *bytes);

/// Walks all documents, and finds amount and type by searching the bytes.
int floor_scan_fields(floor_store *store, size_t *count, size_t *amounts, size_t *text_bytes);

/// Fills the table of an index from all documents of another store, in one transaction: finds type,
/// city, and amount by searching the bytes, sorts, and appends.
///
/// The key of a row is the type, a zero, the city, a zero, and the identifier; its value is the
/// amount in the 8 bytes of an int64_t.
///
/// @param index A store whose table is empty.
int floor_build_index(floor_store *documents, floor_store *index);

/// Empties the table; its pages are used again.
int floor_clear(floor_store *store);

/// Adds up the amounts of the rows of an index from one key up to, not including, another.
///
/// @param lower_length 0 to begin with the first row.
/// @param upper_length 0 to go on to the last row.
int floor_sum_index(
    floor_store *index, const uint8_t *lower, size_t lower_length, const uint8_t *upper,
    size_t upper_length, size_t *count, int64_t *sum);

/// The bytes of the pages that the table takes.
int floor_table_bytes(floor_store *store, size_t *bytes);

/// What an error means.
const char *floor_message(int error);

/// The version of liblmdb, as 0.9.24.
const char *floor_version(void);

#endif
