/// How much is measured.
struct BenchmarkSize: Sendable {
    /// Documents in the databases.
    let documentCount: Int
    /// Documents that one caller stores one at a time.
    let singleCount: Int
    /// The same where the storage checkpoints of a log must have their share.
    let singleCountWithCheckpoints: Int
    /// Documents that sixteen callers together store one at a time.
    let concurrentCount: Int
    /// Documents read at random in one repetition; SQLite, the slow one here, reads a
    /// tenth.
    let readCount: Int
    /// Documents of the smaller and the larger import.
    let importCounts: (small: Int, large: Int)
    /// Rows of the indexes that are asked; the middle one is as large as most databases of the
    /// other cases.
    let indexCounts: (small: Int, middle: Int, large: Int)
    /// Commits of 100 changed documents in one repetition.
    let updateCount: Int
    /// Commits of one document in one repetition that an observer's handler is waited for after.
    let observedCount: Int
    /// Commits of one document under one observer; GRDB, which asks again after each, makes fewer
    /// where the result is long.
    let followedCounts: (all: Int, fewer: Int)
    /// Observers of which one is concerned.
    let observerCount: Int
    /// Commits of 1, 100 and 1,000 documents with an operation about each in one repetition.
    let queuingCounts: (single: Int, hundred: Int, thousand: Int)
    /// Operations in the queues that are opened and worked through.
    let queueCounts: (small: Int, large: Int)
    /// Operations that are started and completed in one repetition.
    let dispatchCount: Int
    /// Rows of the tables that are pulled.
    let pullCounts: (small: Int, large: Int)
    /// Documents that are pushed in one repetition.
    let pushCount: Int
    /// Requests of one repetition to a server: pages read, items inserted, and both mixed.
    let servedCounts: (pages: Int, inserts: Int, mixed: Int)
    /// What a server is attacked with: the bytes of one body, the elements of one array, the bytes of one
    /// page, how many slow readers there are, how many packed bodies, and the bytes that each unpacks to.
    let attack:
        (
            bodyBytes: Int, elements: Int, pageBytes: Int, slowReaders: Int, bombs: Int,
            bombBytes: Int
        )
    /// Repetitions of a case; odd, so that there is a middle one.
    let repetitions: Int
    /// Repetitions of the cases that flush with every insert: short and many, because the disk is
    /// now fast, now slow; odd.
    let durableRepetitions: Int
    /// Repetitions of the import, which starts processes, of the commits under one observer, and of
    /// the durable commits with checkpoints.
    let importRepetitions: Int

    /// What the figures in Docs/Benchmarks.md are measured with.
    static let full = BenchmarkSize(
        documentCount: 100_000, singleCount: 500, singleCountWithCheckpoints: 10_000,
        concurrentCount: 4_000, readCount: 200_000,
        importCounts: (100_000, 1_000_000), indexCounts: (10_000, 100_000, 1_000_000),
        updateCount: 5, observedCount: 100, followedCounts: (10_000, 1_000), observerCount: 500,
        queuingCounts: (200, 20, 5), queueCounts: (1_000, 100_000), dispatchCount: 40,
        pullCounts: (10_000, 100_000), pushCount: 10_000, servedCounts: (5_000, 10_000, 20_000),
        attack: (18 << 20, 200_000, 30 << 20, 40, 100, 64 << 20),
        repetitions: 5, durableRepetitions: 15, importRepetitions: 3)

    /// Everything once or so, to see that it works; the ratios say little.
    static let smoke = BenchmarkSize(
        documentCount: 5_000, singleCount: 50, singleCountWithCheckpoints: 100,
        concurrentCount: 400, readCount: 5_000,
        importCounts: (5_000, 50_000), indexCounts: (1_000, 5_000, 20_000), updateCount: 2,
        observedCount: 10, followedCounts: (200, 100), observerCount: 50, queuingCounts: (20, 4, 2),
        queueCounts: (200, 2_000), dispatchCount: 20,
        pullCounts: (500, 2_000), pushCount: 200, servedCounts: (200, 200, 400),
        attack: (2 << 20, 20_000, 3 << 20, 10, 10, 24 << 20),
        repetitions: 3, durableRepetitions: 3,
        importRepetitions: 1)
}
