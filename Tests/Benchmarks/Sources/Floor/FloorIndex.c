#ifdef __linux__
#define _GNU_SOURCE
#endif

#include "Floor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "FloorStore.h"
#include "FloorText.h"

/// A row before it is stored: where its key lies, and its value.
typedef struct {
    const uint8_t *key;
    size_t key_length;
    int64_t amount;
} index_row;

/// Rows in no order, and the bytes of their keys.
typedef struct {
    index_row *rows;
    size_t count;
    uint8_t *keys;
    size_t keys_length;
} index_rows;

static uint8_t *put(uint8_t *place, const void *bytes, size_t length) {
    memcpy(place, bytes, length);
    return place + length;
}

/// Makes the row of a document; there is room for it.
static int add_row(index_rows *rows, const MDB_val *identifier, const MDB_val *text) {
    const char *type = AFTER(text, "\"type\":\"");
    const char *city = AFTER(text, "\"city\":\"");
    const char *amount = AFTER(text, "\"amount\":");
    if (type == NULL || city == NULL || amount == NULL) return MDB_INVALID;
    const char *end = (const char *)text->mv_data + text->mv_size;
    uint8_t *key = rows->keys + rows->keys_length;
    uint8_t *next = put(key, type, length_at(type, end));
    *next++ = 0;
    next = put(next, city, length_at(city, end));
    *next++ = 0;
    next = put(next, identifier->mv_data, identifier->mv_size);
    rows->rows[rows->count++] =
        (index_row){key, (size_t)(next - key), (int64_t)number_at(amount, end)};
    rows->keys_length += (size_t)(next - key);
    return 0;
}

/// Makes the rows of all documents that a cursor walks.
static int collect_rows(MDB_cursor *cursor, index_rows *rows) {
    MDB_val identifier;
    MDB_val text;
    int status;
    while (!(status = mdb_cursor_get(cursor, &identifier, &text, MDB_NEXT))) {
        status = add_row(rows, &identifier, &text);
        if (status) return status;
    }
    return status == MDB_NOTFOUND ? 0 : status;
}

/// Makes the rows of all documents; what `rows` points to is the caller's to free.
static int make_rows(floor_store *documents, index_rows *rows) {
    MDB_txn *transaction;
    int status = mdb_txn_begin(documents->environment, NULL, MDB_RDONLY, &transaction);
    if (status) return status;
    MDB_stat statistics;
    status = mdb_stat(transaction, documents->table, &statistics);
    MDB_cursor *cursor = NULL;
    if (!status) status = mdb_cursor_open(transaction, documents->table, &cursor);
    if (!status) {
        // Type and city are short words: a key takes less than 64 bytes.
        rows->rows = malloc((statistics.ms_entries + 1) * sizeof *rows->rows);
        rows->keys = malloc((statistics.ms_entries + 1) * 64);
        status = rows->rows == NULL || rows->keys == NULL ? ENOMEM : collect_rows(cursor, rows);
    }
    if (cursor != NULL) mdb_cursor_close(cursor);
    mdb_txn_abort(transaction);
    return status;
}

static int compare_rows(const void *left, const void *right) {
    const index_row *one = left;
    const index_row *other = right;
    size_t shared =
        one->key_length < other->key_length ? one->key_length : other->key_length;
    int order = memcmp(one->key, other->key, shared);
    if (order) return order;
    return (one->key_length > other->key_length) - (one->key_length < other->key_length);
}

static int append_rows(floor_store *index, const index_rows *rows) {
    MDB_txn *transaction;
    int status = mdb_txn_begin(index->environment, NULL, 0, &transaction);
    if (status) return status;
    for (size_t place = 0; place < rows->count && !status; place++) {
        const index_row *row = &rows->rows[place];
        MDB_val key = value_of(row->key, row->key_length);
        MDB_val amount = {sizeof row->amount, (void *)&row->amount};
        status = mdb_put(transaction, index->table, &key, &amount, MDB_APPEND);
    }
    if (status) {
        mdb_txn_abort(transaction);
        return status;
    }
    return mdb_txn_commit(transaction);
}

int floor_build_index(floor_store *documents, floor_store *index) {
    index_rows rows = {0};
    int status = make_rows(documents, &rows);
    if (!status) {
        qsort(rows.rows, rows.count, sizeof *rows.rows, compare_rows);
        status = append_rows(index, &rows);
    }
    free(rows.rows);
    free(rows.keys);
    return status;
}

int floor_clear(floor_store *store) {
    MDB_txn *transaction;
    int status = mdb_txn_begin(store->environment, NULL, 0, &transaction);
    if (status) return status;
    status = mdb_drop(transaction, store->table, 0);
    if (status) {
        mdb_txn_abort(transaction);
        return status;
    }
    return mdb_txn_commit(transaction);
}

int floor_sum_index(
    floor_store *index, const uint8_t *lower, size_t lower_length, const uint8_t *upper,
    size_t upper_length, size_t *count, int64_t *sum) {
    *count = 0;
    *sum = 0;
    MDB_txn *transaction;
    int status = mdb_txn_begin(index->environment, NULL, MDB_RDONLY, &transaction);
    if (status) return status;
    MDB_cursor *cursor;
    status = mdb_cursor_open(transaction, index->table, &cursor);
    if (status) {
        mdb_txn_abort(transaction);
        return status;
    }
    MDB_val end = value_of(upper, upper_length);
    MDB_val key = value_of(lower, lower_length);
    MDB_val amount;
    status = mdb_cursor_get(cursor, &key, &amount, lower_length > 0 ? MDB_SET_RANGE : MDB_FIRST);
    while (!status) {
        if (upper_length > 0 && mdb_cmp(transaction, index->table, &key, &end) >= 0) break;
        int64_t number;
        memcpy(&number, amount.mv_data, sizeof number);
        *count += 1;
        *sum += number;
        status = mdb_cursor_get(cursor, &key, &amount, MDB_NEXT);
    }
    mdb_cursor_close(cursor);
    mdb_txn_abort(transaction);
    return status == MDB_NOTFOUND ? 0 : status;
}

int floor_table_bytes(floor_store *store, size_t *bytes) {
    MDB_txn *transaction;
    int status = mdb_txn_begin(store->environment, NULL, MDB_RDONLY, &transaction);
    if (status) return status;
    MDB_stat statistics;
    status = mdb_stat(transaction, store->table, &statistics);
    mdb_txn_abort(transaction);
    if (status) return status;
    size_t pages = statistics.ms_branch_pages + statistics.ms_leaf_pages;
    *bytes = (pages + statistics.ms_overflow_pages) * statistics.ms_psize;
    return 0;
}
