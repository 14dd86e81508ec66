extension JSONWriter {
    /// Writes a packed object together with other members, all in the order of their names.
    ///
    /// - Parameters:
    ///   - bytes: The packed object, which fills them.
    ///   - columns: Members that it gets, or that stand in place of its own; ascending by the UTF-8
    ///     bytes of their names.
    ///   - isWritten: Whether a member of the object is written; nil for all.
    ///   - output: What is appended to.
    /// - Throws: `PackedError` when the bytes are damaged or no object.
    static func write(
        _ bytes: Span<UInt8>, with columns: [(name: String, value: JSONValue)],
        where isWritten: ((String) -> Bool)?, to output: inout [UInt8]
    ) throws(PackedError) {
        guard case .object(let members) = try PackedForm.whole(of: bytes, in: 0..<bytes.count)
        else {
            throw PackedError(.notCanonical, at: 0)
        }
        assert(
            zip(columns, columns.dropFirst()).allSatisfy {
                $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
            }, "Columns must ascend by the bytes of their names.")
        try PackedForm.checkNames(of: members, in: bytes)
        output.append(UInt8(ascii: "{"))
        var isFirst = true
        func separate(_ output: inout [UInt8]) {
            if !isFirst { output.append(UInt8(ascii: ",")) }
            isFirst = false
        }
        func write(_ column: (name: String, value: JSONValue), to output: inout [UInt8]) {
            separate(&output)
            JSONWriter.write(.string(column.name), to: &output)
            output.append(UInt8(ascii: ":"))
            JSONWriter.write(column.value, to: &output)
        }
        let names = columns.map { ByteName($0.name) }
        var place = 0
        for index in 0..<members.count {
            let (name, value) = try members.member(index, in: bytes)
            var isReplaced = false
            while place < columns.count, !isReplaced {
                let order = names[place].order(in: bytes, name)
                guard order <= 0 else { break }
                write(columns[place], to: &output)
                place += 1
                isReplaced = order == 0
            }
            if isReplaced { continue }
            if let isWritten, try !isWritten(PackedForm.utf8(of: bytes, in: name)) { continue }
            separate(&output)
            try writeString(bytes, in: name, to: &output)
            output.append(UInt8(ascii: ":"))
            let end = try JSONWriter.write(bytes, in: value, depth: 1, to: &output)
            guard end == value.upperBound else { throw PackedError(.trailingBytes, at: end) }
        }
        for column in columns[place...] { write(column, to: &output) }
        output.append(UInt8(ascii: "}"))
    }
}
