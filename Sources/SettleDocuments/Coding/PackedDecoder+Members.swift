extension PackedDecoder {
    /// Where the value of the member of that name lies; nil when the bytes have none.
    ///
    /// No type is a parameter here or below, so that none must be asked for by the runtime.
    /// - Precondition: The value was opened as an object.
    /// - Throws: `PackedError` when a name that the search meets is damaged.
    func place(of name: ByteName) throws(PackedError) -> Range<Int>? {
        guard let members else { return nil }
        // Read and written at once, because an access that spans calls is watched by the runtime.
        var expected = expected
        defer { self.expected = expected }
        let bytes = source.bytes
        let place = expected.current
        guard let found = try members.find(name, expectedAt: place, in: bytes.span) else {
            expected.advance()
            return nil
        }
        if found.place == place {
            expected.advance()
        } else {
            expected.advance(correcting: found.place)
        }
        return found.value
    }

    /// The names of all members; one that cannot be read is left out.
    var memberNames: [String] {
        guard let members else { return [] }
        let bytes = source.bytes
        var names = (0..<members.count).compactMap { index -> String? in
            guard let name = try? members.member(index, in: bytes.span).name else { return nil }
            return try? PackedForm.utf8(of: bytes.span, in: name)
        }
        if hasAdded, let added = source.added { names.append(added.name.text) }
        return names
    }

    /// A decoder of the member that the object has beside its own, if that is its name.
    func added(_ name: ByteName) throws(PackedError) -> PackedDecoder? {
        guard mayBeAdded(name), let added = source.added, added.name.isSame(as: name) else {
            return nil
        }
        var bytes: [UInt8] = []
        try PackedForm.append(added.value, to: &bytes)
        let source = Source(bytes: bytes, leaves: source.leaves, userInfo: source.userInfo)
        // In the place of the object, so that an error adds the key once.
        return PackedDecoder(source, 0..<bytes.count, inside: outer, at: key, depth: depth)
    }

    /// Whether all that can be told without its text agrees with the name of the added member.
    @inline(__always)
    func mayBeAdded(_ name: ByteName) -> Bool { hasAdded && source.mayBeAdded(name) }

    /// Whether this is the object that has a member beside its own.
    ///
    /// Only the outermost value begins with the first byte.
    var hasAdded: Bool { range.lowerBound == 0 && source.hasAdded }
}
