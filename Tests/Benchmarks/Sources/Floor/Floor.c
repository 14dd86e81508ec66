#ifdef __linux__
#define _GNU_SOURCE
#endif

#include "Floor.h"

#include <stdio.h>
#include <stdlib.h>

#include "FloorStore.h"
#include "FloorText.h"

static int open_table(floor_store *store) {
    MDB_txn *transaction;
    int status = mdb_txn_begin(store->environment, NULL, 0, &transaction);
    if (status) return status;
    status = mdb_dbi_open(transaction, NULL, 0, &store->table);
    if (status) {
        mdb_txn_abort(transaction);
        return status;
    }
    return mdb_txn_commit(transaction);
}

floor_store *floor_open(const char *folder, size_t map_size, int *error) {
    floor_store *store = calloc(1, sizeof *store);
    if (store == NULL) {
        *error = 12;  // ENOMEM
        return NULL;
    }
    *error = mdb_env_create(&store->environment);
    if (*error) {
        free(store);
        return NULL;
    }
    *error = mdb_env_set_mapsize(store->environment, map_size);
    if (!*error) *error = mdb_env_open(store->environment, folder, 0, 0644);
    if (!*error) *error = open_table(store);
    if (*error) {
        floor_close(store);
        return NULL;
    }
    return store;
}

void floor_close(floor_store *store) {
    mdb_env_close(store->environment);
    free(store);
}

int floor_insert(
    floor_store *store, const uint8_t *texts, const size_t *starts, const uint8_t *keys,
    size_t key_length, size_t count, size_t batch, int append) {
    size_t next = 0;
    while (next < count) {
        MDB_txn *transaction;
        int status = mdb_txn_begin(store->environment, NULL, 0, &transaction);
        if (status) return status;
        size_t last = count - next > batch ? next + batch : count;
        for (; next < last; next++) {
            MDB_val key = value_of(keys + next * key_length, key_length);
            MDB_val text = value_of(texts + starts[next], starts[next + 1] - starts[next]);
            status = mdb_put(transaction, store->table, &key, &text, append ? MDB_APPEND : 0);
            if (status) {
                mdb_txn_abort(transaction);
                return status;
            }
        }
        status = mdb_txn_commit(transaction);
        if (status) return status;
    }
    return 0;
}

static int add_amount(const MDB_val *text, size_t *amounts) {
    const char *amount = AFTER(text, "\"amount\":");
    if (amount == NULL) return MDB_INVALID;
    *amounts += number_at(amount, (const char *)text->mv_data + text->mv_size);
    return 0;
}

static int add_length(const MDB_val *text, const char *place, size_t *text_bytes) {
    if (place == NULL) return MDB_INVALID;
    *text_bytes += length_at(place, (const char *)text->mv_data + text->mv_size);
    return 0;
}

/// What is done with each text that is found.
typedef int (*visitor)(const MDB_val *text, size_t *amounts, size_t *text_bytes);

static int visit_length(const MDB_val *text, size_t *amounts, size_t *text_bytes) {
    (void)amounts;
    *text_bytes += text->mv_size;
    return 0;
}

static int visit_three_fields(const MDB_val *text, size_t *amounts, size_t *text_bytes) {
    int status = add_amount(text, amounts);
    if (!status) status = add_length(text, AFTER(text, "\"name\":\""), text_bytes);
    if (!status) status = add_length(text, AFTER(text, "\"city\":\""), text_bytes);
    return status;
}

static int visit_two_fields(const MDB_val *text, size_t *amounts, size_t *text_bytes) {
    int status = add_amount(text, amounts);
    if (!status) status = add_length(text, AFTER(text, "\"type\":\""), text_bytes);
    return status;
}

static inline int read_each(
    floor_store *store, const uint8_t *keys, size_t key_length, const size_t *picks, size_t count,
    visitor visit, size_t *amounts, size_t *text_bytes) {
    MDB_txn *transaction;
    int status = mdb_txn_begin(store->environment, NULL, MDB_RDONLY, &transaction);
    if (status) return status;
    for (size_t index = 0; index < count && !status; index++) {
        MDB_val key = value_of(keys + picks[index] * key_length, key_length);
        MDB_val text;
        status = mdb_get(transaction, store->table, &key, &text);
        if (!status) status = visit(&text, amounts, text_bytes);
    }
    mdb_txn_abort(transaction);
    return status;
}

int floor_read(
    floor_store *store, const uint8_t *keys, size_t key_length, const size_t *picks, size_t count,
    size_t *bytes) {
    size_t amounts = 0;
    *bytes = 0;
    return read_each(store, keys, key_length, picks, count, visit_length, &amounts, bytes);
}

int floor_read_fields(
    floor_store *store, const uint8_t *keys, size_t key_length, const size_t *picks, size_t count,
    size_t *amounts, size_t *text_bytes) {
    *amounts = 0;
    *text_bytes = 0;
    return read_each(
        store, keys, key_length, picks, count, visit_three_fields, amounts, text_bytes);
}

static inline int scan_each(
    floor_store *store, visitor visit, size_t *count, size_t *amounts, size_t *text_bytes) {
    *count = 0;
    *amounts = 0;
    *text_bytes = 0;
    MDB_txn *transaction;
    int status = mdb_txn_begin(store->environment, NULL, MDB_RDONLY, &transaction);
    if (status) return status;
    MDB_cursor *cursor;
    status = mdb_cursor_open(transaction, store->table, &cursor);
    if (status) {
        mdb_txn_abort(transaction);
        return status;
    }
    MDB_val key;
    MDB_val text;
    while (!(status = mdb_cursor_get(cursor, &key, &text, MDB_NEXT))) {
        *count += 1;
        status = visit(&text, amounts, text_bytes);
        if (status) break;
    }
    mdb_cursor_close(cursor);
    mdb_txn_abort(transaction);
    return status == MDB_NOTFOUND ? 0 : status;
}

int floor_scan(floor_store *store, size_t *count, size_t *bytes) {
    size_t amounts;
    return scan_each(store, visit_length, count, &amounts, bytes);
}

int floor_scan_fields(floor_store *store, size_t *count, size_t *amounts, size_t *text_bytes) {
    return scan_each(store, visit_two_fields, count, amounts, text_bytes);
}

const char *floor_message(int error) { return mdb_strerror(error); }

const char *floor_version(void) {
    static char text[32];
    int major;
    int minor;
    int patch;
    mdb_version(&major, &minor, &patch);
    snprintf(text, sizeof text, "%d.%d.%d", major, minor, patch);
    return text;
}
