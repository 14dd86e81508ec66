public import Foundation
import Settle

extension Datastore {
    /// Writes all entities with all their entries into an interchange in memory.
    ///
    /// - Returns: The text: the entities in the order of their identifiers, names in theirs, so that equal stores have equal
    ///   texts.
    /// - Throws: ``DatastoreError`` with `unreadable` or `newerFormat`; what the database throws.
    public func encodeJSON() async throws -> Data {
        var text: [UInt8] = []
        try write { text += $0 }
        return Data(text)
    }

    /// Writes all entities with all their entries into a file, in memory that does not grow with their number.
    ///
    /// What is written is one state of the database. A file that is there is replaced when all of it is written.
    ///
    /// - Parameter url: The file.
    /// - Returns: How many entities were written, deleted ones among them.
    /// - Throws: As ``encodeJSON()``; ``/Settle/DatabaseError`` with `invalidFileLocation`,
    ///   `permissionDenied` or `diskFull` when the file cannot be written. What was there is left then.
    @discardableResult
    public func encodeJSON(to url: URL) async throws -> Int {
        let file = try ReplacedFile(url)
        do {
            let count = try write { try file.write($0) }
            try file.finish()
            return count
        } catch {
            file.abandon()
            throw error
        }
    }

    /// Hands out an interchange of all entities with all their entries piece by piece, in memory that does not grow with
    /// their number.
    ///
    /// What is handed out is one state of the database.
    ///
    /// - Parameter receive: Takes the next bytes of the text. What it throws ends the writing.
    /// - Returns: How many entities there were, deleted ones among them.
    /// - Throws: As ``encodeJSON()``; what `receive` throws.
    @discardableResult
    public func encodeJSON(receive: ([UInt8]) throws -> Void) async throws -> Int {
        try write(receive)
    }

    /// All entities with all their entries as an interchange that is a dictionary.
    ///
    /// - Parameter encoder: Says how dates, bytes and UUIDs are written in it.
    /// - Returns: The dictionary, with a list of entities under ``PropertyKey/entities``.
    /// - Throws: As ``encodeJSON()``.
    public func encodeInterchange(
        encoder: any InterchangeEncoder = NullInterchangeEncoder()
    ) async throws -> [String: InterchangeValue] {
        let writer = InterchangeWriter(encoder: encoder)
        var entities: [InterchangeValue] = []
        try forEachVersion { entities.append(writer.value($0)) }
        return [InterchangeForm.entities: .list(entities)]
    }

    private static let pieceLength = 1 << 18

    /// Hands out the text piece by piece, and tells how many entities there were.
    @discardableResult
    private func write(_ body: ([UInt8]) throws -> Void) throws -> Int {
        let writer = InterchangeWriter(encoder: JSONInterchangeEncoder())
        var piece = Array("{\"\(InterchangeForm.entities)\":[".utf8)
        var count = 0
        try forEachVersion { version in
            piece += Array(count == 0 ? "\n".utf8 : ",\n".utf8)
            piece += Array(writer.value(version).json.jsonText.utf8)
            count += 1
            if piece.count >= Self.pieceLength {
                try body(piece)
                piece = []
            }
        }
        try body(piece + Array("\n]}\n".utf8))
        return count
    }

    /// Hands out all entities of one state of the database, deleted ones too, in the order of their identifiers.
    private func forEachVersion(_ body: (EntityVersion) throws -> Void) throws {
        try database.read(named: "interchange") { snapshot in
            try snapshot.forEachEntity { state in
                try body(EntityVersion(EntityHistory(of: state, keys: nil, in: snapshot)))
                return true
            }
        }
    }
}
