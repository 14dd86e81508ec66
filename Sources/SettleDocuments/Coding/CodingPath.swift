/// The way to a value, in a form that costs nothing until an error asks for it.
indirect enum CodingPath {
    case top
    case inside(CodingPath, any CodingKey)

    var keys: [any CodingKey] {
        var keys: [any CodingKey] = []
        var path = self
        while case .inside(let outer, let key) = path {
            keys.append(key)
            path = outer
        }
        return keys.reversed()
    }
}

/// An element's place in an array, or a name that no type declares.
struct PlainKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    /// The name under which a superclass keeps its members when the subclass gives none.
    static let `super` = PlainKey(name: "super")

    init(name: String) {
        stringValue = name
        intValue = nil
    }

    init(index: Int) {
        stringValue = "Index \(index)"
        intValue = index
    }

    init?(stringValue: String) { self.init(name: stringValue) }

    init?(intValue: Int) { self.init(index: intValue) }
}
