import SettlePrimitives

/// Packed objects made of members that are packed already: bytes are copied, and no values are made.
extension PackedValue {
    /// An object of some members.
    ///
    /// - Parameter members: Names, no two of them equal, with values that are sound.
    /// - Returns: The object.
    package static func object(_ members: [(name: String, value: PackedValue)]) -> PackedValue {
        var area: [UInt8] = []
        area.reserveCapacity(
            members.reduce(0) { $0 + $1.name.utf8.count + $1.value.bytes.count + 8 })
        var ends: [Int] = []
        let sorted = members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        for (name, value) in sorted {
            PackedObjectForm.append(name: name.utf8, to: &area)
            area.append(contentsOf: value.bytes)
            ends.append(area.count)
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(
            PackedPlan.headerSize(area: area.count, members: ends.count) + area.count)
        PackedObjectForm.appendHead(ends, to: &bytes)
        bytes.append(contentsOf: area)
        return PackedValue(stored: bytes)
    }

    /// This object with the members of another in place of its own of the same names.
    ///
    /// Names are the same that are canonically equivalent, as for JSON text; the other's spelling stands.
    ///
    /// - Throws: `PackedError` when either is damaged, or no object.
    /// - Complexity: The bytes of both; no memory beside the result but for names that are not plain.
    package func merging(_ other: PackedValue) throws(PackedError) -> PackedValue {
        let (mine, theirs) = (bytes.span, other.bytes.span)
        let (own, given) = (try members(), try other.members())
        var replaced = Set<Int>()
        let spelled = try Self.namesWithDoubles(of: own, in: mine)
        if !spelled.isEmpty {
            for index in 0..<given.count {
                let name = try given.member(index, in: theirs).name
                guard PackedObjectForm.hasDoubles(theirs, in: name) else { continue }
                if let place = spelled[try PackedForm.utf8(of: theirs, in: name)] {
                    replaced.insert(place)
                }
            }
        }
        var area: [UInt8] = []
        area.reserveCapacity(own.area.count + given.area.count)
        var ends: [Int] = []
        ends.reserveCapacity(own.count + given.count)
        var (left, right) = (0, 0)
        while left < own.count || right < given.count {
            if left < own.count, replaced.contains(left) {
                left += 1
                continue
            }
            var order = left < own.count ? -1 : 1
            if left < own.count, right < given.count {
                order = PackedObjectForm.order(
                    mine, try own.member(left, in: mine).name, theirs,
                    try given.member(right, in: theirs).name)
            }
            if order < 0 {
                area.append(mine, in: try own.range(of: left, in: mine))
                left += 1
            } else {
                area.append(theirs, in: try given.range(of: right, in: theirs))
                right += 1
                if order == 0 { left += 1 }
            }
            ends.append(area.count)
        }
        return PackedObjectForm.object(ends, area)
    }

    /// This object without the members of some names, by their bytes.
    ///
    /// - Throws: `PackedError` when it is damaged, or no object.
    package func removing(_ names: [String]) throws(PackedError) -> PackedValue {
        let (span, own) = (bytes.span, try members())
        var isNamed = false
        for name in names {
            if try own.value(named: name, in: span) != nil { isNamed = true }
        }
        guard isNamed else { return self }
        let names = names.map { Array($0.utf8) }
        var area: [UInt8] = []
        area.reserveCapacity(own.area.count)
        var ends: [Int] = []
        ends.reserveCapacity(own.count)
        for index in 0..<own.count {
            let name = try own.member(index, in: span).name
            var isRemoved = false
            for other in names where other.count == name.count {
                isRemoved =
                    isRemoved
                    || PackedObjectForm.order(other.span, 0..<other.count, span, name) == 0
            }
            if isRemoved { continue }
            area.append(span, in: try own.range(of: index, in: span))
            ends.append(area.count)
        }
        return PackedObjectForm.object(ends, area)
    }

    /// The first name of a member that begins with a byte; nil when there is none.
    ///
    /// - Throws: `PackedError` when it is damaged, or no object.
    package func memberName(beginningWith first: UInt8) throws(PackedError) -> String? {
        let (span, own) = (bytes.span, try members())
        for index in 0..<own.count {
            let name = try own.member(index, in: span).name
            if !name.isEmpty, span[name.lowerBound] == first {
                return try PackedForm.utf8(of: span, in: name)
            }
        }
        return nil
    }

    /// The members whose names begin with a byte, ascending by name, and this object without them.
    ///
    /// - Throws: `PackedError` when it is damaged, or no object.
    /// - Complexity: Its bytes, which are copied when there are such members.
    package func separatingMembers(
        beginningWith first: UInt8
    ) throws(PackedError) -> (members: [(name: String, value: JSONValue)], rest: PackedValue) {
        let (span, own) = (bytes.span, try members())
        var separated: [(name: String, value: JSONValue)] = []
        var area: [UInt8] = []
        area.reserveCapacity(own.area.count)
        var ends: [Int] = []
        ends.reserveCapacity(own.count)
        for index in 0..<own.count {
            let (name, value) = try own.member(index, in: span)
            guard !name.isEmpty, span[name.lowerBound] == first else {
                area.append(span, in: try own.range(of: index, in: span))
                ends.append(area.count)
                continue
            }
            separated.append(
                (
                    try PackedForm.utf8(of: span, in: name),
                    try PackedForm.value(of: span, in: value)
                ))
        }
        return (separated, separated.isEmpty ? self : PackedObjectForm.object(ends, area))
    }

    /// The names of the members that have one of some lengths in bytes, ascending.
    ///
    /// - Throws: `PackedError` when it is damaged, or no object.
    package func memberNames(ofLengths lengths: Set<Int>) throws(PackedError) -> [String] {
        let (span, own) = (bytes.span, try members())
        var names: [String] = []
        for index in 0..<own.count {
            let name = try own.member(index, in: span).name
            guard lengths.contains(name.count) else { continue }
            names.append(try PackedForm.utf8(of: span, in: name))
        }
        return names
    }

    /// Whether this is an array, by its first byte.
    package var isArray: Bool { bytes.first.map { $0 &- PackedTag.array < 3 } ?? false }

    /// How many members it has; 0 when it is no object.
    package var memberCount: Int {
        get throws(PackedError) {
            guard isObject else { return 0 }
            return try members().count
        }
    }

    /// How many elements the array has that is the member of a name; nil when it is no array.
    ///
    /// - Throws: `PackedError` when it is damaged.
    package func elementCount(ofMember name: String) throws(PackedError) -> Int? {
        let span = bytes.span
        guard let area = try elementArea(ofMember: name) else { return nil }
        var (count, next) = (0, area.lowerBound)
        while next < area.upperBound {
            next = try PackedForm.content(of: span, in: next..<area.upperBound).end
            count += 1
        }
        return count
    }

    /// What a body makes of each element of the array that is the member of a name, one packed element at a
    /// time; nothing when it is no array.
    ///
    /// - Throws: `PackedError` when it is damaged.
    package func mapElements<Value>(
        ofMember name: String, _ body: (PackedValue) -> Value
    ) throws(PackedError) -> [Value] {
        guard let area = try elementArea(ofMember: name) else { return [] }
        var values: [Value] = []
        var next = area.lowerBound
        while next < area.upperBound {
            let end = try PackedForm.content(of: bytes.span, in: next..<area.upperBound).end
            values.append(body(PackedValue(stored: Array(bytes[next..<end]))))
            next = end
        }
        return values
    }

    private func elementArea(ofMember name: String) throws(PackedError) -> Range<Int>? {
        let span = bytes.span
        guard let place = try PackedForm.range(ofMember: name, of: span, in: 0..<span.count),
            case .array(let area) = try PackedForm.whole(of: span, in: place)
        else { return nil }
        return area
    }

    /// How many values are in it, itself included; stops counting behind a limit.
    ///
    /// - Throws: `PackedError` when it is damaged.
    package func valueCount(limit: Int) throws(PackedError) -> Int {
        var count = 0
        try Self.count(bytes.span, in: 0..<bytes.count, into: &count, limit)
        return count
    }

    @discardableResult
    private static func count(
        _ bytes: Span<UInt8>, in range: Range<Int>, into count: inout Int, _ limit: Int
    ) throws(PackedError) -> Int {
        let (content, end) = try PackedForm.content(of: bytes, in: range)
        count += 1
        guard count <= limit else { return end }
        switch content {
        case .null, .bool, .integer, .double, .string: break
        case .array(let area):
            var next = area.lowerBound
            while next < area.upperBound, count <= limit {
                next = try self.count(bytes, in: next..<area.upperBound, into: &count, limit)
            }
        case .object(let members):
            for index in 0..<members.count where count <= limit {
                let value = try members.member(index, in: bytes).value
                try self.count(bytes, in: value, into: &count, limit)
            }
        }
        return end
    }

    func members() throws(PackedError) -> PackedMembers {
        guard case .object(let members) = try PackedForm.whole(of: bytes.span, in: 0..<bytes.count)
        else { throw PackedError(.unknownTag, at: 0) }
        return members
    }

    static func namesWithDoubles(
        of members: PackedMembers, in bytes: Span<UInt8>
    ) throws(PackedError) -> [String: Int] {
        var names: [String: Int] = [:]
        for index in 0..<members.count {
            let name = try members.member(index, in: bytes).name
            guard PackedObjectForm.hasDoubles(bytes, in: name) else { continue }
            names[try PackedForm.utf8(of: bytes, in: name)] = index
        }
        return names
    }
}

/// How the bytes of a packed object are put together.
enum PackedObjectForm {
    /// Whether a name may be canonically equivalent to another: three ASCII characters have doubles.
    static func hasDoubles(_ bytes: Span<UInt8>, in name: Range<Int>) -> Bool {
        for index in name {
            switch bytes[index] {
            case UInt8(ascii: ";"), UInt8(ascii: "K"), UInt8(ascii: "`"), 0x80...: return true
            default: continue
            }
        }
        return false
    }

    /// Below, at, or above zero as one name comes before, equals, or comes after another.
    static func order(
        _ left: Span<UInt8>, _ leftName: Range<Int>, _ right: Span<UInt8>, _ rightName: Range<Int>
    ) -> Int {
        let count = min(leftName.count, rightName.count)
        for place in 0..<count {
            let (one, other) = (
                left[leftName.lowerBound + place], right[rightName.lowerBound + place]
            )
            if one != other { return one < other ? -1 : 1 }
        }
        return leftName.count - rightName.count
    }

    /// Appends the packed form of a name.
    static func append(name: some Collection<UInt8>, to bytes: inout [UInt8]) {
        let count = name.count
        if count <= Int(PackedTag.shortStringMax) {
            bytes.append(UInt8(count))
        } else {
            let widthClass = PackedTag.widthClass(count)
            bytes.append(PackedTag.string + widthClass)
            append(count, widthClass, to: &bytes)
        }
        bytes.append(contentsOf: name)
    }

    /// Appends the head of an object whose members end at some places of its area, the last at its end.
    static func appendHead(_ ends: [Int], to bytes: inout [UInt8]) {
        let widthClass = PackedTag.widthClass(ends.last ?? 0)
        bytes.append(PackedTag.object + widthClass)
        append(ends.count, widthClass, to: &bytes)
        for end in ends { append(end, widthClass, to: &bytes) }
    }

    /// An object of its area, in which members end at some places.
    static func object(_ ends: [Int], _ area: [UInt8]) -> PackedValue {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(
            PackedPlan.headerSize(area: area.count, members: ends.count) + area.count)
        appendHead(ends, to: &bytes)
        bytes.append(contentsOf: area)
        return PackedValue(stored: bytes)
    }

    /// Appends a length or an offset in 1, 2 or 4 bytes.
    static func append(_ number: Int, _ widthClass: UInt8, to bytes: inout [UInt8]) {
        for place in (0..<(1 << Int(widthClass))).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: number >> (8 * place)))
        }
    }
}
