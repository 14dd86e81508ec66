package import SettleDocuments

extension RowWriter {
    /// Writes members as JSON text with its length in front.
    package mutating func write(members: [String: JSONValue]) {
        write(counted: JSONText.text(of: .object(members)))
    }

    /// Writes a text that may be absent.
    package mutating func write(text: String?) {
        write(byte: text == nil ? 0 : 1)
        if let text { write(counted: text.utf8) }
    }
}

extension RowReader {
    /// Reads what `write(members:)` wrote.
    package mutating func members() throws(DatabaseError) -> [String: JSONValue] {
        let text = Array(try counted())
        // As text, the members may be larger than a document may be when it is packed.
        let limits = JSONLimits(sizeMax: 1 << 30)
        guard case .object(let members)? = try? JSONText.value(from: text, limits: limits) else {
            throw damage
        }
        return members
    }

    /// Reads a packed object with its length in front.
    package mutating func packedObject() throws(DatabaseError) -> PackedValue {
        let packed = PackedValue(stored: Array(try counted()))
        guard packed.isObject, (try? packed.check()) != nil else { throw damage }
        return packed
    }

    /// Reads what `write(text:)` wrote.
    package mutating func optionalText() throws(DatabaseError) -> String? {
        try byte() == 0 ? nil : try text()
    }
}
