import Synchronization

/// Where the members of an object are expected, in the order in which they are asked for.
///
/// A type asks for its members in the same order each time, and objects of one kind mostly have the
/// same members, so a member is where the object before had the one of the same turn. Only where a
/// search begins follows from it, never its outcome: types may share what is remembered, and threads
/// may overwrite each other.
struct ExpectedPlaces {
    /// What is remembered of the types whose keys have the same slot: 16 places of four bits, the first
    /// turn lowest.
    private final class Slot: Sendable {
        let places = Atomic<UInt64>(0)
    }

    private static let turnBits: UInt64 = 4
    private static let placeMax = 15
    private static let slots = (0..<64).map { _ in Slot() }

    private let slot: Int
    private var places: UInt64
    /// The bits below those of this turn.
    private var shift: UInt64 = 0

    /// Of an object that was not opened: nothing is remembered, and the first slot is as good as any.
    static var none: ExpectedPlaces { ExpectedPlaces() }

    private init() { (slot, places) = (0, 0) }

    /// The places that members of this type of keys had before.
    init(of keys: any Any.Type) {
        // Types are laid out at multiples of eight bytes or more.
        let address = UInt(bitPattern: ObjectIdentifier(keys))
        slot = Int((address >> 4 ^ address >> 10) & 63)
        places = Self.slots[slot].places.load(ordering: .relaxed)
    }

    /// The number of the member that is expected to be asked for now; 0 beyond the turns remembered.
    var current: Int { Int(truncatingIfNeeded: places >> shift) & Self.placeMax }

    /// Goes on to the next turn.
    mutating func advance() { shift &+= Self.turnBits }

    /// Goes on to the next turn, and remembers where the member of this one was found instead.
    mutating func advance(correcting place: Int) {
        defer { advance() }
        guard place <= Self.placeMax, shift < 64 else { return }
        let mask = UInt64(Self.placeMax) << shift
        places = places & ~mask | UInt64(place) << shift
        Self.slots[slot].places.store(places, ordering: .relaxed)
    }
}
