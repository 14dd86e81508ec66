import SettleDocuments
import SettleLMDB
import SettleStorage
import Testing
import TestSupport

@Suite(.serialized) struct `Opening a store` {
    private func open(_ directory: ScratchDirectory, create: Bool = false) throws -> Store {
        try Store(
            directory: directory.path, options: StoreOptions(), create: create,
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
