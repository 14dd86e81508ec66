/// Taking encoded keys apart without decoding them.
package enum CollationKey {
    /// Where the encoded key at the start of the slice ends; nil when it is damaged or cut short.
    ///
    /// Row keys append a document id after the key; this finds the border. Cost: one pass over the key.
    package static func end(of key: ArraySlice<UInt8>) -> Int? {
        end(in: key.span, at: 0).map { key.startIndex + $0 }
    }

    /// Where the encoded key that begins at that place ends; nil when it is damaged or cut short.
    package static func end(in bytes: Span<UInt8>, at start: Int) -> Int? {
        var index = start
        var depth = 0
        repeat {
            guard index < bytes.count else { return nil }
            let tag = bytes[index]
            index += 1
            switch tag {
            case CollationTag.null, CollationTag.false, CollationTag.true: break
            case CollationTag.number:
                guard let length = NumberKey.length(in: bytes, at: index) else { return nil }
                index += length
            case CollationTag.string:
                while index < bytes.count, bytes[index] != CollationTag.end { index += 1 }
                guard index < bytes.count else { return nil }
                index += 1
            case CollationTag.array, CollationTag.object: depth += 1
            case CollationTag.end where depth > 0: depth -= 1
            default: return nil
            }
        } while depth > 0
        return index
    }

    /// How many bytes all keys of one group share: the array's tag and its first elements.
    ///
    /// - Parameters:
    ///   - key: An encoded key; what follows it is not looked at.
    ///   - count: How many elements make the group.
    /// - Returns: The length of the prefix, without the array's end mark, with all elements when the
    ///   array has fewer; nil when the key is no array or is damaged.
    package static func groupPrefixLength(of key: Span<UInt8>, elements count: Int) -> Int? {
        guard key.count > 1, key[0] == CollationTag.array else { return nil }
        var index = 1
        for _ in 0..<max(0, count) {
            guard index < key.count else { return nil }
            if key[index] == CollationTag.end { break }
            guard let next = end(in: key, at: index) else { return nil }
            index = next
        }
        return index
    }

    /// How many bytes all keys of one group share; see the form that takes a span.
    package static func groupPrefixLength(of key: [UInt8], elements count: Int) -> Int? {
        groupPrefixLength(of: key.span, elements: count)
    }

    /// The smallest byte string greater than every one that begins with the prefix.
    ///
    /// - Returns: nil when there is none, because the prefix is empty or all FF.
    package static func successor(ofPrefix prefix: [UInt8]) -> [UInt8]? {
        guard let index = prefix.lastIndex(where: { $0 != 0xFF }) else { return nil }
        var successor = Array(prefix[...index])
        successor[index] += 1
        return successor
    }
}

extension CollationKey {
    /// How many bytes the keys of all arrays have in common that fall into one group with this one.
    ///
    /// An array with fewer elements is a group of its own, not the start of others.
    ///
    /// - Parameters:
    ///   - key: An encoded key; what follows it is not looked at.
    ///   - count: How many elements make the group, 1 or more.
    /// - Returns: nil when the key is no array or is damaged.
    package static func groupLength(of key: Span<UInt8>, elements count: Int) -> Int? {
        guard key.count > 1, key[0] == CollationTag.array else { return nil }
        var index = 1
        for _ in 0..<count {
            guard index < key.count else { return nil }
            if key[index] == CollationTag.end { return index + 1 }
            guard let next = end(in: key, at: index) else { return nil }
            index = next
        }
        return index
    }
}
