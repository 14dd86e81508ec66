import Foundation

/// One row of the table: something that is done by Settle and by its peers.
protocol BenchmarkCase: SendableMetatype {
    /// Its name on the command line and in the results.
    static var name: String { get }
    /// What is done, in a few words.
    static var summary: String { get }

    /// Measures it.
    ///
    /// - Returns: Settle beside each peer.
    /// - Throws: ``BenchmarkError`` when an engine returns something wrong or does not flush;
    ///   whatever an engine throws.
    static func compare(_ bench: Bench) async throws -> [Comparison]
}

/// What all cases need.
struct Bench {
    let size: BenchmarkSize
    let documents: DocumentSet
    let scratch: ScratchFolder
    let indexed: IndexedDatabases

    /// Every case, in the order of the table.
    static let cases: [any BenchmarkCase.Type] = [
        JSONToPacked.self, BulkInsert.self, Batches.self, SingleDurable.self,
        SingleRelaxed.self, ConcurrentDurable.self, CommitLogUpkeep.self, RandomRead.self,
        Scan.self, Feed.self,
        CodableRead.self,
        FileSize.self, ImportMemory.self, IndexBuild.self, IndexBuildClosure.self,
        IndexBuildTyped.self, ReduceFull.self, ReduceHalf.self, GroupByType.self,
        GroupByPlace.self, UpdateAndReduce.self, RangePage.self, KeyList.self, ReduceClosure.self,
        IndexSize.self, ObserveLatency.self, ObserveMany.self, ObserveReduce.self,
        ObserveCommits.self, OutboxAdd.self, OutboxOpen.self, OutboxDispatch.self,
        PullAll.self, PullIdle.self, PushAll.self, CouchPull.self, CouchPush.self, ServePage.self,
        ServeInsert.self, ServeLoad.self,
        ServeAttack.self, EntityRead.self, EntityUpdate.self, EntityByValue.self,
        EntityCount.self, EntityAsOf.self, EntitySize.self, EntityMemory.self,
        CosmosGetCached.self, CosmosGetOnline.self, CosmosOfflineWrite.self, CosmosDraining.self,
        CosmosListMemory.self,
    ]

    /// Checks that an engine has all documents as they were put in.
    func check(_ sums: FieldSums, in engine: String, _ documents: DocumentSet) throws {
        try BenchmarkError.check(sums, is: documents.scanSums, "The documents in \(engine)")
    }

    /// Checks that an engine brought commits to the disk before it reported them.
    ///
    /// - Parameters:
    ///   - outcomes: What was measured.
    ///   - engine: Its name.
    ///   - leastFlushes: For each commit, or each insert where commits are shared.
    /// - Throws: ``BenchmarkError`` when there were fewer.
    func checkFlushes(_ outcomes: [Outcome], of engine: String, leastFlushes: Double) throws {
        for flushes in outcomes.compactMap(\.flushes) where flushes < leastFlushes {
            throw BenchmarkError(
                "\(engine) flushed \(flushes) times for each commit, too few to be durable.")
        }
    }
}
