import SettleDocuments
import SettleLMDB
import SettlePrimitives

/// What is known about one content.
///
/// Shape: references, leases, number of the content (0 for content that is not here), length; each
/// a varint.
struct ContentRow: Sendable, Equatable {
    /// How many attachments of records name it.
    var references: UInt64
    /// How many uploads keep it until a document takes it.
    var leases: UInt64
    /// What its chunks are found under; nil when only a description of it is here.
    var number: UInt64?
    /// Its length in bytes.
    var length: Int

    init(references: UInt64 = 0, leases: UInt64 = 0, number: UInt64?, length: Int) {
        self.references = references
        self.leases = leases
        self.number = number
        self.length = length
    }

    init?(_ row: Span<UInt8>) {
        var position = 0
        guard let references = row.variable(at: &position),
            let leases = row.variable(at: &position), let number = row.variable(at: &position),
            let length = row.variable(at: &position), length <= UInt64(Int.max),
            position == row.count
        else { return nil }
        self.references = references
        self.leases = leases
        self.number = number == 0 ? nil : number
        self.length = Int(length)
    }

    func encoded() -> [UInt8] {
        var row: [UInt8] = []
        row.append(variable: references)
        row.append(variable: leases)
        row.append(variable: number ?? 0)
        row.append(variable: UInt64(length))
        return row
    }
}

/// An upload: content that is on its way into the store, or waits for a document to take it.
///
/// Shape: when it was begun, microseconds since 1970 in eight bytes; then, once all of it is here,
/// its digest.
struct UploadRow: Sendable, Equatable {
    /// When it was begun.
    var begun: Timestamp
    /// What the content is; nil while it is coming.
    var digest: ContentDigest?

    init(begun: Timestamp, digest: ContentDigest? = nil) {
        self.begun = begun
        self.digest = digest
    }

    init?(_ row: Span<UInt8>) {
        var position = 0
        guard let begun = row.fixed64(at: &position) else { return nil }
        self.begun = Timestamp(microseconds: Int64(bitPattern: begun))
        guard position < row.count else { return }
        guard row.count - position == ContentDigest.length,
            let digest = ContentDigest(stored: row.rest(from: position))
        else { return nil }
        self.digest = digest
    }

    func encoded() -> [UInt8] {
        var row: [UInt8] = []
        row.append(fixed64: UInt64(bitPattern: begun.microseconds))
        if let digest { row.append(contentsOf: digest.bytes) }
        return row
    }
}
