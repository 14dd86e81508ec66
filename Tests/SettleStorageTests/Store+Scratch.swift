import SettleDocuments
import SettlePrimitives
import SettleStorage
import Synchronization
import TestSupport

/// A store in a directory of its own, with a clock that the test turns.
final class ScratchStore: Sendable {
    let directory: ScratchDirectory
    let store: Store
    private final class Published: Sendable {
        let time = Lock<Int64>(1_000_000)
        let commits = Lock<[StoreCommit]>([])
    }
    private let published: Published

    init(options: StoreOptions = StoreOptions()) throws {
        let directory = try ScratchDirectory("store")
        let published = Published()
        self.directory = directory
        self.published = published
        store = try Store(
            directory: directory.path, options: options, create: true,
            clock: { Timestamp(microseconds: published.time.withLock { $0 }) },
            publish: { commit in published.commits.withLock { $0.append(commit) } })
    }

    func setTime(_ microseconds: Int64) { published.time.withLock { $0 = microseconds } }
    var publishedCommits: [StoreCommit] { published.commits.withLock { $0 } }

    deinit { store.close() }
}

func body(_ members: [String: JSONValue]) throws -> PackedValue {
    try PackedValue(.object(members))
}
