/// A JSON value in the compact form in which Settle stores it (Docs/Formats/PackedDocuments.md).
///
/// The form is canonical: equal values have equal bytes and the other way round. It is read in
/// place: `member(_:)` finds one member by binary search and looks at nothing else.
///
/// A value made from JSON is sound. One made from stored bytes is not trusted: every accessor
/// checks what it touches and throws `PackedError` at damage; `check()` looks at everything.
package struct PackedValue: Sendable, Hashable {
    /// The packed bytes.
    package let bytes: [UInt8]

    /// Packs a value.
    ///
    /// - Throws: `PackedError` when a double is NaN or infinite, or a limit is passed.
    package init(_ value: JSONValue, limits: JSONLimits = .default) throws(PackedError) {
        var plan = PackedPlan()
        try plan.add(value, limits: limits)
        guard plan.size <= limits.sizeMax else { throw PackedError(.tooLarge) }
        bytes = plan.write(source: [UInt8]().span)
    }

    /// Takes bytes that come from a file or a peer, whatever they are.
    package init(stored bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The whole value.
    ///
    /// - Throws: `PackedError` when any byte is damaged.
    package func value() throws(PackedError) -> JSONValue {
        try PackedForm.value(of: bytes.span, in: 0..<bytes.count)
    }

    /// Whether this is an object, by its first byte.
    package var isObject: Bool {
        PackedTag.isObject(bytes.span, in: 0..<bytes.count)
    }

    /// The member of that name; nil when it is absent or this is no object.
    ///
    /// Names are compared by their UTF-8 bytes, so a composed accent does not find a decomposed one.
    /// - Throws: `PackedError` when something it touches is damaged.
    package func member(_ name: String) throws(PackedError) -> JSONValue? {
        let bytes = bytes.span
        guard
            let range = try PackedForm.range(ofMember: name, of: bytes, in: 0..<bytes.count)
        else { return nil }
        return try PackedForm.value(of: bytes, in: range)
    }

    /// The member of that name, still packed; nil when it is absent or this is no object.
    ///
    /// The member's own bytes are copied, not checked.
    /// - Throws: `PackedError` when something it touches is damaged.
    package func packedMember(_ name: String) throws(PackedError) -> PackedValue? {
        let span = bytes.span
        guard let range = try PackedForm.range(ofMember: name, of: span, in: 0..<span.count) else {
            return nil
        }
        return PackedValue(stored: Array(bytes[range]))
    }

    /// Whether there is a member of that name; false, too, where damage hides it.
    package func hasMember(_ name: String) -> Bool {
        let span = bytes.span
        return (try? PackedForm.range(ofMember: name, of: span, in: 0..<span.count)) != nil
    }

    /// The member of a member and so on; the whole value for an empty path.
    ///
    /// - Returns: nil when a step is absent or leads through something that is no object.
    /// - Throws: `PackedError` when something it touches is damaged.
    package func member(at path: [String]) throws(PackedError) -> JSONValue? {
        let bytes = bytes.span
        var range = 0..<bytes.count
        for name in path {
            guard let next = try PackedForm.range(ofMember: name, of: bytes, in: range) else {
                return nil
            }
            range = next
        }
        return try PackedForm.value(of: bytes, in: range)
    }

    /// The member of a member; nil when there is none.
    ///
    /// As ``member(at:)``, without a list of names.
    ///
    /// - Throws: `PackedError` when what is read is damaged.
    package func member(
        at first: String, _ second: String
    ) throws(PackedError) -> JSONValue? {
        let bytes = bytes.span
        guard
            let outer = try PackedForm.range(ofMember: first, of: bytes, in: 0..<bytes.count),
            let inner = try PackedForm.range(ofMember: second, of: bytes, in: outer)
        else { return nil }
        return try PackedForm.value(of: bytes, in: inner)
    }

    /// The names of the members, ascending by their UTF-8 bytes; none when this is no object.
    ///
    /// - Throws: `PackedError` when the head or a name is damaged.
    package func memberNames() throws(PackedError) -> [String] {
        let bytes = bytes.span
        guard
            case .object(let members) = try PackedForm.whole(of: bytes, in: 0..<bytes.count)
        else { return [] }
        return try PackedForm.names(of: members, in: bytes)
    }

    /// Walks everything.
    ///
    /// - Throws: `PackedError` when any byte is damaged or not canonical.
    package func check() throws(PackedError) {
        try PackedForm.check(bytes.span, in: 0..<bytes.count)
    }
}
