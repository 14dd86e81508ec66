/// Names of members that are looked for together, in many objects.
package struct PackedNames: Sendable {
    fileprivate let names: [ByteName]

    /// Some names.
    ///
    /// - Parameter names: The names, ascending by their UTF-8 bytes.
    package init(_ names: [String]) {
        precondition(
            zip(names, names.dropFirst()).allSatisfy { $0.utf8.lexicographicallyPrecedes($1.utf8) },
            "Names ascend by their bytes.")
        self.names = names.map(ByteName.init)
    }
}

extension PackedView {
    /// Hands over the members that have some names, in one walk over this object.
    ///
    /// - Parameters:
    ///   - names: The names.
    ///   - body: Called with the place of each name that there is a member of, and the member, which was
    ///     not looked at.
    /// - Throws: `PackedError` when the object's head or a name is damaged; what `body` throws.
    /// - Complexity: The names of the members before the last that is found.
    package func forEachMember(
        of names: PackedNames, _ body: (Int, borrowing PackedView) throws -> Void
    ) throws {
        guard case .object(let members) = try content else { return }
        var place = 0
        for index in 0..<members.count {
            let (name, value) = try members.member(index, in: bytes)
            while place < names.names.count {
                let order = names.names[place].order(in: bytes, name)
                guard order <= 0 else { break }
                if order == 0 { try body(place, part(value)) }
                place += 1
                if order == 0 { break }
            }
            if place == names.names.count { return }
        }
    }
}
