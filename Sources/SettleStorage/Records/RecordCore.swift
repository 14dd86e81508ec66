import SettleDocuments
import SettleLMDB
import SettlePrimitives

/// What the stored form of every record has: the fields at its head, and the members at its end.
///
/// A new document that attaches nothing and comes from nowhere else is no more than this.
struct RecordCore {
    let sequence: UInt64
    let revision: Revision
    let created: Timestamp
    let changed: Timestamp
    let body: PackedValue

    /// How much later than made the document was changed, the sign in the lowest bit.
    private var zigzagAge: UInt64 {
        // Mostly zero, so this form keeps it at one byte.
        let age = changed.microseconds &- created.microseconds
        return UInt64(bitPattern: (age << 1) ^ (age >> 63))
    }

    /// The number of bytes of these fields and the members.
    var encodedLength: Int {
        2 + RowBytes.length(variable: sequence)
            + RowBytes.length(variable: UInt64(revision.generation)) + Revision.Digest.length + 8
            + RowBytes.length(variable: zigzagAge) + body.bytes.count
    }

    /// Writes the fields at the head.
    ///
    /// - Parameters:
    ///   - row: Where to.
    ///   - flags: Which of the other fields there are.
    ///   - further: Flags that take another byte, when there are some.
    func writeHead(to row: inout OutputSpan<UInt8>, flags: UInt8, further: UInt8 = 0) {
        row.append(RecordHead.layout)
        row.append(further == 0 ? flags : flags | RecordHead.Flag.further)
        if further != 0 { row.append(further) }
        row.append(variable: sequence)
        row.append(variable: UInt64(revision.generation))
        row.append(fixed64: revision.digest.high)
        row.append(fixed64: revision.digest.low)
        row.append(fixed64: UInt64(bitPattern: created.microseconds))
        row.append(variable: zigzagAge)
    }

    /// Writes a record that has nothing else.
    func write(to row: inout OutputSpan<UInt8>) {
        writeHead(to: &row, flags: 0)
        row.append(copying: body.bytes.span)
    }
}
