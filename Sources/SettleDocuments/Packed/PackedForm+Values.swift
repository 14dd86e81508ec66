extension PackedForm {
    /// How deep stored values may be nested, whatever limit they were made under.
    package static let depthMax = 512

    /// The most bytes a string or an array may have, whatever limit it is made under.
    static let sizeMax = 1 << 30

    /// The value that fills the range exactly.
    ///
    /// - Throws: `PackedError` when any byte of it is damaged or not canonical.
    package static func value(
        of bytes: Span<UInt8>, in range: Range<Int>
    ) throws(PackedError) -> JSONValue {
        let (value, end) = try value(of: bytes, in: range, depth: 0)
        guard end == range.upperBound else { throw PackedError(.trailingBytes, at: end) }
        return value
    }

    /// Where the value of a member lies within the object that fills the range.
    ///
    /// Touches the object's head, the names that the binary search meets, and nothing else.
    /// - Returns: nil when the member is absent or the value is no object.
    /// - Throws: `PackedError` when something it touches is damaged.
    package static func range(
        ofMember name: String, of bytes: Span<UInt8>, in range: Range<Int>
    ) throws(PackedError) -> Range<Int>? {
        try self.range(ofMember: ByteName(name), of: bytes, in: range)
    }

    /// Where the value of a member lies whose name was laid out for many look-ups.
    static func range(
        ofMember name: ByteName, of bytes: Span<UInt8>, in range: Range<Int>
    ) throws(PackedError) -> Range<Int>? {
        try members(of: bytes, in: range)?.value(named: name, in: bytes)
    }

    /// Where the value of a member lies whose name remembers where others had it.
    static func range(
        ofMember name: PreparedName, of bytes: Span<UInt8>, in range: Range<Int>
    ) throws(PackedError) -> Range<Int>? {
        try members(of: bytes, in: range)?.value(named: name, in: bytes)
    }

    /// The members of the object that fills the range; nil when something else does.
    @inline(__always)
    private static func members(
        of bytes: Span<UInt8>, in range: Range<Int>
    ) throws(PackedError) -> PackedMembers? {
        guard PackedTag.isObject(bytes, in: range) else {
            _ = try whole(of: bytes, in: range)
            return nil
        }
        let members = try PackedMembers(bytes, at: range.lowerBound, before: range.upperBound)
        guard members.area.upperBound == range.upperBound else {
            throw PackedError(.trailingBytes, at: members.area.upperBound)
        }
        return members
    }

    /// Walks the whole value and makes nothing of it.
    ///
    /// - Throws: `PackedError` when any byte of it is damaged or not canonical; what passes here
    ///   can be read by `value(of:in:)`, and nothing else can.
    package static func check(
        _ bytes: Span<UInt8>, in range: Range<Int>
    ) throws(PackedError) {
        let end = try check(bytes, in: range, depth: 0)
        guard end == range.upperBound else { throw PackedError(.trailingBytes, at: end) }
    }

    private static func check(
        _ bytes: Span<UInt8>, in range: Range<Int>, depth: Int
    ) throws(PackedError) -> Int {
        let (content, end) = try content(of: bytes, in: range)
        switch content {
        case .null, .bool, .integer, .double: break
        case .string(let text):
            guard UTF8Sequence.isValid(bytes, in: text) else {
                throw PackedError(.invalidUTF8, at: text.lowerBound)
            }
        case .array(let area):
            guard depth < depthMax else { throw PackedError(.tooDeep, at: range.lowerBound) }
            var next = area.lowerBound
            while next < area.upperBound {
                next = try check(bytes, in: next..<area.upperBound, depth: depth + 1)
            }
        case .object(let members):
            guard depth < depthMax else { throw PackedError(.tooDeep, at: range.lowerBound) }
            var previous: Range<Int>?
            var isASCII = true
            for index in 0..<members.count {
                let (name, value) = try members.member(index, in: bytes)
                try checkOrder(previous, name, bytes)
                previous = name
                if isASCII { isASCII = UTF8Sequence.isASCII(bytes, in: name) }
                let end = try check(bytes, in: value, depth: depth + 1)
                guard end == value.upperBound else { throw PackedError(.trailingBytes, at: end) }
            }
            if !isASCII { try checkDistinct(members, in: bytes) }
        }
        return end
    }

    private static func value(
        of bytes: Span<UInt8>, in range: Range<Int>, depth: Int
    ) throws(PackedError) -> (value: JSONValue, end: Int) {
        let (content, end) = try content(of: bytes, in: range)
        switch content {
        case .null: return (.null, end)
        case .bool(let value): return (.bool(value), end)
        case .integer(let value): return (.integer(value), end)
        case .double(let value): return (.double(value), end)
        case .string(let text): return (.string(try utf8(of: bytes, in: text)), end)
        case .array(let area):
            guard depth < depthMax else { throw PackedError(.tooDeep, at: range.lowerBound) }
            var elements: [JSONValue] = []
            var next = area.lowerBound
            while next < area.upperBound {
                let element = try value(of: bytes, in: next..<area.upperBound, depth: depth + 1)
                elements.append(element.value)
                next = element.end
            }
            return (.array(elements), end)
        case .object(let members):
            guard depth < depthMax else { throw PackedError(.tooDeep, at: range.lowerBound) }
            return (.object(try dictionary(of: members, in: bytes, depth: depth)), end)
        }
    }

    private static func dictionary(
        of members: PackedMembers, in bytes: Span<UInt8>, depth: Int
    ) throws(PackedError) -> [String: JSONValue] {
        var dictionary: [String: JSONValue] = [:]
        dictionary.reserveCapacity(members.count)
        var previous: Range<Int>?
        for index in 0..<members.count {
            let (name, range) = try members.member(index, in: bytes)
            try checkOrder(previous, name, bytes)
            previous = name
            let member = try value(of: bytes, in: range, depth: depth + 1)
            guard member.end == range.upperBound else {
                throw PackedError(.trailingBytes, at: member.end)
            }
            let text = try utf8(of: bytes, in: name)
            guard dictionary.updateValue(member.value, forKey: text) == nil else {
                throw PackedError(.duplicateName, at: name.lowerBound)
            }
        }
        return dictionary
    }

    /// The names of an object's members, ascending by their UTF-8 bytes.
    static func names(
        of members: PackedMembers, in bytes: Span<UInt8>
    ) throws(PackedError) -> [String] {
        try checkNames(of: members, in: bytes)
        var names: [String] = []
        names.reserveCapacity(members.count)
        for index in 0..<members.count {
            names.append(try utf8(of: bytes, in: members.member(index, in: bytes).name))
        }
        return names
    }

    static func checkNames(of members: PackedMembers, in bytes: Span<UInt8>) throws(PackedError) {
        var previous: Range<Int>?
        var isASCII = true
        for index in 0..<members.count {
            let name = try members.member(index, in: bytes).name
            try checkOrder(previous, name, bytes)
            previous = name
            if isASCII { isASCII = UTF8Sequence.isASCII(bytes, in: name) }
        }
        if !isASCII { try checkDistinct(members, in: bytes) }
    }

    /// Refuses names that are not UTF-8, or canonically equivalent to each other.
    private static func checkDistinct(
        _ members: PackedMembers, in bytes: Span<UInt8>
    ) throws(PackedError) {
        var seen: Set<String> = []
        for index in 0..<members.count {
            let name = try members.member(index, in: bytes).name
            guard seen.insert(try utf8(of: bytes, in: name)).inserted else {
                throw PackedError(.duplicateName, at: name.lowerBound)
            }
        }
    }

    static func utf8(of bytes: Span<UInt8>, in range: Range<Int>) throws(PackedError) -> String {
        guard let string = String(validating: bytes, in: range) else {
            throw PackedError(.invalidUTF8, at: range.lowerBound)
        }
        return string
    }

    private static func checkOrder(
        _ previous: Range<Int>?, _ name: Range<Int>, _ bytes: Span<UInt8>
    ) throws(PackedError) {
        guard let previous else { return }
        let left = bytes.prefix(in: previous)
        let right = bytes.prefix(in: name)
        if left < right { return }
        if left > right { throw PackedError(.namesOutOfOrder, at: name.lowerBound) }
        for offset in 0..<min(previous.count, name.count) {
            let left = bytes[previous.lowerBound + offset]
            let right = bytes[name.lowerBound + offset]
            if left < right { return }
            if left > right { throw PackedError(.namesOutOfOrder, at: name.lowerBound) }
        }
        guard previous.count < name.count else {
            throw PackedError(.namesOutOfOrder, at: name.lowerBound)
        }
    }
}
