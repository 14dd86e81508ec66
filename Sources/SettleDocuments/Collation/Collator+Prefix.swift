extension Collator {
    /// The bytes that the keys of all values beginning with a value have at their start.
    ///
    /// Level 1 takes a string for the beginning of strings, and the elements of an array for the
    /// first elements of arrays. Level 2 takes the last element of an array in that way (strings
    /// that begin with it, if it is a string), level 3 the last element of that, and so on. What
    /// has no beginning in this sense, such as a number, stands for itself alone.
    ///
    /// Strings that collate by Unicode begin with a string when they do so at the primary level:
    /// case, accents, and characters that the collation ignores make no difference.
    ///
    /// - Parameters:
    ///   - value: The beginning.
    ///   - level: 1 or more.
    /// - Returns: The common bytes; a whole key when the value stands for itself.
    package func prefix(for value: JSONValue, level: Int) -> [UInt8] {
        switch value {
        case .string:
            var key = key(for: value)
            key.removeLast()
            // A sort key parts its levels by 01, and what stands before the first is primary.
            if strings == .unicode, let end = key.firstIndex(of: 1) { key.removeSubrange(end...) }
            return key
        case .array(let elements):
            var prefix = [CollationTag.array]
            for element in elements.dropLast() { append(element, to: &prefix) }
            if let last = elements.last {
                prefix += level > 1 ? self.prefix(for: last, level: level - 1) : key(for: last)
            }
            return prefix
        default:
            return key(for: value)
        }
    }
}
