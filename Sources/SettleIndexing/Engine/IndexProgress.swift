/// How far a build has come.
package struct IndexProgress: Sendable, Equatable {
    /// How many documents were mapped.
    package let completed: Int
    /// How many there are to map, tombstones too.
    package let total: Int
}
