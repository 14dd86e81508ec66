/// The parameters of one statement in PostgreSQL's binary format, one after the other.
///
/// > Source: the formats are those of the `…send` and `…recv` functions of PostgreSQL 15; numbers
/// > have the highest byte first, arrays begin with the count of dimensions, a flag for nulls, the
/// > type of the elements, the length and the lower bound.
struct ParameterBytes {
    /// Where a parameter lies; nil for a null.
    private(set) var ranges: [Range<Int>?] = []
    private(set) var bytes: [UInt8] = []
    private(set) var typeNumbers: [UInt32] = []

    /// How many bytes the parameters of a statement may have: PostgreSQL ends a connection on which
    /// a message of 1 GiB comes, and the rest is for what stands between them.
    ///
    /// > Source: PostgreSQL 15, `PQ_LARGE_MESSAGE_LIMIT` in `src/include/libpq/libpq.h`.
    static let bytesMax = (1 << 30) - (1 << 20)

    /// Puts parameters one after the other.
    ///
    /// - Throws: ``PQError`` with `statement` and `programLimitExceeded` when they have more than
    ///   ``bytesMax``; before anything is copied.
    init(_ values: [PQValue]) throws(PQError) {
        let count = values.reduce(0) { $0 + $1.byteCountMax }
        guard count <= Self.bytesMax else { throw .tooLarge(count) }
        bytes.reserveCapacity(count + 1)
        for value in values {
            typeNumbers.append(value.typeNumber)
            let start = bytes.count
            switch value {
            case .null:
                ranges.append(nil)
                continue
            case .bool(let value): add(value)
            case .integer(let value): add(value)
            case .text(let value): add(value)
            case .bytes(let value): add(value)
            case .bools(let values):
                addArray(values, of: TypeNumber.bool) { $0.add($1) }
            case .integers(let values):
                addArray(values, of: TypeNumber.integer) { $0.add($1) }
            case .texts(let values):
                addArray(values, of: TypeNumber.text) { $0.add($1) }
            case .byteStrings(let values):
                addArray(values, of: TypeNumber.bytes) { $0.add($1) }
            }
            ranges.append(start..<bytes.count)
        }
        // So that there is an address for a parameter of no bytes at the end.
        bytes.append(0)
    }

    private mutating func addArray<Element>(
        _ values: [Element?], of type: UInt32, _ add: (inout ParameterBytes, Element) -> Void
    ) {
        addNumber(UInt32(values.isEmpty ? 0 : 1))
        addNumber(UInt32(values.contains { $0 == nil } ? 1 : 0))
        addNumber(type)
        guard !values.isEmpty else { return }
        addNumber(UInt32(values.count))
        addNumber(UInt32(1))
        for value in values {
            guard let value else {
                addNumber(UInt32.max)
                continue
            }
            let place = bytes.count
            addNumber(UInt32(0))
            add(&self, value)
            let length = UInt32(bytes.count - place - 4)
            for index in 0..<4 {
                bytes[place + index] = UInt8(truncatingIfNeeded: length >> UInt32(24 - 8 * index))
            }
        }
    }

    private mutating func add(_ value: Bool) {
        bytes.append(value ? 1 : 0)
    }

    private mutating func add(_ value: Int64) {
        addNumber(UInt64(bitPattern: value))
    }

    private mutating func add(_ value: String) {
        bytes.append(contentsOf: value.utf8)
    }

    private mutating func add(_ value: [UInt8]) {
        bytes.append(contentsOf: value)
    }

    private mutating func addNumber<Number: FixedWidthInteger>(_ number: Number) {
        for place in stride(from: Number.bitWidth - 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> Number(place)))
        }
    }
}
