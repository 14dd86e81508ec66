internal import CPQ

/// The rows that a statement gave.
///
/// Belongs to the thread of its connection, and may outlive the connection.
package final class PQResult {
    private let answer: OpaquePointer

    /// Takes over an answer of libpq.
    init(_ answer: OpaquePointer) {
        self.answer = answer
    }

    deinit {
        PQclear(answer)
    }

    /// How many rows there are.
    package var count: Int { Int(PQntuples(answer)) }

    /// How many rows the statement inserted, changed or deleted.
    package var changedCount: Int {
        guard let text = PQcmdTuples(answer) else { return 0 }
        return Int(String(cString: text)) ?? 0
    }

    /// A row, from 0.
    package subscript(index: Int) -> PQRow {
        precondition(index >= 0 && index < count, "The result has only \(count) rows.")
        return PQRow(result: self, index: Int32(index))
    }

    /// The first row, if there is one.
    package var first: PQRow? { count > 0 ? self[0] : nil }

    fileprivate func isNull(_ row: Int32, _ column: Int) -> Bool {
        PQgetisnull(answer, row, checked(column)) != 0
    }

    fileprivate func type(of column: Int) -> UInt32 {
        PQftype(answer, checked(column))
    }

    /// The bytes of a value, which are gone with the result.
    fileprivate func withBytes<R>(
        _ row: Int32, _ column: Int, _ body: (UnsafeRawBufferPointer) -> R
    ) -> R {
        let column = checked(column)
        let start = PQgetvalue(answer, row, column)
        let length = Int(PQgetlength(answer, row, column))
        let bytes = UnsafeRawBufferPointer(
            start: start.map { UnsafeRawPointer($0) }, count: length)
        return withExtendedLifetime(self) { body(bytes) }
    }

    private func checked(_ column: Int) -> Int32 {
        let count = PQnfields(answer)
        precondition(column >= 0 && column < count, "The result has only \(count) columns.")
        return Int32(column)
    }
}

/// One row of a result; columns are counted from 0.
package struct PQRow {
    fileprivate let result: PQResult
    fileprivate let index: Int32

    /// Whether there is no value in a column.
    package func isNull(_ column: Int) -> Bool {
        result.isNull(index, column)
    }

    /// A `bigint`, `integer` or `smallint`.
    ///
    /// - Throws: ``PQError`` with `unexpectedValue` when it is null or of another type.
    package func integer(_ column: Int) throws(PQError) -> Int64 {
        guard let value = try integerIfAny(column) else {
            throw .unexpectedValue(column, "a number")
        }
        return value
    }

    /// A `bigint`, `integer` or `smallint`, or nil for null.
    ///
    /// - Throws: ``PQError`` with `unexpectedValue` when it is of another type.
    package func integerIfAny(_ column: Int) throws(PQError) -> Int64? {
        let length: Int
        switch result.type(of: column) {
        case TypeNumber.integer: length = 8
        case TypeNumber.mediumInteger: length = 4
        case TypeNumber.smallInteger: length = 2
        default: throw .unexpectedValue(column, "a number")
        }
        guard !isNull(column) else { return nil }
        let value = result.withBytes(index, column) { bytes -> Int64? in
            guard bytes.count == length, let first = bytes.first else { return nil }
            let sign = Int64(Int8(bitPattern: first))
            return bytes.dropFirst().reduce(sign) { $0 << 8 | Int64($1) }
        }
        guard let value else { throw .unexpectedValue(column, "a number") }
        return value
    }

    /// A `bool`.
    ///
    /// - Throws: ``PQError`` with `unexpectedValue` when it is null or of another type.
    package func bool(_ column: Int) throws(PQError) -> Bool {
        guard result.type(of: column) == TypeNumber.bool, !isNull(column) else {
            throw .unexpectedValue(column, "a truth value")
        }
        return result.withBytes(index, column) { $0.first == 1 }
    }

    /// A `text`.
    ///
    /// - Throws: ``PQError`` with `unexpectedValue` when it is null or of another type.
    package func text(_ column: Int) throws(PQError) -> String {
        guard let text = try textIfAny(column) else { throw .unexpectedValue(column, "a text") }
        return text
    }

    /// A `text`, or nil for null.
    ///
    /// - Throws: ``PQError`` with `unexpectedValue` when it is of another type.
    package func textIfAny(_ column: Int) throws(PQError) -> String? {
        switch result.type(of: column) {
        case TypeNumber.text, TypeNumber.variableText, TypeNumber.name: break
        default: throw .unexpectedValue(column, "a text")
        }
        guard !isNull(column) else { return nil }
        return result.withBytes(index, column) { String(decoding: $0, as: UTF8.self) }
    }

    /// A `bytea`, copied.
    ///
    /// - Throws: ``PQError`` with `unexpectedValue` when it is null or of another type.
    package func bytes(_ column: Int) throws(PQError) -> [UInt8] {
        guard let bytes = try bytesIfAny(column) else { throw .unexpectedValue(column, "bytes") }
        return bytes
    }

    /// A `bytea`, copied, or nil for null.
    ///
    /// - Throws: ``PQError`` with `unexpectedValue` when it is of another type.
    package func bytesIfAny(_ column: Int) throws(PQError) -> [UInt8]? {
        guard result.type(of: column) == TypeNumber.bytes else {
            throw .unexpectedValue(column, "bytes")
        }
        guard !isNull(column) else { return nil }
        return result.withBytes(index, column) { [UInt8]($0) }
    }
}
