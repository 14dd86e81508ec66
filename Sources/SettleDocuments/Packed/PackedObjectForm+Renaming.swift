import SettlePrimitives

// Members under new names: an object's names ascend, so that those move to other places.

extension PackedValue {
    /// How many members may get a new name when an object is parted.
    ///
    /// Each is looked for its place in turn, so more of them would take time with the square of their number.
    package static let renamedMax = 64
}

extension PackedObjectForm {
    /// A member that gets a new name.
    struct RenamedMember {
        /// The UTF-8 of the new name.
        let name: [UInt8]
        /// Where its value lies.
        let value: Range<Int>
    }

    /// Where a member's bytes come from.
    private enum Source {
        /// A number of the object's members.
        case member(Int)
        /// A number of those that get a new name.
        case renamed(Int)
    }

    /// An object of members that are kept as they are, and of others under new names.
    ///
    /// - Parameters:
    ///   - members: The object's members.
    ///   - kept: The numbers of those that are kept, ascending.
    ///   - renamed: Those with new names.
    ///   - bytes: The bytes of the object.
    /// - Returns: Nil when a new name is that of another member, or may be canonically equivalent to one; or
    ///   when more than ``PackedValue/renamedMax`` have one.
    /// - Throws: `PackedError` when the object is damaged.
    static func object(
        of members: PackedMembers, _ kept: [Range<Int>], and renamed: [RenamedMember],
        in bytes: Span<UInt8>
    ) throws(PackedError) -> PackedValue? {
        guard renamed.count <= PackedValue.renamedMax else { return nil }
        var sources: [Source] = []
        sources.reserveCapacity(members.count)
        for run in kept {
            for index in run { sources.append(.member(index)) }
        }
        for (number, member) in renamed.enumerated() {
            let name = member.name.span
            guard !hasDoubles(name, in: 0..<name.count) else { return nil }
            var place = sources.count
            while place > 0 {
                let order: Int
                switch sources[place - 1] {
                case .member(let index):
                    let own = try members.member(index, in: bytes).name
                    order = Self.order(bytes, own, name, 0..<name.count)
                case .renamed(let other):
                    let own = renamed[other].name
                    order = Self.order(own.span, 0..<own.count, name, 0..<name.count)
                }
                if order == 0 { return nil }
                if order < 0 { break }
                place -= 1
            }
            sources.insert(.renamed(number), at: place)
        }
        var area: [UInt8] = []
        area.reserveCapacity(
            members.area.count + renamed.reduce(0) { $0 + $1.name.count + 5 })
        var ends: [Int] = []
        ends.reserveCapacity(sources.count)
        for source in sources {
            switch source {
            case .member(let index):
                area.append(bytes, in: try members.range(of: index, in: bytes))
            case .renamed(let number):
                append(name: renamed[number].name, to: &area)
                area.append(bytes, in: renamed[number].value)
            }
            ends.append(area.count)
        }
        return object(ends, area)
    }
}
