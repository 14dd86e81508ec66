import Settle
import SettlePrimitives

/// The identifiers of the documents that are superseded entries.
///
/// `~`, then in digits of five bits: a hash of the entity (12 digits), a hash of the key (6), the datestamp counted
/// back from the end of the year 9999 (12), a digest of entity, key and entry (26). Equal entries have equal
/// identifiers on all devices, and in the order of identifiers those of one key are together, the latest first: no
/// index is needed to find them. The hashes only bring them together; who reads looks at what the documents say.
enum EntryIdentifier {
    /// What all begin with, and no entity does.
    static let prefix = "~"

    /// What comes after all identifiers of entries; identifiers of other documents may follow.
    static let end = "~w"

    private static let digits = Array("0123456789abcdefghijklmnopqrstuv".utf8)

    /// Whether an identifier may be that of an entry; documents of an app's own have others.
    static func isOne(_ id: String) -> Bool {
        let bytes = id.utf8
        return bytes.count == 57 && bytes.starts(with: prefix.utf8)
            && bytes.dropFirst().allSatisfy { digits.contains($0) }
    }

    /// The identifier of an entry.
    static func text(entity: String, key: String, entry: Entry) -> String {
        text(entity: entity, key: key, entry, EntryForm.json(entry))
    }

    /// The identifier of an entry whose JSON is known.
    static func text(
        entity: String, key: String, _ entry: Entry, _ json: JSONValue
    ) -> String {
        let content = JSONValue.array([.string(entity), .string(key), json])
        let digest = ContentDigest(of: Array(content.jsonText.utf8)).bytes
        var bytes = Array(beginning(entity: entity, key: key).utf8)
        append(UInt64(Moment.latest - entry.stamp.moment), digitCount: 12, to: &bytes)
        for start in stride(from: 0, to: 15, by: 5) {
            let number = digest[start..<start + 5].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            append(number, digitCount: 8, to: &bytes)
        }
        append(UInt64(digest[15]) << 2 | UInt64(digest[16] >> 6), digitCount: 2, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// What the identifiers of all entries of an entity begin with.
    static func beginning(entity: String) -> String {
        var bytes = Array(prefix.utf8)
        append(StableHash.of(entity.utf8) >> 4, digitCount: 12, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// What the identifiers of all entries of a key begin with.
    static func beginning(entity: String, key: String) -> String {
        var bytes = Array(beginning(entity: entity).utf8)
        append(StableHash.of(key.utf8) >> 34, digitCount: 6, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// What an identifier begins with, as all of its key do.
    static func beginningOfKey(in id: String) -> String {
        String(decoding: id.utf8.prefix(19), as: UTF8.self)
    }

    /// What precedes the identifiers of the entries of a key from a moment back, and no later ones.
    static func place(entity: String, key: String, upTo moment: Int64) -> String {
        var bytes = Array(beginning(entity: entity, key: key).utf8)
        append(UInt64(Moment.latest - moment), digitCount: 12, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func append(_ number: UInt64, digitCount: Int, to bytes: inout [UInt8]) {
        for place in (0..<digitCount).reversed() {
            bytes.append(digits[Int(number >> UInt64(place * 5) & 31)])
        }
    }
}
