/// Writes the fields of a stored row.
struct RowWriter {
    private(set) var bytes: [UInt8] = []

    mutating func write(byte: UInt8) {
        bytes.append(byte)
    }

    /// Seven bits a byte, least significant group first.
    mutating func write(number: UInt64) {
        var rest = number
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    mutating func write(counted field: some Collection<UInt8>) {
        write(number: UInt64(field.count))
        bytes.append(contentsOf: field)
    }
}

/// Reads the fields of a stored row, which may be damaged.
struct RowReader {
    private let bytes: [UInt8]
    private var position = 0
    /// What the row is, for the error.
    private let place: String

    init(_ bytes: [UInt8], place: String) {
        self.bytes = bytes
        self.place = place
    }

    /// What a reader says about a row that it cannot read.
    var damage: ReplicationError {
        ReplicationError(
            .localFailure,
            "The database is damaged: \(place) cannot be read. Check the database; if it is "
                + "sound, it was written by a newer release.")
    }

    mutating func byte() throws(ReplicationError) -> UInt8 {
        guard position < bytes.count else { throw damage }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func number() throws(ReplicationError) -> UInt64 {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while shift < 64 {
            let next = try byte()
            number |= UInt64(next & 0x7F) << shift
            if next & 0x80 == 0 { return number }
            shift += 7
        }
        throw damage
    }

    mutating func counted() throws(ReplicationError) -> ArraySlice<UInt8> {
        let count = try number()
        guard count <= UInt64(bytes.count - position) else { throw damage }
        defer { position += Int(count) }
        return bytes[position..<position + Int(count)]
    }

    mutating func text() throws(ReplicationError) -> String {
        guard let text = String(validating: try counted(), as: UTF8.self) else { throw damage }
        return text
    }
}
