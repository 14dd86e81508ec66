/// The key of the index that is measured: `[type, address.city]`.
struct Place: Sendable, Hashable, Comparable {
    let type: String
    let city: String

    static func < (left: Place, right: Place) -> Bool {
        (left.type, left.city) < (right.type, right.city)
    }
}
