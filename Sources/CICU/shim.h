// The few collation functions of ICU that Settle calls, declared here because neither system
// ships headers for the library it carries: the Swift toolchain for Linux exports ICU from
// lib_FoundationICU with every name prefixed by `swift_`, Apple's libicucore exports it plainly.

#ifndef SETTLE_CICU_SHIM_H
#define SETTLE_CICU_SHIM_H

#include <stdint.h>

/// A collator. Const use (getting sort keys) from several threads at once is safe.
typedef struct SettleUCollator SettleUCollator;

#if __APPLE__
#define SETTLE_ICU(name) name
#else
#define SETTLE_ICU(name) swift_##name
#endif

SettleUCollator *_Nullable SETTLE_ICU(ucol_open)(
    const char *_Nonnull locale, int32_t *_Nonnull status);

int32_t SETTLE_ICU(ucol_getSortKey)(
    const SettleUCollator *_Nonnull collator, const uint16_t *_Nullable source,
    int32_t sourceLength, uint8_t *_Nullable result, int32_t resultLength);

void SETTLE_ICU(ucol_getVersion)(
    const SettleUCollator *_Nonnull collator, uint8_t *_Nonnull version);

void SETTLE_ICU(ucol_getUCAVersion)(
    const SettleUCollator *_Nonnull collator, uint8_t *_Nonnull version);

void SETTLE_ICU(u_getVersion)(uint8_t *_Nonnull version);

/// One name for both systems, so that the Swift side has no conditions.
static inline SettleUCollator *_Nullable settle_ucol_open(
    const char *_Nonnull locale, int32_t *_Nonnull status) {
    return SETTLE_ICU(ucol_open)(locale, status);
}

static inline int32_t settle_ucol_getSortKey(
    const SettleUCollator *_Nonnull collator, const uint16_t *_Nullable source,
    int32_t sourceLength, uint8_t *_Nullable result, int32_t resultLength) {
    return SETTLE_ICU(ucol_getSortKey)(collator, source, sourceLength, result, resultLength);
}

static inline void settle_ucol_getVersion(
    const SettleUCollator *_Nonnull collator, uint8_t *_Nonnull version) {
    SETTLE_ICU(ucol_getVersion)(collator, version);
}

static inline void settle_ucol_getUCAVersion(
    const SettleUCollator *_Nonnull collator, uint8_t *_Nonnull version) {
    SETTLE_ICU(ucol_getUCAVersion)(collator, version);
}

static inline void settle_u_getVersion(uint8_t *_Nonnull version) {
    SETTLE_ICU(u_getVersion)(version);
}

#endif
