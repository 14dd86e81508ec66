import Synchronization

/// The name of a member that is looked for in many objects, and where the last of them had it.
///
/// Objects of one kind mostly have the same members, and then the first comparison finds it. Any
/// number of threads may use one at once: the place is where a search begins, and no more.
package final class PreparedName: Sendable {
    let name: ByteName
    private let lastPlace = Atomic(0)

    /// A name, which no object was asked for.
    package init(_ name: String) {
        self.name = ByteName(name)
    }

    /// The number of the member in the object that was asked last.
    @inline(__always)
    var place: Int { lastPlace.load(ordering: .relaxed) }

    /// Notes where a member was found elsewhere than in the object before.
    func remember(_ place: Int) {
        lastPlace.store(place, ordering: .relaxed)
    }
}
