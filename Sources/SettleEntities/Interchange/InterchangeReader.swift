import Foundation
import Settle

/// Reads an interchange entity by entity.
///
/// Not `Sendable`: it belongs to the one who reads. It holds a piece of the text and the entities that end in it.
final class InterchangeReader {
    private let next: () throws -> Data?
    private let file: FileHandle?
    private var values: [InterchangeValue] = []
    private var place = 0
    private var splitter = InterchangeSplitter()
    private var isAtEnd = false
    /// How many entities were read.
    private var count = 0

    private static let pieceLength = 1 << 18
    private static let limits = JSONLimits(sizeMax: InterchangeForm.entityLengthMax)

    /// Begins at the beginning.
    ///
    /// - Throws: ``DatastoreError`` with `fileUnreadable` when a file cannot be opened.
    init(_ source: InterchangeSource) throws {
        switch source {
        case .values(let values):
            (file, next) = (nil, { nil })
            self.values = values
            isAtEnd = true
        case .text(let data):
            var rest = data[...]
            file = nil
            next = {
                defer { rest = rest.dropFirst(Self.pieceLength) }
                return rest.isEmpty ? nil : rest.prefix(Self.pieceLength)
            }
        case .file(let url):
            let file = try InterchangeSource.reading(url) { try FileHandle(forReadingFrom: url) }
            self.file = file
            next = {
                let piece = try InterchangeSource.reading(url) {
                    try file.read(upToCount: Self.pieceLength)
                }
                return piece.flatMap { $0.isEmpty ? nil : $0 }
            }
        }
    }

    deinit { try? file?.close() }

    /// The next entity; nil at the end.
    ///
    /// - Throws: ``DatastoreError`` with `invalidInterchange` when the text cannot be read, with `fileUnreadable` when the
    ///   file cannot.
    func nextValue() throws -> InterchangeValue? {
        while place == values.count, !isAtEnd {
            (values, place) = ([], 0)
            try readPiece()
        }
        guard place < values.count else { return nil }
        defer { place += 1 }
        return values[place]
    }

    private func readPiece() throws {
        do {
            guard let piece = try next() else {
                isAtEnd = true
                return try splitter.finish()
            }
            try splitter.take([UInt8](piece)) { text, offset in
                values.append(try Self.value(text, count, offset))
                count += 1
            }
        } catch let fault as InterchangeSplitter.Fault {
            throw DatastoreError(
                .invalidInterchange,
                "The text is no interchange, near byte \(fault.offset), after \(count) \(count == 1 ? "entity" : "entities"): \(fault.reason)"
            )
        }
    }

    private static func value(_ text: [UInt8], _ number: Int, _ offset: Int) throws
        -> InterchangeValue
    {
        // Decoding would put U+FFFD in the place of what is wrong, and that would be stored.
        guard let string = String(validating: text, as: UTF8.self) else {
            throw DatastoreError(
                .invalidInterchange,
                "The entity number \(number + 1) of the interchange, from byte \(offset), has a string that is not UTF-8."
            )
        }
        do {
            let json = try JSONValue(jsonText: string, limits: Self.limits)
            guard !InterchangeValue.hasNull(json), let value = InterchangeValue(json) else {
                let identifier = json[InterchangeForm.identifier]?.stringValue
                let key = json.objectValue?.filter { InterchangeValue.hasNull($0.value) }.keys.min()
                throw DatastoreError(
                    .invalidInterchange,
                    "The entity '\(identifier ?? "number \(number + 1)")' of the interchange has a null in '\(key ?? "")', "
                        + "which is no value.", entity: identifier, key: key)
            }
            return value
        } catch let error as JSONError {
            throw DatastoreError(
                .invalidInterchange,
                "The entity number \(number + 1) of the interchange, from byte \(offset), is no JSON: \(error)",
                cause: error)
        }
    }
}
