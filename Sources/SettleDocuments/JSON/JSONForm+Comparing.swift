extension JSONForm {
    /// Whether two objects have equal members under the same names.
    ///
    /// Names are the same that are canonically equivalent, as keys of a dictionary are. What is no object
    /// has no members to compare, and two of that are the same.
    ///
    /// - Complexity: Of two packed objects, the bytes of both; values are made only where a name may have
    ///   another spelling.
    package func hasSameMembers(as other: JSONForm) -> Bool {
        if case (.packed(let one), .packed(let other)) = (self, other),
            let names = try? one.namesDiffering(from: other)
        {
            return names.isEmpty
        }
        return value.objectValue == other.value.objectValue
    }

    /// The names of the members in which two objects differ, where names are the same that are canonically
    /// equivalent.
    package func namesDiffering(from other: JSONForm) -> Set<String> {
        if case (.packed(let one), .packed(let other)) = (self, other),
            let names = try? one.namesDiffering(from: other)
        {
            return Set(names)
        }
        let (own, given) = (value.objectValue ?? [:], other.value.objectValue ?? [:])
        return Set(own.keys).union(given.keys).filter { own[$0] != given[$0] }
    }

    /// The value packed, in whichever form it is; nil for one that cannot be, as it is too large.
    package var packable: PackedValue? { packed ?? (try? PackedValue(value)) }
}
