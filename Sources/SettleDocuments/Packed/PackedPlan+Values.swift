extension PackedPlan {
    /// Notes a value and all that is inside it.
    mutating func add(_ value: JSONValue, limits: JSONLimits) throws(PackedError) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .integer(let value): integer(value)
        case .double(let value):
            guard value.isFinite else { throw PackedError(.notFinite) }
            double(value)
        case .string(let value): string(try adopt(value, limits: limits), isOwn: true)
        case .array(let elements):
            guard depth < limits.depthMax else { throw PackedError(.tooDeep) }
            open(isObject: false)
            for element in elements { try add(element, limits: limits) }
            _ = close(source: [UInt8]().span)
        case .object(let members):
            guard depth < limits.depthMax else { throw PackedError(.tooDeep) }
            open(isObject: true)
            for (memberName, member) in members {
                let adopted = try adopt(memberName, limits: limits)
                name(adopted, isOwn: true, isASCII: true, mark: 0, source: [UInt8]().span)
                try add(member, limits: limits)
            }
            // A dictionary cannot hold a name twice, nor two equivalent ones.
            _ = close(source: [UInt8]().span)
        }
    }

    private mutating func adopt(
        _ text: String, limits: JSONLimits
    ) throws(PackedError) -> Range<Int> {
        let start = own.count
        own.append(contentsOf: text.utf8)
        guard own.count <= limits.sizeMax else { throw PackedError(.tooLarge) }
        return start..<own.count
    }
}
