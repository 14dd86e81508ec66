import Foundation
import Settle

/// An index that is made for one question, beside the database and not in it.
///
/// The members that it is made of are copied into a database of its own, in a temporary folder for
/// the user alone, which is removed afterwards. It is of one state of the database.
struct PassingIndex {
    private let declaration: Database.IndexDeclaration
    private let database: Database

    /// An index of a database, which is only read.
    init(_ declaration: Database.IndexDeclaration, of database: Database) {
        self.declaration = declaration
        self.database = database
    }

    /// Makes the index, hands out the database that has it, and removes both.
    ///
    /// - Throws: What `body` throws; ``CommandFailure`` when the temporary folder cannot be written;
    ///   `DatabaseError`; `CancellationError` when the command is interrupted.
    /// - Complexity: Reads every document; the temporary folder takes about the room of the members.
    func with(_ body: (Database) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("settle-query-\(UUID().uuidString)", isDirectory: true)
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw CommandFailure(
                "The rows cannot be kept in '\(folder.path)': \(error.localizedDescription) Set "
                    + "TMPDIR to another folder.")
        }
        defer { try? FileManager.default.removeItem(at: folder) }
        let members = folder.appendingPathComponent("members.ndjson")
        try copyMembers(to: members)
        let configuration = Database.OpenDatabaseConfiguration(
            name: "query", fileLocation: folder,
            completionQueue: DispatchQueue(label: "settle.query"), durability: .relaxed)
        guard let scratch = try await Database.open(with: configuration, create: true) else {
            throw CommandFailure("The rows cannot be kept in '\(folder.path)'.")
        }
        do {
            try await read(members, into: scratch)
            try? FileManager.default.removeItem(at: members)
            let index = declaration.index
            try await IndexProgress.shown { try await scratch.addIndex(index, progress: $0) }
            try await body(scratch)
        } catch {
            await scratch.close()
            throw error
        }
        await scratch.close()
    }

    /// Writes what the index is made of, of every document, as a line of JSON.
    private func copyMembers(to url: URL) throws {
        guard
            FileManager.default.createFile(
                atPath: url.path, contents: nil, attributes: [.posixPermissions: 0o600]),
            let handle = FileHandle(forWritingAtPath: url.path)
        else { throw CommandFailure("The file '\(url.path)' cannot be written.") }
        defer { try? handle.close() }
        let progress = Progress("Reading", counting: "documents")
        defer { progress.end() }
        let output = Output(
            handle,
            named: "The temporary file '\(url.path)', in the folder that TMPDIR names,")
        let names = memberNames
        try database.read(named: "settle query") { snapshot in
            let total = max(snapshot.documentCount, 1)
            var count = 0
            try snapshot.forEachDocument { document in
                var members = document.json
                if let names { members = members.filter { names.contains($0.key) } }
                // The identifier is no member, whatever the documents call it.
                members["id"] = .string(document.id)
                try output.line(JSONRendering.compact(.object(members)))
                count += 1
                if count.isMultiple(of: 1_000) {
                    try Task.checkCancellation()
                    progress.update(count, fraction: Double(count) / Double(total))
                }
                return true
            }
        }
        try output.flush()
    }

    private func read(_ members: URL, into scratch: Database) async throws {
        let source = try ImportSource(path: members.path)
        do {
            _ = try await Importer(into: scratch).run { try await source.next() }
        } catch let stopped as Importer.Stopped {
            if stopped.isInterrupted { throw CancellationError() }
            throw CommandFailure("The rows cannot be made: \(stopped.reason)")
        }
    }

    /// The members of documents that the index looks at; nil for all of them.
    private var memberNames: Set<String>? {
        let paths = declaration.keys + (declaration.value.map { [$0] } ?? [])
        var names = Set(paths.compactMap(\.first))
        if let filter = declaration.filter {
            guard let filtered = Self.names(in: filter.json) else { return nil }
            names.formUnion(filtered)
        }
        return names
    }

    /// The members that a filter names; nil when that cannot be told.
    private static func names(in filter: JSONValue) -> Set<String>? {
        guard let members = filter.objectValue else { return nil }
        var names: Set<String> = []
        for (name, value) in members {
            if name.hasPrefix("$") {
                for part in value.arrayValue ?? [value] {
                    guard let found = Self.names(in: part) else { return nil }
                    names.formUnion(found)
                }
            } else {
                guard let path = try? KeyPathArgument(parsing: name) else { return nil }
                names.insert(path.names[0])
            }
        }
        return names
    }
}
