import Foundation
import Settle

/// Fills new databases with documents that are committed one by one.
struct SingleInsertion {
    private let bench: Bench
    private let documents: DocumentSet
    private let input: FloorPeer.Input
    private let strings: [String]
    private let isDurable: Bool

    init(_ bench: Bench, _ documents: DocumentSet, isDurable: Bool = true) {
        self.isDurable = isDurable
        self.bench = bench
        self.documents = documents
        input = FloorPeer.Input(documents)
        strings = documents.strings
    }

    func settle(tasks: Int) async throws -> Outcome {
        try await bench.scratch.withFolder { folder in
            let peer = try await SettlePeer(
                in: folder, durability: isDurable ? .full : .relaxed)
            let outcome = try await durableRate {
                if tasks == 1 {
                    try await peer.insertSingly(documents.texts)
                } else {
                    try await peer.insertConcurrently(documents.texts, tasks: tasks)
                }
            }
            try bench.check(peer.scan(), in: SettlePeer.name, documents)
            await peer.close()
            return outcome
        }
    }

    func floor() async throws -> Outcome {
        try await bench.scratch.withFolder { folder in
            let peer = try FloorPeer(in: folder)
            defer { peer.close() }
            let outcome = try await durableRate { try peer.insert(input, batch: 1) }
            try bench.check(peer.scanFields(), in: FloorPeer.name, documents)
            return outcome
        }
    }

    func grdb(tasks: Int) async throws -> Outcome {
        try await bench.scratch.withFolder { folder in
            let peer = try GRDBPeer(in: folder, isDurable: isDurable)
            let outcome = try await durableRate {
                if tasks == 1 {
                    try peer.insert(documents.identifiers, strings, batch: 1)
                } else {
                    try await peer.insertConcurrently(
                        documents.identifiers, strings, tasks: tasks)
                }
            }
            try bench.check(peer.scan(), in: GRDBPeer.name, documents)
            try peer.close()
            return outcome
        }
    }

    private func durableRate(_ work: () async throws -> Void) async throws -> Outcome {
        try await Stopwatch.durableRate(of: documents.count, commits: documents.count, work)
    }
}
