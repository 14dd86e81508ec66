package import SettleDocuments

/// An array or an object that is still packed: a part of a packed value that was checked.
///
/// Its elements and members are made into values one at a time, when somebody looks at them.
package struct PackedPart: Sendable, Hashable {
    fileprivate let whole: PackedValue
    fileprivate let range: Range<Int>

    fileprivate init(_ whole: PackedValue, _ range: Range<Int>) {
        self.whole = whole
        self.range = range
    }

    /// Equal values have equal bytes.
    package static func == (left: PackedPart, right: PackedPart) -> Bool {
        left.whole.bytes[left.range] == right.whole.bytes[right.range]
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(whole.bytes[range])
    }

    /// How many bytes it has.
    var byteCount: Int { range.count }

    /// The part as a tree.
    var json: JSONValue {
        Self.sound { () throws(PackedError) in
            try PackedForm.value(of: whole.bytes.span, in: range)
        }
    }

    /// The value of a member; null when there is none, or this is no object.
    ///
    /// Names are the same that are canonically equivalent.
    func member(_ name: String) -> ODataValue {
        let place = Self.sound { () throws(PackedError) in
            try PackedForm.range(ofMember: name, of: whole.bytes.span, in: range)
        }
        if let place { return ODataValue(whole, place) }
        let isPlain = name.utf8.allSatisfy { $0 < 0x80 && !Self.doubled.contains($0) }
        guard !isPlain, case .object(let members) = json, let value = members[name] else {
            return .null
        }
        return ODataValue(value)
    }

    /// Three ASCII characters have doubles.
    private static let doubled = Array(";K`".utf8)

    /// Where the elements lie; none when this is no array.
    package var elements: PackedElements {
        let bytes = whole.bytes.span
        let content = Self.sound { () throws(PackedError) in
            try PackedForm.whole(of: bytes, in: range)
        }
        guard case .array(let area) = content else { return PackedElements(whole, 0..<0) }
        return PackedElements(whole, area)
    }

    /// What a body gives that reads what was checked.
    fileprivate static func sound<Value>(_ body: () throws(PackedError) -> Value) -> Value {
        do {
            return try body()
        } catch {
            preconditionFailure("What was checked must be readable: \(error)")
        }
    }
}

/// The elements of a packed array, one after the other.
package struct PackedElements: Sequence, IteratorProtocol {
    private let whole: PackedValue
    private var rest: Range<Int>

    fileprivate init(_ whole: PackedValue, _ area: Range<Int>) {
        self.whole = whole
        rest = area
    }

    package mutating func next() -> ODataValue? {
        guard !rest.isEmpty else { return nil }
        let end = PackedPart.sound { () throws(PackedError) in
            try PackedForm.content(of: whole.bytes.span, in: rest).end
        }
        defer { rest = end..<rest.upperBound }
        return ODataValue(whole, rest.lowerBound..<end)
    }
}

extension ODataValue {
    /// The value of a packed value that was checked; arrays and objects stay packed.
    package init(packed: PackedValue) {
        self.init(packed, 0..<packed.bytes.count)
    }

    /// The value of a member of a packed object that was checked; nil when there is none of that spelling.
    package init?(packed: PackedValue, member name: String) {
        let range = PackedPart.sound { () throws(PackedError) in
            try PackedForm.range(ofMember: name, of: packed.bytes.span, in: 0..<packed.bytes.count)
        }
        guard let range else { return nil }
        self.init(packed, range)
    }

    fileprivate init(_ whole: PackedValue, _ range: Range<Int>) {
        let content = PackedPart.sound { () throws(PackedError) in
            try PackedForm.whole(of: whole.bytes.span, in: range)
        }
        switch content {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .integer(value)
        case .double(let value): self = .double(value)
        case .string(let text):
            self = .string(String(decoding: whole.bytes[text], as: UTF8.self))
        case .array: self = .packedArray(PackedPart(whole, range))
        case .object: self = .packedObject(PackedPart(whole, range))
        }
    }
}
