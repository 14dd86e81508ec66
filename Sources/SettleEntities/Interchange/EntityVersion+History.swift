extension EntityVersion {
    /// An entity with its whole history.
    init(_ history: EntityHistory) {
        let state = history.state
        var elements = history.elements.map { Element(key: $0.key, entry: $0.entry) }
        // What a removal says to forget stays forgotten where this is read.
        for (key, stamp) in state.removals where state.entries[key]?.content != .removed {
            elements.append(.init(key: key, entry: Entry(content: .removed, stamp: stamp)))
        }
        self.init(id: state.id, first: state.first, elements: elements)
    }
}
