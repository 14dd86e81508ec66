/// One caller stores documents, each in a commit of its own.
enum SingleDurable: BenchmarkCase {
    static let name = "single-durable"
    static let summary = "one durable insert a commit, one caller"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        let singles = SingleInsertion(
            bench, bench.documents.prefix(bench.size.singleCountWithCheckpoints))
        let contenders = [
            Contender(name: SettlePeer.name) { try await singles.settle(tasks: 1) },
            Contender(name: FloorPeer.name) { try await singles.floor() },
            Contender(name: GRDBPeer.name) { try await singles.grdb(tasks: 1) },
        ]
        let contest = try await Contest(contenders, repetitions: bench.size.importRepetitions)
        for contender in contenders {
            try bench.checkFlushes(
                contest[contender.name], of: contender.name, leastFlushes: 1)
        }
        return [
            Comparison(
                name, peer: FloorPeer.name, unit: "documents/s", target: .atLeast(1.4),
                settle: contest[SettlePeer.name], peer: contest[FloorPeer.name]),
            Comparison(
                name, peer: GRDBPeer.name, unit: "documents/s", target: .atLeast(1.1),
                settle: contest[SettlePeer.name], peer: contest[GRDBPeer.name]),
        ]
    }
}
