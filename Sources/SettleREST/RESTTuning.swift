/// The numbers of the HTTP back-ends, each with its unit and reason.
enum RESTTuning {
    /// The largest body of an answer, in bytes: a page of large documents, with room.
    static let answerSizeMax = 64 << 20
    /// The largest body of an answer that is expected to hold one item or an error, in bytes: a
    /// document has 20 MiB at most, and escapes make text longer.
    static let itemSizeMax = 48 << 20
    /// The most items the table servers give in one page; above it they refuse.
    static let pageSizeMax = 1_000
    /// The most items a table is believed to have: every number up to it is exact in JSON.
    static let itemCountMax = 1 << 53
    /// How much of a server's own words is shown, in characters.
    static let sentenceLengthMax = 300
    /// The longest pause a server is granted, in seconds: a mistyped date must not stop a
    /// replication for years.
    static let retryAfterSecondsMax = 24.0 * 3_600
}
