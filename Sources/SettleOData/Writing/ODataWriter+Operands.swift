extension ODataWriter {
    /// The longest replacement that servers take in version 3, in characters.
    private static let replacementLengthMax = 99

    /// The call of a function.
    mutating func call(
        _ function: ODataFunction, _ arguments: [ODataNode], depth: Int
    ) throws(ODataWriteError) -> String {
        if function == .date || function == .time,
            case .literal(.string(let text))? = arguments.first,
            let literal = try ODataLiteral.text(of: text, as: function, dialect)
        {
            return literal
        }
        guard let row = ODataFunctionName.of(function, in: dialect) else {
            throw ODataWriteError(
                "A filter calls the function '\(function)', which the older protocol does not have."
            )
        }
        let wasInsideReplace = isInsideReplace
        defer { isInsideReplace = wasInsideReplace }
        if function == .replace, dialect == .version3 { try checkReplacing(arguments) }
        var texts: [String] = []
        for argument in arguments { texts.append(try piece(argument, depth: depth + 1).text) }
        if row.isReversed { texts.reverse() }
        return "\(row.name)(\(texts.joined(separator: ",")))"
    }

    private mutating func checkReplacing(
        _ arguments: [ODataNode]
    ) throws(ODataWriteError) {
        guard !isInsideReplace, case .literal(.string(let replacement))? = arguments.last,
            replacement.utf16.count <= Self.replacementLengthMax
        else {
            throw ODataWriteError(
                "A filter replaces inside of replacing, or with something else than a constant of "
                    + "less than \(Self.replacementLengthMax + 1) characters, which servers of the "
                    + "older protocol refuse.")
        }
        isInsideReplace = true
    }

    // MARK: Lists

    /// The path of a list.
    mutating func collection(_ list: ODataNode, depth: Int) throws(ODataWriteError) -> String {
        switch list {
        case .path, .variable: return try piece(list, depth: depth + 1).text
        default:
            throw ODataWriteError(
                "A filter looks for elements in something that is computed; only a column, or a "
                    + "member of one, can be a list.")
        }
    }

    /// A condition on the elements of a list.
    mutating func lambda(
        _ word: String, _ list: ODataNode, _ name: String, _ condition: ODataNode?, depth: Int
    ) throws(ODataWriteError) -> String {
        let path = try collection(list, depth: depth)
        guard let condition else { return "\(path)/\(word)()" }
        let written = freeName(for: name)
        variables.append((name, written))
        let inner = try piece(condition, depth: depth + 1).text
        variables.removeLast()
        return "\(path)/\(word)(\(written): \(inner))"
    }

    /// A variable, and members below it.
    func variable(_ name: String, _ path: [String]) throws(ODataWriteError) -> String {
        guard let variable = variables.last(where: { $0.name == name }) else {
            throw ODataWriteError(
                "A filter uses an element outside of the 'any' that it comes from.")
        }
        guard !path.isEmpty else { return variable.written }
        return "\(variable.written)/\(try ODataName.path(path, dialect, isBelow: true))"
    }

    /// A variable's own name, or `c`, or the first of `c1`, `c2` … that no column and no variable around
    /// is called.
    private func freeName(for name: String) -> String {
        func isFree(_ name: String) -> Bool {
            !taken.contains(name) && !variables.contains { $0.written == name }
        }
        if ODataName.isVariable(name, dialect), isFree(name) { return name }
        var (candidate, number) = ("c", 0)
        while !isFree(candidate) {
            number += 1
            candidate = "c\(number)"
        }
        return candidate
    }
}
