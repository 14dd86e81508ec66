public import Foundation
import Settle

/// What is remembered of something on a cloud service: an ETag, a change token, a counter.
public enum CloudTag: Sendable, Hashable {
    /// A text.
    case string(String)
    /// A floating-point number; a whole one beyond 2^53 is kept exactly only as an ``integer(_:)``.
    case number(Double)
    /// A whole number of 64 bits, a change counter for example.
    case integer(Int64)
    /// Bytes.
    case data(Data)
}

extension CloudTag {
    /// The text, if it is one.
    public var string: String? { if case .string(let text) = self { text } else { nil } }

    /// The number as a floating-point one; nil when it is none, or a whole one that no `Double` is
    /// equal to.
    public var number: Double? {
        switch self {
        case .number(let number): number
        case .integer(let number): Double(exactly: number)
        case .string, .data: nil
        }
    }

    /// The number as a whole one; nil when it is none, or has a fraction, or is beyond 64 bits.
    public var integer: Int64? {
        switch self {
        case .number(let number): Int64(exactly: number)
        case .integer(let number): number
        case .string, .data: nil
        }
    }

    /// The bytes, if it is some.
    public var data: Data? { if case .data(let data) = self { data } else { nil } }

    func write(to row: inout RowWriter) {
        switch self {
        case .string(let text):
            row.write(byte: 1)
            row.write(bytes: Array(text.utf8))
        case .number(let number):
            row.write(byte: 2)
            var bits: [UInt8] = []
            bits.append(bigEndian: number.bitPattern)
            row.write(bytes: bits)
        case .data(let data):
            row.write(byte: 3)
            row.write(bytes: Array(data))
        case .integer(let number):
            row.write(byte: 4)
            var bytes: [UInt8] = []
            bytes.append(bigEndian: UInt64(bitPattern: number))
            row.write(bytes: bytes)
        }
    }

    /// The tag that fills the rest of a row.
    init(from row: inout RowReader) throws {
        switch try row.byte() {
        case 1:
            guard let text = String(validating: row.rest(), as: UTF8.self) else { throw row.damage }
            self = .string(text)
        case 2:
            self = .number(Double(bitPattern: try row.bytes(8).bigEndianNumber))
        case 3:
            self = .data(Data(row.rest()))
        case 4:
            self = .integer(Int64(bitPattern: try row.bytes(8).bigEndianNumber))
        default:
            throw row.damage
        }
    }
}
