public import Foundation
import Settle

extension Datastore {
    /// Reads an interchange from memory.
    ///
    /// Every entry is merged with what is here, by its datestamp: reading an interchange twice changes nothing, and it does
    /// not matter in which order several are read. Nothing is stored unless all of it can be read. Entities without an
    /// identifier or a type are passed over and listed.
    ///
    /// - Parameters:
    ///   - json: The text.
    ///   - date: The datestamp of entities that have none; nil for the beginning of 1970, so that reading the same text again
    ///     changes nothing.
    /// - Returns: What was read and what was passed over.
    /// - Throws: ``DatastoreError`` with `invalidInterchange`, which says where, of which entity and key, and why;
    ///   `documentExists`, `unreadable` or `newerFormat` when something else is stored under an identifier; what the
    ///   database throws.
    @discardableResult
    public func decode(json: Data, date: Date? = nil) async throws -> InterchangeSummary {
        try await read(.text(json), JSONInterchangeDecoder(), date)
    }

    /// Reads an interchange from a file, in memory that does not grow with the number of entities.
    ///
    /// The file is read twice: first to see that all of it can be read, then to store it, in transactions of some hundred
    /// entities. A crash in between leaves those stored that were; reading the file again adds the others. See
    /// ``decode(json:date:)``.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - date: The datestamp of entities that have none; nil for the date when the file was last changed.
    /// - Returns: What was read and what was passed over.
    /// - Throws: As ``decode(json:date:)``; ``DatastoreError`` with `fileUnreadable` when there is no such file, or it cannot be
    ///   read.
    @discardableResult
    public func decode(jsonAt url: URL, date: Date? = nil) async throws -> InterchangeSummary {
        try await read(.file(url), JSONInterchangeDecoder(), date)
    }

    /// Reads an interchange that is a dictionary, with a list of entities under ``PropertyKey/entities``.
    ///
    /// - Parameters:
    ///   - interchange: The dictionary.
    ///   - decoder: Says how dates, bytes and UUIDs are written in it.
    ///   - date: The datestamp of entities that have none; see ``decode(json:date:)``.
    /// - Returns: What was read and what was passed over.
    /// - Throws: As ``decode(json:date:)``.
    @discardableResult
    public func decode(
        interchange: [String: InterchangeValue],
        decoder: any InterchangeDecoder = NullInterchangeDecoder(), date: Date? = nil
    ) async throws -> InterchangeSummary {
        guard case .list(let entities)? = interchange[InterchangeForm.entities] else {
            throw DatastoreError(
                .invalidInterchange,
                "The dictionary is no interchange: it has no list '\(InterchangeForm.entities)'.")
        }
        return try await read(.values(entities), decoder, date)
    }

    private func read(
        _ source: InterchangeSource, _ decoder: any InterchangeDecoder, _ date: Date?
    ) async throws -> InterchangeSummary {
        let date = try date ?? source.fileDate() ?? Date(timeIntervalSince1970: 0)
        let parser = InterchangeParser(decoder: decoder, moment: Moment.clamped(date))
        let summary = try check(source, parser)
        let collector = ChangeCollector(.update)
        defer { hub.publish(collector.all) }
        let reader = try InterchangeReader(source)
        while true {
            var versions: [EntityVersion] = []
            while versions.count < Self.batchCount, let value = try reader.nextValue() {
                if case .success(let version) = try Self.version(value, parser, number: 0) {
                    versions.append(version)
                }
            }
            if versions.isEmpty { return summary }
            try await writing(.update, collector: collector) { [versions] editor, _ in
                for version in versions { try editor.adopt(version) }
            }
        }
    }

    private static let batchCount = 500

    /// Reads everything and stores nothing.
    private func check(
        _ source: InterchangeSource, _ parser: InterchangeParser
    ) throws -> InterchangeSummary {
        var summary = InterchangeSummary()
        let reader = try InterchangeReader(source)
        var number = 0
        while let value = try reader.nextValue() {
            number += 1
            switch try Self.version(value, parser, number: number) {
            case .success(let version):
                summary.entityCount += 1
                try checkPlace(of: version.id)
            case .failure(let fault):
                summary.skipped.append(
                    .init(number: number, identifier: fault.entity, reason: fault.reason))
            }
        }
        return summary
    }

    /// Refuses an identifier under which something else is stored.
    private func checkPlace(of id: String) throws {
        try database.read { snapshot in
            guard let document = try snapshot.document(id), try EntityState(document) == nil else {
                return
            }
            throw DatastoreError(
                .documentExists,
                "The document '\(id)' is no entity, so that of the interchange cannot be stored; nothing was.",
                entity: id)
        }
    }

    private static func version(
        _ value: InterchangeValue, _ parser: InterchangeParser, number: Int
    ) throws -> Result<EntityVersion, InterchangeParser.Fault> {
        do throws(InterchangeParser.Fault) {
            return try parser.version(value)
        } catch {
            let entity = error.entity.map { "'\($0)'" } ?? "number \(number)"
            let key = error.key.map { " has a property '\($0)' that" } ?? ""
            throw DatastoreError(
                .invalidInterchange,
                "The entity \(entity) of the interchange\(key) cannot be read: \(error.reason). Nothing was stored.",
                entity: error.entity, key: error.key)
        }
    }
}
