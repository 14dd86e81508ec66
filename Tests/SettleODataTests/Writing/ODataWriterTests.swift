import TestSupport
import Testing

@testable import SettleOData

/// parse(write(x)) = x, where a reader of the version would make x at all.
@Suite struct `OData that is written and read` {
    private static let limits: ODataLimits = {
        var limits = ODataLimits()
        limits.textBytesMax = 1 << 20
        limits.depthMax = 1_000
        limits.lambdaDepthMax = 10
        return limits
    }()

    /// Writes a condition and reads it; nil where it is refused as it has to be.
    private func reread(
        _ node: ODataNode, _ dialect: ODataDialect, _ note: String = ""
    ) throws -> ODataNode? {
        if dialect == .version3, node.needsVersion4 {
            #expect(throws: ODataWriteError.self, "\(node) \(note)") {
                try ODataWriter.text(of: node, for: dialect)
            }
            return nil
        }
        let text = try ODataWriter.text(of: node, for: dialect)
        do {
            let read = try ODataParser.filter(text, dialect: dialect, limits: Self.limits)
            let (found, wanted) = (read.asRead(in: dialect), node.asRead(in: dialect))
            #expect(found == wanted, "\(text) \(note)")
            return read
        } catch {
            Issue.record("\(text): \(error) \(note)")
            return nil
        }
    }

    @Test(arguments: ODataDialect.allCases)
    func `every small tree is read as it was written`(dialect: ODataDialect) throws {
        let trees = SmallFilters.all()
        #expect(trees.count > 10_000)
        for tree in trees {
            let condition = tree.canBeBoolean ? tree : .comparing(.equal, tree, .path(["z"]))
            _ = try reread(condition, dialect)
        }
    }

    @Test(arguments: ODataDialect.allCases)
    func `random trees are read as they were written, and mean the same`(
        dialect: ODataDialect
    ) throws {
        var filters = RandomFilter(generator: SeededGenerator())
        let note = "\(filters.generator)"
        var (written, decided) = (0, 0)
        for round in 0..<4_000 {
            let tree = filters.condition(2 + round % 4)
            guard let read = try reread(tree, dialect, note) else { continue }
            written += 1
            // Rounding is the version's: a tree says how it is done here, a text does not.
            let asked = tree.rounding(as: dialect)
            for _ in 0..<3 {
                let item = filters.item()
                var (first, second) = (
                    ODataEvaluator(subject: item), ODataEvaluator(subject: item)
                )
                let (before, after) = (try first.value(of: asked), try second.value(of: read))
                #expect(before == after, "\(read) for \(item.members), \(note)")
                if before == .bool(true) { decided += 1 }
            }
        }
        // Trees that are never true, or never written, would prove nothing.
        #expect(written > 1_500 && decided > 1_000, "\(written) \(decided)")
    }

    @Test(arguments: ODataDialect.allCases)
    func `whatever was read is written, and read as the very same`(
        dialect: ODataDialect
    ) throws {
        var filters = NaiveFilter(generator: SeededGenerator(), dialect: dialect)
        for round in 0..<2_000 {
            let (text, _) = filters.condition(round % 5)
            let tree = try ODataParser.filter(text, dialect: dialect, limits: Self.limits)
            let again = try reread(tree, dialect, "\(text) \(filters.generator)")
            if dialect == .version4 { #expect(again == tree, "\(text), \(filters.generator)") }
        }
    }

    @Test func `orders are read as they were written`() throws {
        let keys = [
            ODataSortKey(expression: .path(["desc"]), isDescending: true),
            ODataSortKey(expression: .call(.length, [.path(["asc"])])),
            ODataSortKey(expression: .path(["a", "b"]), isDescending: true),
        ]
        for dialect in ODataDialect.allCases {
            let text = try keys.map { try ODataWriter.text(of: $0, for: dialect) }
                .joined(separator: ",")
            #expect(text == "desc desc,length(asc),a/b desc")
            #expect(try ODataParser.order(text, dialect: dialect) == keys)
        }
    }

    @Test(arguments: [
        ("not (eq)", "not (eq)"), ("not (in/any())", "not (in/any())"), ("not inn", "not inn"),
        ("-(5) lt -a", "-(5) lt -a"), ("- -5 lt 1", "-(-5) lt 1"),
        ("date(d) ge 2021-03-24", "d ge cast(2021-03-24,Edm.Date)"),
        ("2021-03-24 ge d", "cast(2021-03-24,Edm.Date) ge d"),
        (
            "d in (2021-03-24,2021-03-25)",
            "d in (cast(2021-03-24,Edm.Date),cast(2021-03-25,Edm.Date))"
        ),
        ("date(date(d)) eq 2021-03-24", "date(date(d)) eq cast(2021-03-24,Edm.Date)"),
        ("date(d) eq date(e)", "date(d) eq date(e)"),
        ("t lt time('07:14')", "t lt cast(07:14:00.000,Edm.TimeOfDay)"),
        ("t lt 07:14", "t lt cast(07:14:00.000,Edm.TimeOfDay)"),
        ("date('2021-03-24T00:00:00Z') eq d", "date('2021-03-24T00:00:00Z') eq date(d)"),
        ("substringof('x',y)", "contains(y,'x')"),
        ("(a and b) and (c and d)", "a and b and c and d"),
        ("a and (b or c)", "a and (b or c)"), ("a/any(v: v eq v/b)", "a/any(v: v eq v/b)"),
        ("v eq 1 or a/any(v: v eq 1)", "v eq 1 or a/any(c: c eq 1)"),
        ("a/all(true: true eq 1)", "a/all(c: true eq 1)"), ("a/$count gt 1", "a/$count gt 1"),
        ("a/any(x: x/b/any(y: x eq y))", "a/any(x: x/b/any(y: x eq y))"),
    ])
    func `has the form of version 4`(text: String, form: String) throws {
        let tree = try ODataParser.filter(text, dialect: .version4)
        #expect(try ODataWriter.text(of: tree, for: .version4) == form)
    }

    @Test func `a column that one version takes for a guid is refused there`() throws {
        let guid = "abcdef01-2345-6789-abcd-ef0123456789"
        let condition = ODataNode.comparison(.equal, .path([guid]), .literal(.null))
        #expect(try ODataWriter.text(of: condition, for: .version3) == "\(guid) eq null")
        #expect(throws: ODataWriteError.self) {
            try ODataWriter.text(of: condition, for: .version4)
        }
        let below = ODataNode.comparison(.equal, .path([guid, "a"]), .literal(.null))
        _ = try reread(below, .version4)
    }

    @Test func `a condition in a server's own words is written, and has no value here`() throws {
        let given = ODataNode.conjunction([.path(["a"]), .verbatim("b or c")])
        for dialect in ODataDialect.allCases {
            #expect(try ODataWriter.text(of: given, for: dialect) == "a and (b or c)")
        }
        #expect(throws: ODataError.self) {
            try ODataEvaluator.isTrue(.verbatim("true"), for: SampleItem([:]))
        }
        #expect(given.keyRanges(on: ["b"]) == nil)
    }

    @Test func `every function has one name in each version that has it`() {
        for function in ODataFunction.allCases {
            #expect(ODataFunctionName.of(function, in: .version4) != nil)
            for dialect in ODataDialect.allCases {
                let rows = ODataFunctionName.all.filter {
                    $0.function == function && $0.dialects.contains(dialect)
                }
                #expect(rows.count <= 1)
                for row in rows {
                    let named = ODataFunctionName.named(row.name.uppercased(), in: dialect)
                    #expect(named?.function == function)
                }
            }
        }
    }
}

extension ODataNode {
    /// The tree with each `round` as a version does it.
    fileprivate func rounding(as dialect: ODataDialect) -> ODataNode {
        func inner(_ node: ODataNode) -> ODataNode { node.rounding(as: dialect) }
        switch self {
        case .literal, .spelled, .verbatim, .path, .variable, .count: return self
        case .call(.roundToEven, let arguments), .call(.roundAwayFromZero, let arguments):
            return .call(
                dialect == .version3 ? .roundAwayFromZero : .roundToEven, arguments.map(inner))
        case .call(let function, let arguments): return .call(function, arguments.map(inner))
        case .not(let operand): return .not(inner(operand))
        case .negated(let operand): return .negated(inner(operand))
        case .and(let operands): return .and(operands.map(inner))
        case .or(let operands): return .or(operands.map(inner))
        case .comparison(let word, let left, let right):
            return .comparison(word, inner(left), inner(right))
        case .arithmetic(let word, let left, let right):
            return .arithmetic(word, inner(left), inner(right))
        case .cast(let operand, let type): return .cast(inner(operand), type)
        case .membership(let value, let list): return .membership(inner(value), list.map(inner))
        case .any(let list, let variable, let condition):
            return .any(list, variable: variable, condition: condition.map(inner))
        case .all(let list, let variable, let condition):
            return .all(list, variable: variable, condition: inner(condition))
        }
    }
}
