import Dispatch
import Foundation
import Settle

/// Settle, by its public API alone.
struct SettlePeer: Sendable {
    static let name = "settle"

    let database: Database
    private let folder: URL

    /// Opens a new database; every commit is flushed if nothing else is said.
    init(in folder: URL, durability: Database.Durability = .full) async throws {
        self.folder = folder.appendingPathComponent("settle", isDirectory: true)
        let configuration = Database.OpenDatabaseConfiguration(
            name: "documents", fileLocation: self.folder,
            // Not the main one, which may have something else to do.
            completionQueue: DispatchQueue(label: "benchmarks-settle"),
            durability: durability)
        guard let database = try await Database.open(with: configuration, create: true) else {
            throw BenchmarkError("The database could not be made in \(self.folder.path).")
        }
        self.database = database
    }

    func close() async { await database.close() }

    /// The document of a JSON text.
    static func document(_ text: [UInt8]) throws -> Document {
        try Document(json: text)
    }

    /// Makes a document of every text.
    ///
    /// - Returns: The bytes of their identifiers.
    static func parse(_ texts: [[UInt8]]) throws -> Int {
        var length = 0
        for text in texts { length += try document(text).id.utf8.count }
        return length
    }

    /// Makes a document of every text and reads `type` and `amount`.
    static func sums(of texts: [[UInt8]]) throws -> FieldSums {
        try texts.reduce(into: FieldSums()) { sums, text in
            let document = try document(text)
            sums.count += 1
            sums.amounts += document.integer("amount") ?? 0
            sums.textBytes += document.string("type")?.utf8.count ?? 0
        }
    }

    /// Parses and stores documents, `batch` of them in each transaction.
    func insert(_ texts: [[UInt8]], batch: Int) async throws {
        var next = 0
        while next < texts.count {
            let range = next..<min(next + batch, texts.count)
            try await database.add(json: Array(texts[range]))
            next = range.upperBound
        }
    }

    /// Parses and stores documents in a transaction each, from several tasks at once.
    func insertConcurrently(_ texts: [[UInt8]], tasks: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                group.addTask { [database] in
                    for index in stride(from: task, to: texts.count, by: tasks) {
                        try await database.add(Self.document(texts[index]))
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Parses and stores documents in a transaction each, one after the other.
    func insertSingly(_ texts: [[UInt8]]) async throws {
        for text in texts { try await database.add(Self.document(text)) }
    }

    /// Reads `name`, `amount`, and `address.city` of documents, all in one snapshot.
    func read(_ identifiers: [String], _ picks: [Int]) throws -> FieldSums {
        try database.read { snapshot in
            var sums = FieldSums()
            for pick in picks {
                let found: Void? = try snapshot.withDocument(identifiers[pick]) { view in
                    sums.amounts += Int(try view.integer("amount") ?? 0)
                    sums.textBytes += try view.string("name")?.utf8.count ?? 0
                    sums.textBytes += try view.string(at: "address", "city")?.utf8.count ?? 0
                }
                if found != nil { sums.count += 1 }
            }
            return sums
        }
    }

    /// Walks all documents and reads `type` and `amount`.
    func scan() throws -> FieldSums {
        let (amount, type) = (MemberName("amount"), MemberName("type"))
        return try database.read { snapshot in
            var sums = FieldSums()
            try snapshot.forEachView { view in
                sums.count += 1
                sums.amounts += Int(try view.integer(amount) ?? 0)
                sums.textBytes += try view.string(type)?.utf8.count ?? 0
                return true
            }
            return sums
        }
    }

    /// Makes a record of each document.
    static func decode(_ documents: [Document]) throws -> FieldSums {
        try documents.reduce(into: FieldSums()) { sums, document in
            sums.add(try document.decode(OrderRecord.self))
        }
    }

    /// Stores the documents of a file with one JSON text a line, in transactions of a thousand.
    func importLines(of file: URL) async throws {
        let handle = try FileHandle(forReadingFrom: file)
        defer { try? handle.close() }
        var rest: [UInt8] = []
        while let chunk = try handle.read(upToCount: 1 << 18), !chunk.isEmpty {
            rest += chunk
            var lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            rest = lines.popLast().map { Array($0) } ?? []
            try await insert(lines.map { Array($0) }, batch: 1_000)
        }
        if !rest.isEmpty { try await insert([rest], batch: 1) }
    }

    /// The bytes of its files.
    func byteCount() throws -> Int { try ScratchFolder.byteCount(of: folder) }
}
