extension ODataParser {
    /// The value of a literal with its type written before it or seen from its form.
    func typedLiteral(prefix: String, text: String) throws(ODataError) -> ODataNode {
        switch prefix {
        case "datetime", "datetimeoffset":
            guard let instant = Instant(text: text) else {
                throw fault(
                    "The \(prefix) literal is no date and time; write it like "
                        + "2026-11-21T03:04:05.123Z, with up to seven digits of a second.")
            }
            return .literal(.instant(instant))
        case "date":
            guard Day(text: text) != nil else {
                throw fault("The date literal is no date; write it like 2026-11-21.")
            }
            return .day(text)
        case "timeofday":
            guard TimeOfDay(text: text) != nil else {
                throw fault(
                    "The time literal is no time of day; write it like 03:04:05.123, with up to "
                        + "seven digits of a second.")
            }
            return .timeOfDay(text)
        case "guid":
            guard let guid = ODataGuid.canonical(text) else {
                throw fault(
                    "The guid literal is not 32 hexadecimal digits in five groups.")
            }
            return .literal(.guid(guid))
        default:
            throw fault(
                "Literals of the type '\(prefix)' are not known; known are datetime, "
                    + "datetimeoffset, date, timeofday and guid.")
        }
    }

    /// `cast(value, type)`, from its parenthesis on.
    ///
    /// The cast of a literal is the literal of that type, which tells the bounds of a filter as much
    /// as one in the other form; a literal that cannot be cast is a mistake.
    mutating func cast() throws(ODataError) -> ODataNode {
        try expect(mark: "(", to: "after '\(ODataWord.cast)'")
        let position = token.position
        let value = try nested { parser throws(ODataError) in try parser.orExpression() }
        try expect(mark: ",", to: "and a type in 'cast(value, type)'")
        let type = try type()
        try expect(mark: ")", to: "to end the arguments of 'cast'")
        guard let constant = value.constant else {
            return switch type {
            case .date: .call(.date, [value])
            case .timeOfDay: .call(.time, [value])
            default: .cast(value, type)
            }
        }
        let result = type.value(of: constant)
        guard !result.isNull || constant.isNull else {
            throw fault("The literal cannot be cast to \(type.rawValue).", at: position)
        }
        return switch type {
        case .date: .call(.date, [.literal(result)])
        case .timeOfDay: .call(.time, [.literal(result)])
        default: .literal(result)
        }
    }

    /// The name of a type, as in version 4 or in quotes as in version 3.
    private mutating func type() throws(ODataError) -> ODataType {
        let position = token.position
        let name: String
        if case .string(let text) = token.kind {
            advance()
            name = text
        } else if take(name: "Edm") {
            try expect(mark: ".", to: "after 'Edm'")
            guard case .name(let last) = token.kind else {
                throw fault("Expected the name of a type, found \(token.kind.described).")
            }
            advance()
            name = "Edm." + last
        } else {
            throw fault(
                "Expected a type such as Edm.DateTimeOffset, found \(token.kind.described).")
        }
        guard let type = ODataType(name: name) else {
            let known = ODataType.allCases.map(\.rawValue).joined(separator: ", ")
            throw fault("There is no type '\(name)' to cast to; known are \(known).", at: position)
        }
        return type
    }
}
