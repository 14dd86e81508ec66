/// What can go wrong on the layer that maps, reduces, and queries.
package enum IndexError: Error, Sendable, Equatable {
    /// Another has worked on the index, so that a step of its building has no ground any more.
    case superseded(name: String)
    /// The definition was replaced or removed while the index was being built.
    case replaced(name: String)
    /// Bytes of an index do not decode; `place` names the table.
    case corrupted(place: String)
    /// A reduce function cannot work with a value that the map emitted.
    case reduceFailed(reason: String)
    /// A map function emitted what cannot be stored for a document; `reason` continues "emitted …".
    case mapFailed(index: String, documentID: String, reason: String)
    /// One document emitted more rows than a row key can number.
    case tooManyRows(documentID: String, countMax: Int)
}
