import Dispatch
import Foundation
import SettlePrimitives
import Synchronization
import TestSupport
import Testing

@testable import Settle

/// A document that ended a process while it was being written, and is written again.
@Suite(.serialized, .timeLimit(.minutes(60))) struct `An observed index after a crash` {
    /// An index whose map tells of one document and then waits.
    private static func index(
        holding id: String, _ mapped: @escaping @Sendable () -> Void
    ) -> Database.Index {
        Database.Index(name: "i", version: "1") { document, addIndexRow in
            if document.id == id { mapped() }
            addIndexRow(document["n"], nil)
        }
    }

    @Test func `does not map in a commit what a process died of`() async throws {
        let directory = try ScratchDirectory("crash")
        let copied = Lock(false)
        // What would be left had the map ended the process: a copy, which no process holds.
        let first = try await openDatabase(
            in: directory,
            indexes: [
                Self.index(holding: "x") {
                    copied.withLock { $0 = Self.copyMarks(in: directory.url) || $0 }
                }
            ])
        let observer = first.observeQuery(on: "i") { _ in }
        try await first.observersAreUpToDate(on: "i")
        try await first.add(["id": "x", "n": 1])
        #expect(copied.withLock { $0 })
        try await first.purge(documentsWithIds: ["x"])
        withExtendedLifetime(observer) {}
        await first.close()

        let isWritten = DispatchSemaphore(value: 0)
        let second = try await openDatabase(
            in: directory, indexes: [Self.index(holding: "x") { isWritten.wait() }])
        var results = second.queryResults(on: "i").makeAsyncIterator()
        #expect(try await results.next()?.count == 0)
        // It is stored, whatever its map does.
        try await second.add(["id": "x", "n": 1])
        isWritten.signal()
        isWritten.signal()
        #expect(try await results.next()?.count == 1)
        // It was tried alone and ended nothing: it is followed again.
        isWritten.signal()
        try await second.save(["id": "x", "n": 2])
        #expect(try second.indexStatus(named: "i").isCurrent)
        #expect(try await results.next()?.rows.first?.key as? Int == 2)
        await second.close()
    }

    private static func copyMarks(in folder: URL) -> Bool {
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        guard
            let file = files?.compactMap({ $0 as? URL }).first(where: {
                $0.pathExtension == "marks"
            })
        else { return false }
        let copy = file.deletingLastPathComponent().appendingPathComponent(
            UUID().uuidString.lowercased() + ".marks")
        return (try? FileManager.default.copyItem(at: file, to: copy)) != nil
    }
}
