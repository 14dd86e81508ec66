/// A parameter of a statement.
///
/// Sent in PostgreSQL's binary format, apart from the statement, so that nothing in it is ever
/// read as SQL. The types are `bool`, `bigint`, `text`, `bytea` and arrays of them.
package enum PQValue: Sendable, Equatable {
    /// Nothing; PostgreSQL takes the type from the statement.
    case null
    /// A `bool`.
    case bool(Bool)
    /// A `bigint`.
    case integer(Int64)
    /// A `text`; PostgreSQL refuses one with a U+0000 in it (state 22021).
    case text(String)
    /// A `bytea`.
    case bytes([UInt8])
    /// A `bool[]`, for `unnest` and `= ANY`.
    case bools([Bool?])
    /// A `bigint[]`.
    case integers([Int64?])
    /// A `text[]`.
    case texts([String?])
    /// A `bytea[]`.
    case byteStrings([[UInt8]?])

    /// A text, or nothing.
    package init(_ text: String?) { self = text.map(PQValue.text) ?? .null }
    /// Bytes, or nothing.
    package init(_ bytes: [UInt8]?) { self = bytes.map(PQValue.bytes) ?? .null }
    /// An integer, or nothing.
    package init(_ integer: Int64?) { self = integer.map(PQValue.integer) ?? .null }
}

/// The numbers by which PostgreSQL knows its types.
///
/// > Source: PostgreSQL 15, `src/include/catalog/pg_type.dat`; they are part of its protocol and
/// > do not change.
enum TypeNumber {
    static let bool: UInt32 = 16
    static let bytes: UInt32 = 17
    static let integer: UInt32 = 20
    static let text: UInt32 = 25
    static let smallInteger: UInt32 = 21
    static let mediumInteger: UInt32 = 23
    static let name: UInt32 = 19
    static let variableText: UInt32 = 1043
}

extension PQValue {
    /// The number of the type; 0 leaves it to the statement.
    var typeNumber: UInt32 {
        switch self {
        case .null: 0
        case .bool: TypeNumber.bool
        case .integer: TypeNumber.integer
        case .text: TypeNumber.text
        case .bytes: TypeNumber.bytes
        case .bools: 1000
        case .integers: 1016
        case .texts: 1009
        case .byteStrings: 1001
        }
    }
}

extension PQValue {
    /// How many bytes the value takes in PostgreSQL's format, at most.
    var byteCountMax: Int {
        switch self {
        case .null: 0
        case .bool: 1
        case .integer: 8
        case .text(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        case .bools(let values): Self.byteCountMax(of: values) { _ in 1 }
        case .integers(let values): Self.byteCountMax(of: values) { _ in 8 }
        case .texts(let values): Self.byteCountMax(of: values) { $0.utf8.count }
        case .byteStrings(let values): Self.byteCountMax(of: values) { $0.count }
        }
    }

    /// Twenty bytes stand before an array, and four before each element.
    private static func byteCountMax<Element>(
        of values: [Element?], _ count: (Element) -> Int
    ) -> Int {
        values.reduce(20) { $0 + 4 + ($1.map(count) ?? 0) }
    }
}
