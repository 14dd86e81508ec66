extension PackedDecoder {
    /// Where a member lies, and who decodes it there.
    struct Member {
        let decoder: PackedDecoder
        let range: Range<Int>
    }

    /// The member of that name; nil when it is absent.
    ///
    /// No type is a parameter here or below, so that none must be asked for by the runtime.
    /// - Precondition: The value was opened as an object.
    /// - Throws: `PackedError` when a name that the search meets is damaged.
    func member(_ name: String) throws(PackedError) -> Member? {
        let name = ByteName(name)
        if let added, added.name.isSame(as: name) { return try decoder(of: added.value) }
        let bytes = source.bytes
        guard let range = try members?.value(named: name, in: bytes.span) else { return nil }
        return Member(decoder: self, range: range)
    }

    /// The names of all members; one that cannot be read is left out.
    var memberNames: [String] {
        guard let members else { return [] }
        let bytes = source.bytes
        var names = (0..<members.count).compactMap { index -> String? in
            guard let name = try? members.member(index, in: bytes.span).name else { return nil }
            return try? PackedForm.utf8(of: bytes.span, in: name)
        }
        if let added { names.append(added.name.text) }
        return names
    }

    /// The member that this object has beside its own, if it is the outermost one.
    private var added: Source.Added? {
        // Only the outermost value begins with the first byte.
        range.lowerBound == 0 ? source.added : nil
    }

    private func decoder(of added: String) throws(PackedError) -> Member {
        var bytes: [UInt8] = []
        try PackedForm.append(added, to: &bytes)
        let source = Source(bytes: bytes, leaves: source.leaves, userInfo: source.userInfo)
        let range = 0..<bytes.count
        return Member(
            decoder: PackedDecoder(source, range, at: path, depth: depth), range: range)
    }
}
