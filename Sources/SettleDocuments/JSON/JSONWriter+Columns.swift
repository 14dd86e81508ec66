import SettlePrimitives

extension JSONWriter {
    /// Writes a packed object together with columns, all in the order of their names.
    ///
    /// The order of the object's own names is not checked again.
    ///
    /// - Parameters:
    ///   - bytes: The packed object, which fills them.
    ///   - columns: The columns that it gets, or that stand in place of its own members.
    ///   - isWritten: Whether a member of the object is written; nil for all.
    ///   - output: What is appended to.
    ///   - writeValue: Appends the value of a column, by its number.
    /// - Throws: `PackedError` when the bytes are damaged or no object.
    static func write(
        _ bytes: Span<UInt8>, with columns: JSONColumns, where isWritten: ((String) -> Bool)?,
        to output: inout [UInt8], _ writeValue: (Int, inout [UInt8]) -> Void
    ) throws(PackedError) {
        guard case .object(let members) = try PackedForm.whole(of: bytes, in: 0..<bytes.count)
        else {
            throw PackedError(.notCanonical, at: 0)
        }
        output.append(UInt8(ascii: "{"))
        let start = output.count
        var place = 0
        for index in 0..<members.count {
            let (name, value) = try members.member(index, in: bytes)
            var isReplaced = false
            while place < columns.count, !isReplaced {
                let order = columns.names[place].order(in: bytes, name)
                guard order <= 0 else { break }
                columns.writeHead(of: place, after: start, to: &output)
                writeValue(place, &output)
                place += 1
                isReplaced = order == 0
            }
            if isReplaced { continue }
            if let isWritten, try !isWritten(PackedForm.utf8(of: bytes, in: name)) { continue }
            if output.count > start { output.append(UInt8(ascii: ",")) }
            try writeString(bytes, in: name, to: &output)
            output.append(UInt8(ascii: ":"))
            let end = try JSONWriter.write(bytes, in: value, depth: 1, to: &output)
            guard end == value.upperBound else { throw PackedError(.trailingBytes, at: end) }
        }
        while place < columns.count {
            columns.writeHead(of: place, after: start, to: &output)
            writeValue(place, &output)
            place += 1
        }
        output.append(UInt8(ascii: "}"))
    }
}
