/// The numbers of the HTTP back-ends, each with its unit and reason.
enum RESTTuning {
    /// The largest body of a response, in bytes: a page of large documents, with room.
    static let answerSizeMax = 64 << 20
    /// The largest body of a response that is expected to hold one item or an error, in bytes: a
    /// document has 20 MiB at most, and escapes make text longer.
    static let itemSizeMax = 48 << 20
    /// The largest content of an attachment that is sent, in bytes: it is in memory meanwhile.
    static let uploadSizeMax = 64 << 20
    /// How much of an attachment is fetched at a time, in bytes: eight at once are 32 MiB.
    static let downloadSizeMax = 4 << 20
    /// The most items the table servers give in one page; above it they refuse.
    static let pageSizeMax = 1_000
    /// The most items a table is believed to have: every number up to it is exact in JSON.
    static let itemCountMax = 1 << 53
    /// How much of a server's own words is shown, in characters.
    static let sentenceLengthMax = 300
    /// The longest pause a server is granted, in seconds: a mistyped date must not stop a
    /// replication for years.
    static let retryAfterSecondsMax = 24.0 * 3_600
    /// The largest row, in bytes of JSON, that a pull asks for once more to see that the table is
    /// still the same: a response with it has less than 1 KiB, headers included.
    static let anchorSizeMax = 512
    /// How long a larger row is believed to be there without being asked for, in seconds: one
    /// request more in an hour does not count.
    static let checkIntervalSeconds = 3_600.0
    /// The longest safety window, in seconds: a day is longer than any transaction.
    static let safetyWindowSecondsMax = 86_400.0
    /// The safety window where none is given, in seconds: longer than a transaction of a table
    /// server takes.
    static let safetyWindowSecondsDefault = 10.0
    /// Operations of one batch: enough that round trips do not count, few enough that a lost answer
    /// costs little; the server takes 1,000.
    static let batchCountMax = 64
    /// The largest body of a batch, in bytes: some seconds of a slow line, and within what servers
    /// and those in between take.
    static let batchSizeMax = 256 << 10
    /// How long a server is asked to wait for a change, in seconds: less than the minute after which
    /// transports and proxies give up a silent connection.
    static let listeningSeconds = 25
    /// The largest body of a bulk write to CouchDB, in bytes: all that are under way are what its own replicator sends at a
    /// time.
    ///
    /// One document may be larger.
    static let bulkSizeMax = 128 << 10
    /// How many bulk writes are under way at once: while one is stored, another is read, and the next one is made.
    static let bulkCountMax = 4
    /// The most bytes of attachments that stand in the text of a revision, as Base64: a request of its own for each document
    /// costs more than a third of so many bytes.
    static let inlineSizeMax = 64 << 10
    /// The shortest body that goes packed, in bytes: a shorter one fits into a few packets as it is.
    static let packedSizeMin = 4 << 10
}
