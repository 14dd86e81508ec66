import Settle

// Looking into a value that this process has packed itself: it cannot be damaged.
extension PackedValue {
    /// The member of a name when it is a scalar, an empty array or object in place of another; nil when there
    /// is none.
    func leaf(_ name: String) -> JSONValue? {
        Self.sound { () throws(PackedError) in
            try packedMember(name)?.leaf
        }
    }

    /// The value when it is a scalar, an empty array or object in place of another.
    var leaf: JSONValue {
        if isObject { return [:] }
        return isArray ? [] : tree
    }

    /// The member of a name, packed; nil when there is none.
    func part(_ name: String) -> PackedValue? {
        Self.sound { () throws(PackedError) in try packedMember(name) }
    }

    /// How many elements the array has that is the member of a name; nil when it is no array.
    func partCount(of name: String) -> Int? {
        Self.sound { () throws(PackedError) in try elementCount(ofMember: name) }
    }

    /// What a body makes of each element of the array that is the member of a name.
    func mapParts<Value>(of name: String, _ body: (PackedValue) -> Value) -> [Value] {
        Self.sound { () throws(PackedError) in try mapElements(ofMember: name, body) }
    }

    /// The names of the members that have one of some lengths in bytes, ascending by their bytes.
    func names(ofLengths lengths: Set<Int>) -> [String] {
        Self.sound { () throws(PackedError) in try memberNames(ofLengths: lengths) }
    }

    /// The object without the members of some names.
    func without(_ names: [String]) -> PackedValue {
        Self.sound { () throws(PackedError) in try removing(names) }
    }

    /// How many values are in it; stops counting behind a limit.
    func count(limit: Int) -> Int {
        Self.sound { () throws(PackedError) in try valueCount(limit: limit) }
    }

    /// All of it as values.
    var tree: JSONValue { Self.sound { () throws(PackedError) in try value() } }

    static func sound<Value>(_ body: () throws(PackedError) -> Value) -> Value {
        do {
            return try body()
        } catch {
            preconditionFailure("What was just packed must be readable: \(error)")
        }
    }
}
