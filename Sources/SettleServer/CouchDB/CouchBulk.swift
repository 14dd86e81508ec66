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
        newEdits = try packed.member("new_edits")?.boolValue ?? true
        for document in elements { try append(document) }
    }

    private static let concernOneDocument: Set<JSONError.Reason> = [
        .integerOutOfRange, .doubleOutOfRange, .tooDeep,
    ]

    private mutating func append(_ document: PackedValue) throws {
        let input = try CouchInput(document)
        let id = input.id ?? CouchDatabase.newIdentifier()
        // One that no server takes fails all of them, as in CouchDB; what only this one does not, itself.
        try CouchInput.checkForm(id)
        documents.append((id, .success(input)))
    }

    /// Reads a body document by document.
    private mutating func read(piecemeal body: [UInt8]) throws {
        var texts: [ArraySlice<UInt8>] = []
        for member in JSONPieces.members(of: body[...]) {
            if member.name == "docs" { texts = JSONPieces.elements(of: member.value) }
            if member.name == "new_edits" { newEdits = member.value.elementsEqual("true".utf8) }
        }
        for text in texts {
            let packed: PackedValue
            do throws(JSONError) {
                packed = try JSONText.packed(from: Array(text))
            } catch {
                let named = JSONPieces.members(of: text).last { $0.name == "_id" }
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

/// The parts of a JSON text that was found to be one, as texts.
private enum JSONPieces {
    /// The members of an object.
    static func members(
        of text: ArraySlice<UInt8>
    ) -> [(name: String, value: ArraySlice<UInt8>)] {
        parts(of: text, from: UInt8(ascii: "{")).compactMap { part in
            guard
                let end = part.indices.first(where: { place in
                    part[place] == UInt8(ascii: ":") && stringEnd(part, part.startIndex) <= place
                }), let name = try? JSONText.value(from: Array(part[..<end])).stringValue
            else { return nil }
            return (name, trimmed(part[(end + 1)...]))
        }
    }

    /// The elements of an array.
    static func elements(of text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        parts(of: text, from: UInt8(ascii: "["))
    }

    /// What stands between the commas of an object or an array.
    private static func parts(
        of text: ArraySlice<UInt8>, from opening: UInt8
    ) -> [ArraySlice<UInt8>] {
        let text = trimmed(text)
        guard text.first == opening, text.count >= 2 else { return [] }
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
        let last = trimmed(text[begin..<max(begin, end)])
        return last.isEmpty ? parts : parts + [last]
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
        let blanks = Array(" \t\r\n".utf8)
        var text = text.drop { blanks.contains($0) }
        while let last = text.last, blanks.contains(last) { text.removeLast() }
        return text
    }
}
