import SettlePrimitives

extension PackedValue {
    /// A member that is written into an object: its place there, or that of the member it goes before.
    private struct Edit {
        let place: Int
        let isNew: Bool
        let name: [UInt8]
        /// The packed value; nil for a member that is removed.
        let value: PackedValue?
    }

    /// This object with some members set and others removed; the bytes of the rest are copied.
    ///
    /// The result has the bytes that packing all members would give. Names are the same that are
    /// canonically equivalent, as in a dictionary, and a member that is there keeps its spelling.
    ///
    /// - Parameters:
    ///   - edits: The members by name, nil for those to remove; absent ones are passed over.
    ///   - limits: What the whole object must keep to.
    /// - Returns: The object with the edits.
    /// - Throws: `PackedError` when a double is NaN or infinite, a limit is passed, what it touches
    ///   is damaged, or this is no object.
    /// - Complexity: The bytes of the object, once; values are packed of the edits alone.
    package func setting(
        _ edits: [String: JSONValue?], limits: JSONLimits = .default
    ) throws(PackedError) -> PackedValue {
        let span = bytes.span
        let own = try members()
        var sorted: [Edit] = []
        sorted.reserveCapacity(edits.count)
        for (name, value) in edits {
            if let edit = try edit(name, value, of: own, limits) { sorted.append(edit) }
        }
        if sorted.isEmpty { return self }
        sorted.sort {
            if $0.place != $1.place { return $0.place < $1.place }
            // What is new goes before the member in whose place it was found.
            if $0.isNew != $1.isNew { return $0.isNew }
            return $0.name.lexicographicallyPrecedes($1.name)
        }
        let growth = sorted.reduce(0) { $0 + $1.name.count + ($1.value?.bytes.count ?? 0) + 5 }
        var area: [UInt8] = []
        area.reserveCapacity(own.area.count + growth)
        var ends: [Int] = []
        ends.reserveCapacity(own.count + sorted.count)
        var next = 0
        for edit in sorted {
            while next < edit.place {
                area.append(span, in: try own.range(of: next, in: span))
                ends.append(area.count)
                next += 1
            }
            if !edit.isNew { next += 1 }
            guard let value = edit.value else { continue }
            PackedObjectForm.append(name: edit.name, to: &area)
            area.append(contentsOf: value.bytes)
            ends.append(area.count)
            guard area.count <= limits.sizeMax else { throw PackedError(.tooLarge) }
        }
        while next < own.count {
            area.append(span, in: try own.range(of: next, in: span))
            ends.append(area.count)
            next += 1
        }
        let result = PackedObjectForm.object(ends, area)
        guard result.bytes.count <= limits.sizeMax else { throw PackedError(.tooLarge) }
        return result
    }

    /// Finds where a member goes; nil when there is nothing to remove.
    private func edit(
        _ name: String, _ value: JSONValue?, of own: PackedMembers, _ limits: JSONLimits
    ) throws(PackedError) -> Edit? {
        let span = bytes.span
        let text = Array(name.utf8)
        var (place, isFound) = try own.place(of: text.span, in: span)
        if !isFound, PackedObjectForm.hasDoubles(text.span, in: 0..<text.count),
            let double = try Self.namesWithDoubles(of: own, in: span)[name]
        {
            (place, isFound) = (double, true)
        }
        guard let value else {
            return isFound ? Edit(place: place, isNew: false, name: [], value: nil) : nil
        }
        var inner = limits
        // The object around it is one level.
        inner.depthMax -= 1
        let packed = try PackedValue(value, limits: inner)
        guard isFound else { return Edit(place: place, isNew: true, name: text, value: packed) }
        let spelling = Array(bytes[try own.member(place, in: span).name])
        return Edit(place: place, isNew: false, name: spelling, value: packed)
    }
}

extension PackedMembers {
    /// The number of the member of that name, or of the first one behind it.
    ///
    /// Cost: a binary search.
    /// - Throws: `PackedError` when a name it meets is damaged.
    fileprivate func place(
        of name: Span<UInt8>, in bytes: Span<UInt8>
    ) throws(PackedError) -> (place: Int, isFound: Bool) {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            let order = PackedObjectForm.order(
                name, 0..<name.count, bytes, try member(middle, in: bytes).name)
            if order == 0 { return (middle, true) }
            if order < 0 { high = middle } else { low = middle + 1 }
        }
        return (low, false)
    }
}
