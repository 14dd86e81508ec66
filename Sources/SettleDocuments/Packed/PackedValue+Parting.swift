import SettlePrimitives

extension PackedValue {
    /// What becomes of a member when an object is parted.
    package enum Part: Sendable {
        /// It stays in the object.
        case kept
        /// It is taken out, under a number from 0 on.
        case taken(Int)
        /// It stays under another name, whose UTF-8 this is.
        case renamed([UInt8])
        /// The object cannot be parted by the bytes of its names.
        case odd
    }

    /// This object without some of its members, with others under new names, and the values of those that are
    /// taken out; its other bytes are copied.
    ///
    /// - Parameters:
    ///   - count: One more than the highest number that a member is taken out under.
    ///   - part: What becomes of a member, by the place of its name's UTF-8.
    /// - Returns: The rest and the values under their numbers, nil for those that it lacks; nil when this
    ///   is no object, one of its members is odd, a new name may be that of another member, or more than
    ///   ``renamedMax`` have one.
    /// - Throws: `PackedError` when it is damaged.
    /// - Complexity: The bytes of the object, once; the names alone when all members are kept.
    package func parting(
        into count: Int, by part: (Span<UInt8>, Range<Int>) -> Part
    ) throws(PackedError) -> (rest: PackedValue, taken: [JSONValue?])? {
        try parting(into: count, by: part) { (bytes, value) throws(PackedError) in
            try PackedForm.value(of: bytes, in: value)
        }
    }

    /// This object without some of its members, and those, still packed; all bytes are copied.
    ///
    /// - Parameters:
    ///   - count: One more than the highest number that a member is taken out under.
    ///   - part: What becomes of a member, by the place of its name's UTF-8.
    /// - Returns: As ``parting(into:by:)``.
    /// - Throws: `PackedError` when it is damaged.
    /// - Complexity: The bytes of the object, once; the names alone when nothing is taken out.
    package func partingPacked(
        into count: Int, by part: (Span<UInt8>, Range<Int>) -> Part
    ) throws(PackedError) -> (rest: PackedValue, taken: [PackedValue?])? {
        try parting(into: count, by: part) { bytes, value in
            PackedValue(stored: [UInt8](copying: bytes.extracting(value)))
        }
    }

    /// Parts this object; `take` makes what is handed out of a member that is taken out, by its place.
    private func parting<Taken>(
        into count: Int, by part: (Span<UInt8>, Range<Int>) -> Part,
        taking take: (Span<UInt8>, Range<Int>) throws(PackedError) -> Taken
    ) throws(PackedError) -> (rest: PackedValue, taken: [Taken?])? {
        let span = bytes.span
        guard case .object(let members) = try PackedForm.whole(of: span, in: 0..<bytes.count) else {
            return nil
        }
        var taken = [Taken?](repeating: nil, count: count)
        // Where the members that stay begin and end, as many as lie side by side at once.
        var kept: [Range<Int>] = []
        var renamed: [PackedObjectForm.RenamedMember] = []
        for index in 0..<members.count {
            let (name, value) = try members.member(index, in: span)
            switch part(span, name) {
            case .kept:
                if let last = kept.last, last.upperBound == index {
                    kept[kept.count - 1] = last.lowerBound..<index + 1
                } else {
                    kept.append(index..<index + 1)
                }
            case .taken(let number): taken[number] = try take(span, value)
            case .renamed(let name): renamed.append(.init(name: name, value: value))
            case .odd: return nil
            }
        }
        if !renamed.isEmpty {
            guard
                let rest = try PackedObjectForm.object(of: members, kept, and: renamed, in: span)
            else { return nil }
            return (rest, taken)
        }
        if let whole = kept.first, whole == 0..<members.count { return (self, taken) }
        var area: [UInt8] = []
        area.reserveCapacity(members.area.count)
        var ends: [Int] = []
        ends.reserveCapacity(members.count)
        for run in kept {
            let before = area.count
            let start = try members.range(of: run.lowerBound, in: span).lowerBound
            for index in run {
                ends.append(before + (try members.range(of: index, in: span).upperBound) - start)
            }
            area.append(span, in: start..<start + (ends.last ?? before) - before)
        }
        return (PackedObjectForm.object(ends, area), taken)
    }

    /// The elements, each still packed; nil when this is no array.
    ///
    /// - Throws: `PackedError` when it is damaged.
    package func elements() throws(PackedError) -> [PackedValue]? {
        let span = bytes.span
        guard case .array(let area) = try PackedForm.whole(of: span, in: 0..<bytes.count) else {
            return nil
        }
        var elements: [PackedValue] = []
        var next = area.lowerBound
        while next < area.upperBound {
            let end = try PackedForm.content(of: span, in: next..<area.upperBound).end
            elements.append(PackedValue(stored: Array(bytes[next..<end])))
            next = end
        }
        return elements
    }

    /// Whether one of its members is null; false when this is no object.
    ///
    /// - Throws: `PackedError` when it is damaged.
    package func hasNull() throws(PackedError) -> Bool {
        let span = bytes.span
        guard case .object(let members) = try PackedForm.whole(of: span, in: 0..<bytes.count) else {
            return false
        }
        for index in 0..<members.count {
            let value = try members.member(index, in: span).value
            if case .null = try PackedForm.whole(of: span, in: value) { return true }
        }
        return false
    }
}
