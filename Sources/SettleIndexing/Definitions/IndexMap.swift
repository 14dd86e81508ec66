/// The map of an index: turns a live document into rows.
///
/// It must depend on the document alone, may run on several threads at once, and emits into the
/// collector, which is good during the call. `record` is the stored record, whose packed members
/// `RecordHead.members(of:)` finds; both spans may lie in a page mapped from a file.
///
/// What it throws is about this one document: `IndexError.mapFailed` when it emitted what cannot be
/// stored, `PackedError` when the document is damaged, otherwise what the application's closure
/// threw. Rows emitted before count for nothing then.
package typealias IndexMap =
    @Sendable (_ id: Span<UInt8>, _ record: Span<UInt8>, _ rows: RowCollector) throws -> Void
