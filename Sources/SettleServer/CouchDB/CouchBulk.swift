import Settle

/// The documents of a body of `_bulk_docs`.
///
/// A whole number outside 64 bits, say, is good JSON and no document here. It is a failure of its document, and not of
/// those that came with it: a replicator would offer them together for ever.
struct CouchBulk: Sendable {
    /// The documents, or why one cannot be stored, by identifier.
    var documents: [(id: String, input: Result<CouchInput, CouchError>)] = []
    /// Whether they are new revisions.
    var newEdits = true
    /// How many bytes packed contents may still have.
    private var bytesLeft = CouchInput.unpackedBytesMax

    /// Reads a body.
    ///
    /// - Throws: ``CouchError`` for what fails all of them.
    init(_ body: [UInt8]) throws {
        let packed: PackedValue
        do throws(JSONError) {
            packed = try JSONText.packedInPieces(from: body.span)
        } catch {
            guard Self.concernOneDocument.contains(error.reason) else {
                throw CouchError.invalidJSON
            }
            try read(piecemeal: body)
            return
        }
        guard packed.isObject, let list = try packed.packedMember("docs") else {
            throw CouchError.badRequest("POST body must include `docs` parameter.")
        }
        guard let elements = try list.elements() else {
            throw CouchError.badRequest("`docs` parameter must be an array.")
        }
        newEdits = try Self.flag(try packed.member("new_edits"))
        for document in elements { try append(document) }
    }

    private static func flag(_ value: JSONValue?) throws(CouchError) -> Bool {
        guard let value else { return true }
        guard let flag = value.boolValue else {
            throw .badRequest("`new_edits` parameter must be a boolean.")
        }
        return flag
    }

    private static let concernOneDocument: Set<JSONError.Reason> = [
        .integerOutOfRange, .doubleOutOfRange, .tooDeep,
    ]

    private mutating func append(_ document: PackedValue) throws {
        let input = try CouchInput(document, unpacking: &bytesLeft)
        let id = input.id ?? CouchDatabase.newIdentifier()
        // One that no server takes fails all of them, as in CouchDB; what only this one does not, itself.
        try CouchInput.checkForm(id)
        guard newEdits || input.revision != nil || input.revisions != nil else {
            throw CouchError.withoutRevision
        }
        documents.append((id, .success(input)))
    }

    /// Reads a body document by document, whose first reading ended at something that concerns one of them.
    ///
    /// - Complexity: Linear in the body.
    private mutating func read(piecemeal body: [UInt8]) throws {
        guard let members = JSONPieces.members(of: body[...]) else { throw CouchError.invalidJSON }
        var texts: [ArraySlice<UInt8>]?
        for member in members {
            if member.name == "docs" {
                texts = JSONPieces.elements(of: member.value)
                continue
            }
            let value: JSONValue
            do throws(JSONError) {
                value = try JSONText.value(from: Array(member.value))
            } catch {
                guard Self.concernOneDocument.contains(error.reason) else {
                    throw CouchError.invalidJSON
                }
                continue
            }
            if member.name == "new_edits" { newEdits = try Self.flag(value) }
        }
        guard let texts else {
            throw CouchError.badRequest("POST body must include `docs` parameter.")
        }
        for text in texts {
            let packed: PackedValue
            do throws(JSONError) {
                packed = try JSONText.packed(from: Array(text))
            } catch {
                let named = JSONPieces.members(of: text)?.last { $0.name == "_id" }
                guard Self.concernOneDocument.contains(error.reason),
                    let value = named.flatMap({ try? JSONText.value(from: Array($0.value)) }),
                    let id = value.stringValue
                else { throw CouchError.invalidJSON }
                try CouchInput.checkForm(id)
                documents.append(
                    (id, .failure(CouchError(400, "doc_validation", error.message))))
                continue
            }
            try append(packed)
        }
    }
}

/// The parts of a text that begins as JSON, as texts; the rest of it may be anything.
///
/// Nothing here reads a byte more often than a fixed number of times.
private enum JSONPieces {
    /// The members of an object; nil for a text that is none in outline.
    static func members(
        of text: ArraySlice<UInt8>
    ) -> [(name: String, value: ArraySlice<UInt8>)]? {
        guard let parts = parts(of: text, from: "{", to: "}") else { return nil }
        var members: [(name: String, value: ArraySlice<UInt8>)] = []
        for part in parts {
            guard part.first == UInt8(ascii: "\"") else { return nil }
            let end = stringEnd(part, part.startIndex)
            let rest = trimmed(part[end...])
            guard rest.first == UInt8(ascii: ":"),
                let name = try? JSONText.value(from: Array(part[..<end])).stringValue
            else { return nil }
            members.append((name, trimmed(rest.dropFirst())))
        }
        return members
    }

    /// The elements of an array; nil for a text that is none in outline.
    static func elements(of text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>]? {
        parts(of: text, from: "[", to: "]")
    }

    /// What stands between the commas of an object or an array.
    private static func parts(
        of text: ArraySlice<UInt8>, from opening: Unicode.Scalar, to closing: Unicode.Scalar
    ) -> [ArraySlice<UInt8>]? {
        let text = trimmed(text)
        guard text.count >= 2, text.first == UInt8(ascii: opening),
            text.last == UInt8(ascii: closing)
        else { return nil }
        var parts: [ArraySlice<UInt8>] = []
        var (place, begin, depth) = (text.startIndex + 1, text.startIndex + 1, 0)
        let end = text.endIndex - 1
        while place < end {
            switch text[place] {
            case UInt8(ascii: "\""):
                place = stringEnd(text, place)
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ",") where depth == 0:
                parts.append(trimmed(text[begin..<place]))
                begin = place + 1
            default: break
            }
            place += 1
        }
        // A string that does not end, or brackets that do not match, leave no place for the last bracket.
        guard place == end, depth == 0 else { return nil }
        let last = trimmed(text[begin..<end])
        return last.isEmpty && parts.isEmpty ? [] : parts + [last]
    }

    /// Where a string ends that begins at a place, behind its last quote.
    private static func stringEnd(_ text: ArraySlice<UInt8>, _ start: Int) -> Int {
        var place = start + 1
        while place < text.endIndex, text[place] != UInt8(ascii: "\"") {
            place += text[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(place + 1, text.endIndex)
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let first = text.firstIndex(where: { !isBlank($0) }),
            let last = text.lastIndex(where: { !isBlank($0) })
        else { return text.prefix(0) }
        return text[first...last]
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}
