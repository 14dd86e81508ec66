/// What a function is called, in which version: the table that the parser and the writer both read.
///
/// The parser takes the names of both versions in either; where both have the name, it is that of the
/// version of the text.
struct ODataFunctionName: Sendable {
    /// In lower case.
    let name: String
    let function: ODataFunction
    /// The versions that have the function.
    let dialects: [ODataDialect]
    /// Whether the arguments are written from the last to the first.
    let isReversed: Bool

    private init(
        _ name: String, _ function: ODataFunction,
        in dialects: [ODataDialect] = ODataDialect.allCases, isReversed: Bool = false
    ) {
        self.name = name
        self.function = function
        self.dialects = dialects
        self.isReversed = isReversed
    }

    /// All names.
    static let all: [ODataFunctionName] = [
        ODataFunctionName("startswith", .startsWith), ODataFunctionName("endswith", .endsWith),
        ODataFunctionName("contains", .contains, in: [.version4]),
        // The part first, and the whole behind it.
        ODataFunctionName("substringof", .contains, in: [.version3], isReversed: true),
        ODataFunctionName("tolower", .toLower), ODataFunctionName("toupper", .toUpper),
        ODataFunctionName("trim", .trim), ODataFunctionName("length", .length),
        ODataFunctionName("indexof", .indexOf), ODataFunctionName("concat", .concat),
        ODataFunctionName("replace", .replace), ODataFunctionName("substring", .substring),
        ODataFunctionName("year", .year), ODataFunctionName("month", .month),
        ODataFunctionName("day", .day), ODataFunctionName("hour", .hour),
        ODataFunctionName("minute", .minute), ODataFunctionName("second", .second),
        ODataFunctionName("fractionalseconds", .fractionalSeconds, in: [.version4]),
        ODataFunctionName("date", .date, in: [.version4]),
        ODataFunctionName("time", .time, in: [.version4]),
        ODataFunctionName("floor", .floor), ODataFunctionName("ceiling", .ceiling),
        ODataFunctionName("round", .roundAwayFromZero, in: [.version3]),
        ODataFunctionName("round", .roundToEven, in: [.version4]),
    ]

    private static let byName = Dictionary(grouping: all, by: \.name)
    private static let byFunction = Dictionary(grouping: all, by: \.function)

    /// The row of a name.
    ///
    /// - Parameters:
    ///   - name: In any case.
    ///   - dialect: The version of the text; another one's name is taken where it has none.
    /// - Returns: The row; nil when there is no such function.
    static func named(_ name: String, in dialect: ODataDialect) -> ODataFunctionName? {
        let rows = byName[name.lowercased()] ?? []
        return rows.first { $0.dialects.contains(dialect) } ?? rows.first
    }

    /// The row under which a version writes a function.
    ///
    /// Both versions round, each in its own way: what is the one's function is written with the
    /// other's name, which is the same.
    ///
    /// - Returns: The row; nil when the version has no such function.
    static func of(_ function: ODataFunction, in dialect: ODataDialect) -> ODataFunctionName? {
        let rows = byFunction[function] ?? []
        if let row = rows.first(where: { $0.dialects.contains(dialect) }) { return row }
        return rows.lazy.compactMap { byName[$0.name] }.joined()
            .first { $0.dialects.contains(dialect) }
    }
}
