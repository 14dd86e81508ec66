/// Writes a tree as text, with parentheses only where they are needed.
///
/// The text is read back by ``ODataParser`` of the same version as the same tree, where that is one the
/// parser makes; see Docs/Formats/OData.md for what a version has no words for. Nothing that is in the
/// tree as a name or a value can end up as another part of the text.
///
/// > Source: as of ``ODataParser``; which words the servers of Azure Mobile Apps and Datasync really take.
package struct ODataWriter {
    /// A text, and how tightly it holds together.
    struct Piece {
        var text: String
        var rank: ODataRank
    }

    /// More levels than any condition needs; servers refuse far fewer, and a text from outside that
    /// is made into a condition must not use up the stack.
    private static let depthMax = 100

    /// The most levels that are written.
    private let depthMax: Int
    let dialect: ODataDialect
    /// Names that a variable must not have, because columns have them.
    let taken: Set<String>
    /// The variables of the lambdas around, innermost last: as the tree has them, and as they are written.
    var variables: [(name: String, written: String)] = []
    var isInsideReplace = false

    private init(dialect: ODataDialect, root: ODataNode, levelsAround: Int) {
        depthMax = Self.depthMax + levelsAround
        self.dialect = dialect
        taken = Self.firstNames(root)
    }

    /// A tree as text, not yet encoded for a URL.
    ///
    /// - Parameters:
    ///   - node: The tree.
    ///   - dialect: The version of OData to write.
    ///   - levelsAround: How many levels of conditions of the caller's own stand around one that somebody
    ///     built; they do not count.
    /// - Returns: The text.
    /// - Throws: ``ODataWriteError`` when a column's name is not made of letters, digits, `_`, `@` and `-`
    ///   or would be read as something else; a value has no literal, or none in this version; a function
    ///   is none of this version; a condition in the server's words is empty or not closed; a variable
    ///   is used outside of its lambda; or the tree has more than 100 levels.
    /// - Complexity: O(n) for n nodes and the bytes of their texts, at each level once.
    package static func text(
        of node: ODataNode, for dialect: ODataDialect, levelsAround: Int = 0
    ) throws(ODataWriteError) -> String {
        var writer = ODataWriter(dialect: dialect, root: node, levelsAround: levelsAround)
        return try writer.piece(node, depth: 1).text
    }

    /// A part of an order as text, as ``text(of:for:)``.
    package static func text(
        of key: ODataSortKey, for dialect: ODataDialect
    ) throws(ODataWriteError) -> String {
        let text = try text(of: key.expression, for: dialect)
        return key.isDescending ? "\(text) \(ODataWord.descending)" : text
    }

    mutating func piece(_ node: ODataNode, depth: Int) throws(ODataWriteError) -> Piece {
        guard depth <= depthMax else {
            throw ODataWriteError(
                "A filter is nested more than \(Self.depthMax) levels deep. Join conditions side by "
                    + "side, or use a list of values.")
        }
        switch node {
        case .literal(let value): return operand(try ODataLiteral.text(of: value, dialect))
        case .spelled(let spelling): return operand(try ODataLiteral.text(of: spelling, dialect))
        case .path(let path): return operand(try ODataName.path(path, dialect))
        case .variable(let name, let path): return operand(try variable(name, path))
        case .verbatim(let text):
            // What is in it is not known, so it is put in parentheses wherever that may matter.
            return Piece(text: try Self.closed(text), rank: .or)
        case .not(let inner): return Piece(text: try negation(of: inner, depth: depth), rank: .sign)
        case .negated(let inner): return Piece(text: try minus(inner, depth: depth), rank: .sign)
        case .and(let operands): return try chain(operands, .and, depth: depth)
        case .or(let operands): return try chain(operands, .or, depth: depth)
        case .comparison(let comparison, let left, let right):
            let (left, right) = Self.withoutParts(left, right)
            return try between(
                left, .comparison(comparison), right, tightness: (.sum, .sum), depth: depth)
        case .arithmetic(let operation, let left, let right):
            let rank = ODataOperator.arithmetic(operation).rank
            // Operators of one rank go from left to right, so the right side needs to be tighter.
            return try between(
                left, .arithmetic(operation), right, tightness: (rank, rank.tighter), depth: depth)
        case .membership(let value, let list): return try membership(value, list, depth: depth)
        case .call(let function, let arguments):
            return operand(try call(function, arguments, depth: depth))
        case .cast(let value, let type):
            let inner = try piece(value, depth: depth + 1).text
            let name = dialect == .version3 ? "'\(type.rawValue)'" : type.rawValue
            return operand("\(ODataWord.cast)(\(inner),\(name))")
        case .count(let list):
            return operand("\(try collection(list, depth: depth))/\(ODataWord.count)")
        case .any(let list, let name, let condition):
            return operand(try lambda(ODataWord.any, list, name, condition, depth: depth))
        case .all(let list, let name, let condition):
            return operand(try lambda(ODataWord.all, list, name, condition, depth: depth))
        }
    }

    private func operand(_ text: String) -> Piece { Piece(text: text, rank: .operand) }

    /// A part of a larger text, in parentheses when it holds together less than it has to.
    private mutating func text(
        of node: ODataNode, atLeast rank: ODataRank, depth: Int
    ) throws(ODataWriteError) -> String {
        let piece = try piece(node, depth: depth + 1)
        return piece.rank < rank ? "(\(piece.text))" : piece.text
    }

    // MARK: Operators

    private mutating func between(
        _ left: ODataNode, _ operation: ODataOperator, _ right: ODataNode,
        tightness: (left: ODataRank, right: ODataRank), depth: Int
    ) throws(ODataWriteError) -> Piece {
        let left = try text(of: left, atLeast: tightness.left, depth: depth)
        let right = try text(of: right, atLeast: tightness.right, depth: depth)
        return Piece(text: "\(left) \(operation.word) \(right)", rank: operation.rank)
    }

    private mutating func chain(
        _ operands: [ODataNode], _ chained: ODataOperator, depth: Int
    ) throws(ODataWriteError) -> Piece {
        // All of nothing is true, and one of nothing is not.
        guard let first = operands.first else {
            return try piece(chained == .and ? Self.always : Self.never, depth: depth)
        }
        guard operands.count > 1 else { return try piece(first, depth: depth) }
        var texts: [String] = []
        texts.reserveCapacity(operands.count)
        for operand in operands {
            texts.append(try text(of: operand, atLeast: chained.rank, depth: depth))
        }
        return Piece(text: texts.joined(separator: " \(chained.word) "), rank: chained.rank)
    }

    private mutating func negation(
        of condition: ODataNode, depth: Int
    ) throws(ODataWriteError) -> String {
        let text = try text(of: condition, atLeast: .operand, depth: depth)
        let first = text.unicodeScalars.prefix { $0 != "/" && $0 != "(" }
        // Before `eq` and its like, `not` would be read as a column.
        return ODataWord.followsOperand(String(first))
            ? "\(ODataWord.not) (\(text))" : "\(ODataWord.not) \(text)"
    }

    private mutating func minus(
        _ value: ODataNode, depth: Int
    ) throws(ODataWriteError) -> String {
        let text = try text(of: value, atLeast: .operand, depth: depth)
        // A minus right before a number is a part of it.
        let isNumber = text.utf8.first.map { "-0123456789".utf8.contains($0) } ?? false
        return isNumber ? "-(\(text))" : "-\(text)"
    }

    private mutating func membership(
        _ value: ODataNode, _ list: [ODataNode], depth: Int
    ) throws(ODataWriteError) -> Piece {
        // Nothing is in an empty list, which neither version can write.
        if list.isEmpty { return try piece(Self.never, depth: depth) }
        guard dialect == .version4 else {
            let comparisons = list.map { ODataNode.comparison(.equal, value, $0) }
            return try chain(comparisons, .or, depth: depth)
        }
        let value = list.allSatisfy(\.isCalendarLiteral) ? value.withoutPart(of: list[0]) : value
        let left = try text(of: value, atLeast: .sum, depth: depth)
        var texts: [String] = []
        for element in list {
            texts.append(try text(of: element, atLeast: .sum, depth: depth))
        }
        let word = ODataOperator.membership.word
        return Piece(
            text: "\(left) \(word) (\(texts.joined(separator: ",")))",
            rank: ODataOperator.membership.rank)
    }

    private static let always = ODataNode.comparison(
        .equal, .literal(.integer(1)), .literal(.integer(1)))
    private static let never = ODataNode.comparison(
        .equal, .literal(.integer(1)), .literal(.integer(0)))

    /// The sides of a comparison, without the function that the parser puts around what is compared
    /// with a day: not all servers have it, and columns of days are none of its arguments.
    private static func withoutParts(
        _ left: ODataNode, _ right: ODataNode
    ) -> (ODataNode, ODataNode) {
        if right.isCalendarLiteral { return (left.withoutPart(of: right), right) }
        if left.isCalendarLiteral { return (left, right.withoutPart(of: left)) }
        return (left, right)
    }

    // MARK: What a server says itself

    /// A condition that ends where it seems to, whatever stands around it.
    private static func closed(_ text: String) throws(ODataWriteError) -> String {
        var depth = 0
        var isQuoted = false
        for byte in text.utf8 where depth >= 0 {
            switch byte {
            case UInt8(ascii: "'"): isQuoted.toggle()
            case UInt8(ascii: "(") where !isQuoted: depth += 1
            case UInt8(ascii: ")") where !isQuoted: depth -= 1
            default: break
            }
        }
        guard depth == 0, !isQuoted, text.contains(where: { !$0.isWhitespace }) else {
            throw ODataWriteError(
                "A filter in the server's words is empty, or has a parenthesis or a quotation mark "
                    + "that is not closed. Write it like \"population gt 1000 and name ne 'it''s'\"."
            )
        }
        return text
    }

    /// The first names of all paths in the tree.
    private static func firstNames(_ root: ODataNode) -> Set<String> {
        var names: Set<String> = []
        // A stack of its own: the tree's depth has not been looked at yet.
        var nodes = [root]
        while let node = nodes.popLast() {
            if case .path(let path) = node, let first = path.first { names.insert(first) }
            nodes += node.children
        }
        return names
    }
}

extension ODataNode {
    /// Whether this is a day or a time of day, as the parser reads its literal.
    fileprivate var isCalendarLiteral: Bool {
        guard let part = calendarPart, case .call(_, let arguments) = self,
            case .literal(.string(let text))? = arguments.first
        else { return false }
        return part == .date ? Day(text: text) != nil : TimeOfDay(text: text) != nil
    }

    /// What this is the day or the time of day of, where the literal beside it says so already.
    fileprivate func withoutPart(of literal: ODataNode) -> ODataNode {
        guard !isCalendarLiteral, let part = calendarPart, part == literal.calendarPart,
            case .call(_, let arguments) = self, let inner = arguments.first,
            inner.calendarPart == nil
        else { return self }
        return inner
    }
}
