import SettlePrimitives

/// A packed value seen in place, such as in a page mapped from a file.
///
/// Nothing is copied; the compiler sees to it that no view outlives the bytes. Each accessor
/// touches the member it names, checks what it touches, and throws `PackedError` at damage.
/// Members are found by the UTF-8 bytes of their names. Numbers convert as those of `JSONValue` do.
/// No accessor allocates, but for the string or the tree that it gives back.
package struct PackedView: ~Escapable {
    let bytes: Span<UInt8>
    private let range: Range<Int>

    /// Sees the value that fills the bytes, whatever they are.
    @_lifetime(copy bytes)
    package init(_ bytes: Span<UInt8>) {
        self.bytes = bytes
        range = 0..<bytes.count
    }

    @_lifetime(copy bytes)
    private init(_ bytes: Span<UInt8>, in range: Range<Int>) {
        self.bytes = bytes
        self.range = range
    }

    /// The member of that name; nil when it is absent or this is no object.
    ///
    /// - Throws: `PackedError` when something it touches is damaged; the member's value is not
    ///   looked at.
    @_lifetime(copy self)
    package func member(_ name: String) throws(PackedError) -> PackedView? {
        guard let place = try PackedForm.range(ofMember: name, of: bytes, in: range) else {
            return nil
        }
        return PackedView(bytes, in: place)
    }

    /// What this is, as far as its head says.
    var content: PackedForm.Content {
        get throws(PackedError) { try PackedForm.whole(of: bytes, in: range) }
    }

    /// What fills a range of the bytes.
    @_lifetime(copy self)
    func part(_ range: Range<Int>) -> PackedView { PackedView(bytes, in: range) }

    /// The element at a place, from 0; nil when there are fewer or this is no array.
    ///
    /// - Throws: `PackedError` when something it touches is damaged.
    /// - Complexity: The heads of the elements before it; nothing is made of them.
    @_lifetime(copy self)
    package func element(_ index: Int) throws(PackedError) -> PackedView? {
        guard index >= 0, case .array(let area) = try PackedForm.whole(of: bytes, in: range) else {
            return nil
        }
        var start = area.lowerBound
        var place = 0
        while start < area.upperBound {
            let end = try PackedForm.content(of: bytes, in: start..<area.upperBound).end
            if place == index { return PackedView(bytes, in: start..<end) }
            start = end
            place += 1
        }
        return nil
    }

    /// How many elements the array has; nil when this is no array.
    ///
    /// - Throws: `PackedError` when something it touches is damaged.
    /// - Complexity: The heads of the elements.
    package var elementCount: Int? {
        get throws(PackedError) {
            guard case .array(let area) = try PackedForm.whole(of: bytes, in: range) else {
                return nil
            }
            var (count, start) = (0, area.lowerBound)
            while start < area.upperBound {
                start = try PackedForm.content(of: bytes, in: start..<area.upperBound).end
                count += 1
            }
            return count
        }
    }

    /// The whole value as a tree.
    ///
    /// - Throws: `PackedError` when any byte of it is damaged.
    package func value() throws(PackedError) -> JSONValue {
        try PackedForm.value(of: bytes, in: range)
    }

    /// A copy of the packed bytes, not checked.
    package func copy() -> PackedValue {
        var copy: [UInt8] = []
        copy.append(bytes, in: range)
        return PackedValue(stored: copy)
    }

    /// Walks everything.
    ///
    /// - Throws: `PackedError` when any byte is damaged or not canonical.
    package func check() throws(PackedError) {
        try PackedForm.check(bytes, in: range)
    }

    // MARK: The value itself

    /// The string, or nil when this is something else; throws at damage.
    package var string: String? {
        get throws(PackedError) { try PackedForm.string(of: bytes, in: range) }
    }

    /// The integer, or nil when this is something else; throws at damage.
    package var integer: Int64? {
        get throws(PackedError) { try PackedForm.integer(of: bytes, in: range) }
    }

    /// The number as a double, or nil when this is something else; throws at damage.
    package var double: Double? {
        get throws(PackedError) { try PackedForm.double(of: bytes, in: range) }
    }

    /// The boolean, or nil when this is something else; throws at damage.
    package var bool: Bool? {
        get throws(PackedError) { try PackedForm.bool(of: bytes, in: range) }
    }

    /// Whether this is null; throws at damage.
    package var isNull: Bool {
        get throws(PackedError) { try PackedForm.isNull(bytes, in: range) }
    }

    // MARK: Members

    /// The string of that name; nil when it is absent or something else; throws at damage.
    package func string(_ name: String) throws(PackedError) -> String? {
        guard let place = try PackedForm.range(ofMember: name, of: bytes, in: range) else {
            return nil
        }
        return try PackedForm.string(of: bytes, in: place)
    }

    /// The integer of that name; nil when it is absent or something else; throws at damage.
    package func integer(_ name: String) throws(PackedError) -> Int64? {
        guard let place = try PackedForm.range(ofMember: name, of: bytes, in: range) else {
            return nil
        }
        return try PackedForm.integer(of: bytes, in: place)
    }

    /// The number of that name; nil when it is absent or something else; throws at damage.
    package func double(_ name: String) throws(PackedError) -> Double? {
        guard let place = try PackedForm.range(ofMember: name, of: bytes, in: range) else {
            return nil
        }
        return try PackedForm.double(of: bytes, in: place)
    }

    /// The boolean of that name; nil when it is absent or something else; throws at damage.
    package func bool(_ name: String) throws(PackedError) -> Bool? {
        guard let place = try PackedForm.range(ofMember: name, of: bytes, in: range) else {
            return nil
        }
        return try PackedForm.bool(of: bytes, in: place)
    }

    // MARK: Members of prepared names

    /// The member of that name; nil when it is absent or this is no object; throws at damage.
    @_lifetime(copy self)
    package func member(_ name: PreparedName) throws(PackedError) -> PackedView? {
        guard let place = try PackedForm.range(ofMember: name, of: bytes, in: range) else {
            return nil
        }
        return PackedView(bytes, in: place)
    }

    // MARK: Members of members

    /// The member of a member; nil when either is absent; throws at damage.
    @_lifetime(copy self)
    package func member(
        at first: String, _ second: String
    ) throws(PackedError) -> PackedView? {
        guard let place = try PackedForm.range(ofMember: first, of: bytes, in: range),
            let inner = try PackedForm.range(ofMember: second, of: bytes, in: place)
        else { return nil }
        return PackedView(bytes, in: inner)
    }

    /// The member of a member and so on, this value for an empty path; throws at damage.
    @_lifetime(copy self)
    package func member(at path: [String]) throws(PackedError) -> PackedView? {
        var place = range
        for name in path {
            guard let next = try PackedForm.range(ofMember: name, of: bytes, in: place) else {
                return nil
            }
            place = next
        }
        return PackedView(bytes, in: place)
    }

    /// The string at that path; nil when it is absent or something else; throws at damage.
    package func string(at first: String, _ second: String) throws(PackedError) -> String? {
        try member(at: first, second)?.string
    }

    /// The integer at that path; nil when it is absent or something else; throws at damage.
    package func integer(at first: String, _ second: String) throws(PackedError) -> Int64? {
        try member(at: first, second)?.integer
    }

    /// The number at that path; nil when it is absent or something else; throws at damage.
    package func double(at first: String, _ second: String) throws(PackedError) -> Double? {
        try member(at: first, second)?.double
    }

    /// The boolean at that path; nil when it is absent or something else; throws at damage.
    package func bool(at first: String, _ second: String) throws(PackedError) -> Bool? {
        try member(at: first, second)?.bool
    }
}
