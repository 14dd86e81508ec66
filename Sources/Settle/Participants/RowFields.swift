import SettlePrimitives

/// Writes the fields of a row in a side table.
package struct RowWriter {
    package private(set) var bytes: [UInt8] = []

    /// Begins a row.
    ///
    /// - Parameter count: About how many bytes it will have: it is not moved while it is made.
    package init(expecting count: Int = 16) {
        bytes.reserveCapacity(count)
    }

    package mutating func write(byte: UInt8) {
        bytes.append(byte)
    }

    package mutating func write(bytes more: [UInt8]) {
        bytes.append(contentsOf: more)
    }

    /// Seven bits a byte, least significant group first.
    package mutating func write(number: UInt64) {
        bytes.append(variable: number)
    }

    /// Eight bytes, most significant first.
    package mutating func write(fixed number: UInt64) {
        bytes.append(fixed64: number)
    }

    package mutating func write(counted field: some Collection<UInt8>) {
        bytes.append(counted: field)
    }
}

/// Reads the fields of a row in a side table, which may be damaged.
package struct RowReader {
    private let bytes: [UInt8]
    private var position = 0
    /// What the row is, for the error.
    private let place: String

    package init(_ bytes: [UInt8], place: String) {
        self.bytes = bytes
        self.place = place
    }

    /// Eight bytes, most significant first.
    package mutating func fixed() throws(DatabaseError) -> UInt64 {
        try bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// What a reader says about a row that it cannot read.
    package var damage: DatabaseError {
        DatabaseError(
            .corrupted,
            "The database is damaged: \(place) cannot be read. Check the database; if it is "
                + "sound, it was written by a newer release.")
    }

    package mutating func byte() throws(DatabaseError) -> UInt8 {
        guard position < bytes.count else { throw damage }
        defer { position += 1 }
        return bytes[position]
    }

    package mutating func number() throws(DatabaseError) -> UInt64 {
        var next = position
        guard let number = bytes.span.variable(at: &next) else { throw damage }
        position = next
        return number
    }

    package mutating func counted() throws(DatabaseError) -> ArraySlice<UInt8> {
        let count = try number()
        guard count <= UInt64(bytes.count - position) else { throw damage }
        defer { position += Int(count) }
        return bytes[position..<position + Int(count)]
    }

    /// As many bytes as are expected here.
    package mutating func bytes(_ count: Int) throws(DatabaseError) -> ArraySlice<UInt8> {
        guard count <= bytes.count - position else { throw damage }
        defer { position += count }
        return bytes[position..<position + count]
    }

    /// How many things follow, each of at least one byte.
    package mutating func count() throws(DatabaseError) -> Int {
        let count = try number()
        guard count <= UInt64(bytes.count - position) else { throw damage }
        return Int(count)
    }

    /// All that is left.
    package mutating func rest() -> ArraySlice<UInt8> {
        defer { position = bytes.count }
        return bytes[position...]
    }

    package mutating func text() throws(DatabaseError) -> String {
        guard let text = String(validating: try counted(), as: UTF8.self) else { throw damage }
        return text
    }
}
