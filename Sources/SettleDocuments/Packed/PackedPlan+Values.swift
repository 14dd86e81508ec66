extension PackedPlan {
    /// Notes a value and all that is inside it.
    mutating func add(_ value: JSONValue, limits: JSONLimits) throws(PackedError) {
        switch value {
        case .null: leaf { $0.null(&$1) }
        case .bool(let value): leaf { $0.bool(value, &$1) }
        case .integer(let value): leaf { $0.integer(value, &$1) }
        case .double(let value): try add(value)
        case .string(let value): try add(value, limits: limits)
        case .array(let elements):
            try open(isObject: false, limits: limits)
            for element in elements { try add(element, limits: limits) }
            close()
        case .object(let members):
            try open(isObject: true, limits: limits)
            for (name, member) in members {
                try add(name: name, limits: limits)
                try add(member, limits: limits)
            }
            close()
        }
    }

    /// Notes a null, a boolean, or an integer.
    mutating func leaf(_ body: (inout PackedPlanState, inout MutableSpan<Node>) -> Void) {
        reserve(1)
        note(body)
    }

    /// Notes a number that must be finite.
    mutating func add(_ value: Double) throws(PackedError) {
        guard value.isFinite else { throw PackedError(.notFinite) }
        leaf { $0.double(value, &$1) }
    }

    /// Notes a string.
    mutating func add(_ text: String, limits: JSONLimits) throws(PackedError) {
        let range = try adopt(text, limits: limits)
        leaf { $0.string(range, isOwn: true, &$1) }
    }

    /// Notes the name of a member, whose value must follow.
    ///
    /// The names of one object come from a dictionary, so that no two are equal or equivalent.
    mutating func add(name: String, limits: JSONLimits) throws(PackedError) {
        let range = try adopt(name, limits: limits)
        let prefix = state.own.span.prefix(in: range)
        reserve(2)
        note { $0.name(range, isOwn: true, isASCII: true, mark: 0, prefix: prefix, &$1) }
    }

    /// Opens an array or an object.
    mutating func open(isObject: Bool, limits: JSONLimits) throws(PackedError) {
        guard state.depth < limits.depthMax else { throw PackedError(.tooDeep) }
        leaf { $0.open(isObject: isObject, &$1) }
    }

    /// Closes the innermost container.
    mutating func close() {
        let twin = note { $0.close(source: [UInt8]().span, &$1) }
        precondition(twin == nil, "A dictionary cannot hold a name twice.")
    }

    private mutating func adopt(
        _ text: String, limits: JSONLimits
    ) throws(PackedError) -> Range<Int> {
        let start = state.own.count
        state.own.append(contentsOf: text.utf8)
        guard state.own.count <= limits.sizeMax else { throw PackedError(.tooLarge) }
        return start..<state.own.count
    }
}
