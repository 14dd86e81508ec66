public import Foundation

/// What is remembered of something on a cloud service: an ETag, a change token, a counter.
public enum CloudTag: Sendable, Hashable {
    /// A text.
    case string(String)
    /// A number.
    case number(Double)
    /// Bytes.
    case data(Data)
}

extension CloudTag {
    /// The text, if it is one.
    public var string: String? { if case .string(let text) = self { text } else { nil } }

    /// The number, if it is one.
    public var number: Double? { if case .number(let number) = self { number } else { nil } }

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
        default:
            throw row.damage
        }
    }
}
