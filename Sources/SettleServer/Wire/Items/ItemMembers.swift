package import Settle
import SettleOData

/// The members of an item that its sender gave.
///
/// Members that come from a store stay as they are stored until somebody asks for their values:
/// what is only sent on becomes text without them.
package struct ItemMembers: Sendable {
    private enum Form {
        case values([String: JSONValue])
        /// A sound object.
        case packed(PackedValue)
    }

    private let form: Form

    /// Members by their names.
    package init(_ values: [String: JSONValue]) {
        form = .values(values)
    }

    private init(form: Form) {
        self.form = form
    }

    /// Members that this process has packed.
    ///
    /// - Precondition: They are an object.
    init(sound packed: PackedValue) {
        precondition(packed.isObject, "Members are an object.")
        form = .packed(packed)
    }

    /// Members as a store has them; nil when they are no object.
    ///
    /// - Parameter packed: A value that was checked, or packed by this process: damage that shows
    ///   later ends the process, but for ``writeChecking(with:selecting:to:_:)`` and ``measuredSize()``.
    package init?(packed: PackedValue) {
        guard packed.isObject else { return nil }
        form = .packed(packed)
    }

    /// The values, by their names.
    ///
    /// - Complexity: All that is in them, each time, when they come from a store.
    package var values: [String: JSONValue] {
        switch form {
        case .values(let values): values
        case .packed(let packed): Self.sound { try packed.value() }.objectValue ?? [:]
        }
    }

    /// The members as they are stored.
    ///
    /// - Throws: `PackedError` when a number is not finite, or a limit is passed.
    package func packed() throws(PackedError) -> PackedValue {
        switch form {
        case .values(let values): try PackedValue(.object(values))
        case .packed(let packed): packed
        }
    }

    /// How many there are.
    package var count: Int {
        switch form {
        case .values(let values): values.count
        case .packed(let packed): Self.sound { () throws(PackedError) in try packed.memberCount }
        }
    }

    /// The elements of the member `channels`, nil in place of one that is no string; nil when it is no array.
    var channelElements: [String?]? {
        switch value(of: "channels") {
        case .array(let elements): elements.map(\.stringValue)
        case .packedArray(let part):
            part.elements.map { if case .string(let text) = $0 { text } else { nil } }
        default: nil
        }
    }

    /// The channels that an item with these members is in.
    var channels: Set<String> { Set(channelElements?.compactMap(\.self) ?? []) }

    /// How many values are in them; stops counting behind a limit.
    func valueCount(limit: Int) -> Int {
        switch form {
        case .values(let values): JSONPatch.count(.object(values), limit: limit)
        case .packed(let packed): Self.sound { try packed.valueCount(limit: limit) }
        }
    }

    /// These members with others in place of those of the same names.
    ///
    /// - Complexity: The bytes of both.
    func merging(_ others: ItemMembers) -> ItemMembers {
        if case (.packed(let mine), .packed(let theirs)) = (form, others.form) {
            return ItemMembers(form: .packed(Self.sound { try mine.merging(theirs) }))
        }
        return ItemMembers(values.merging(others.values) { $1 })
    }

    /// The value of one name for a condition; null when there is none.
    ///
    /// - Complexity: As ``subscript(_:)``, but that arrays and objects stay packed.
    func value(of name: String) -> ODataValue {
        if case .packed(let packed) = form, let value = ODataValue(packed: packed, member: name) {
            return value
        }
        return self[name].map(ODataValue.init) ?? .null
    }

    /// The value of one name; nil when there is none.
    ///
    /// Names are the same that are canonically equivalent, as for dictionaries.
    ///
    /// - Complexity: Of members from a store, all that is in the member, each time; all members when
    ///   there is none and the name is not plain ASCII.
    package subscript(name: String) -> JSONValue? {
        switch form {
        case .values(let values): return values[name]
        case .packed(let packed):
            if let value = Self.sound({ try packed.member(name) }) { return value }
            return Self.hasOneSpelling(name) ? nil : values[name]
        }
    }

    /// Whether no other text is canonically equivalent: three ASCII characters have doubles.
    private static func hasOneSpelling(_ name: String) -> Bool {
        name.utf8.allSatisfy { byte in
            switch Unicode.Scalar(byte) {
            case ";", "K", "`": false
            default: byte < 0x80
            }
        }
    }

    /// About how many bytes they take as text, and in memory not many times more; the same for
    /// members from a store as for those that are given.
    ///
    /// - Complexity: All that is in them, without making values of it.
    var approximateSize: Int { Self.sound { try measuredSize() } }

    /// ``approximateSize``, also of members that were not checked.
    ///
    /// - Throws: `PackedError` when they are damaged.
    func measuredSize() throws(PackedError) -> Int {
        switch form {
        case .values(let values): JSONValue.object(values).approximateSize
        case .packed(let packed): try packed.approximateSize()
        }
    }

    /// What ``approximateSize`` is at most; of members from a store without looking into them.
    var approximateSizeMax: Int {
        // Of what is packed, a byte stands for nine of text at most: a small number in an array.
        if case .packed(let packed) = form { 9 * packed.bytes.count } else { approximateSize }
    }

    /// Whether they are so many bytes that they are dealt with on threads of their own.
    ///
    /// - Complexity: Of members from a store constant.
    var isLarge: Bool {
        switch form {
        case .values: approximateSize > Self.smallBytesMax
        case .packed(let packed): packed.bytes.count > Self.smallBytesMax
        }
    }

    /// The most bytes of members that are not large.
    static let smallBytesMax = 64 << 10

    /// Appends packed members and some columns as one JSON object, sorted by the bytes of the names.
    ///
    /// - Parameters:
    ///   - columns: The names of what stands beside them, or in place of those of the same name.
    ///   - selection: The names of the members to write; nil for all. Columns are written in any case.
    ///   - text: What is appended to.
    ///   - writeValue: Appends the value of a column as JSON text, by its number.
    /// - Returns: False when they are not packed; then nothing was appended.
    func write(
        with columns: JSONColumns, selecting selection: Set<String>?, to text: inout [UInt8],
        _ writeValue: (Int, inout [UInt8]) -> Void
    ) -> Bool {
        Self.sound {
            try writeChecking(with: columns, selecting: selection, to: &text, writeValue)
        }
    }

    /// As ``write(with:selecting:to:_:)``, also of members that were not checked.
    ///
    /// - Throws: `PackedError` when they are damaged: lengths, or text that is not UTF-8.
    func writeChecking(
        with columns: JSONColumns, selecting selection: Set<String>?, to text: inout [UInt8],
        _ writeValue: (Int, inout [UInt8]) -> Void
    ) throws(PackedError) -> Bool {
        guard case .packed(let packed) = form else { return false }
        try JSONText.text(
            of: packed, with: columns, to: &text, where: selection.map { $0.contains }, writeValue)
        return true
    }

    /// Appends them and some columns as one JSON object, sorted by the bytes of the names.
    ///
    /// - Parameters:
    ///   - columns: What stands beside them, or in place of those of the same name; ascending by
    ///     the bytes of their names.
    ///   - selection: The names of the members to write; nil for all. Columns are written in any
    ///     case.
    ///   - text: What is appended to.
    package func write(
        with columns: [(name: String, value: JSONValue)] = [],
        selecting selection: Set<String>? = nil, to text: inout [UInt8]
    ) {
        switch form {
        case .values(var values):
            if let selection { values = values.filter { selection.contains($0.key) } }
            for column in columns { values[column.name] = column.value }
            JSONText.append(.object(values), to: &text)
        case .packed(let packed):
            Self.sound {
                try JSONText.text(
                    of: packed, with: columns, to: &text, where: selection.map { $0.contains })
            }
        }
    }

    /// What a body gives that reads packed members, which were checked.
    private static func sound<Value>(_ body: () throws -> Value) -> Value {
        do {
            return try body()
        } catch {
            preconditionFailure("Members that were checked must be readable: \(error)")
        }
    }
}

extension ItemMembers: Equatable {
    package static func == (left: ItemMembers, right: ItemMembers) -> Bool {
        if case (.packed(let left), .packed(let right)) = (left.form, right.form) {
            // Equal values have equal bytes.
            return left == right
        }
        return JSONValue.object(left.values) == .object(right.values)
    }
}

extension ItemMembers: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(Dictionary(elements) { $1 })
    }
}
