import Foundation
import SettleDocuments
import SettleLMDB
import SettleStorage
import Testing
import TestSupport

@Suite(.serialized) struct `Opening a store` {
    private func open(
        _ directory: ScratchDirectory, create: Bool = false, options: StoreOptions = StoreOptions()
    ) throws -> Store {
        try Store(
            directory: directory.path, options: options, create: create,
            clock: { Timestamp(microseconds: 0) }, publish: { _ in })
    }

    @Test func `again finds what was written`() async throws {
        let directory = try ScratchDirectory("store")
        let first = try open(directory, create: true)
        let record = try await first.write {
            try $0.put("a", body: try body(["n": 1]), precondition: .absent, origin: "remote")
        }
        first.close()
        let second = try open(directory)
        defer { second.close() }
        #expect(try second.read("test") { try $0.record("a") } == record)
        #expect(try second.read("test") { $0.lastSequence } == 1)
    }

    @Test(arguments: [true, false])
    func `with a commit log notes it in the format, and recovers`(isFlushed: Bool) async throws {
        let directory = try ScratchDirectory("store")
        try open(directory, create: true).close()
        var options = StoreOptions(isFlushedAtCommit: isFlushed)
        options.usesCommitLog = true
        let store = try open(directory, options: options)
        defer { store.close() }
        for number in 0..<20 {
            _ = try await store.write {
                try $0.put(
                    "\(number)", body: try body(["n": 1]), precondition: .absent, origin: nil)
            }
        }
        // As if the process had been killed here.
        let copy = try ScratchDirectory("store")
        for name in ["data.mdb", "log.mdb"] {
            try FileManager.default.copyItem(at: directory.file(name), to: copy.file(name))
        }
        // The option is not needed to recover.
        let recovered = try open(copy)
        defer { recovered.close() }
        #expect(try recovered.read("test") { $0.lastSequence } == 20)
        let environment = try Environment.open(at: copy.path, create: false)
        defer { environment.close() }
        let format = try environment.read { transaction in
            try transaction.table(named: "meta").flatMap {
                try transaction.value(for: Array("format".utf8), in: $0)
            }
        }
        #expect(format == Array("5".utf8))
    }

    @Test func `of another format or engine is refused and nothing is changed`() async throws {
        let directory = try ScratchDirectory("store")
        try open(directory, create: true).close()
        let environment = try Environment.open(at: directory.path, create: false)
        try setMeta("format", "6", in: environment)
        do {
            _ = try open(directory)
            Issue.record("A file of a newer format was opened.")
        } catch StorageError.newerFormat(let format) {
            #expect(format == 6)
        }
        try setMeta("format", "1", in: environment)
        do {
            _ = try open(directory)
            Issue.record("A file of a format that was never released was opened.")
        } catch StorageError.olderFormat(let format) {
            #expect(format == 1)
        }
        try setMeta("format", "3", in: environment)
        try setMeta("engine", "LMDB 1.0", in: environment)
        do {
            _ = try open(directory)
            Issue.record("A file of another engine was opened.")
        } catch StorageError.foreignEngine(let recorded, let running) {
            #expect(recorded == "LMDB 1.0")
            #expect(running == "LMDB 0.9")
        }
        try setMeta("engine", "LMDB 0.9", in: environment)
        try open(directory).close()
        environment.close()
    }

    @Test func `with the tables of another program is refused`() throws {
        let directory = try ScratchDirectory("store")
        let environment = try Environment.open(at: directory.path, create: true)
        defer { environment.close() }
        try write(environment) { _ = try $0.createTable(named: "theirs") }
        do {
            _ = try open(directory, create: true)
            Issue.record("A foreign file was opened.")
        } catch StorageError.notASettleStore {}
    }

    private func setMeta(_ key: String, _ value: String, in environment: Environment) throws {
        try write(environment) { transaction in
            let table = try transaction.createTable(named: "meta")
            try transaction.put(Array(value.utf8), for: Array(key.utf8), in: table)
        }
    }

    // The engine's writing is not to be called from asynchronous code.
    private func write(
        _ environment: Environment, _ body: (WriteTransaction) throws -> Void
    ) throws {
        try environment.write(body)
    }
}
