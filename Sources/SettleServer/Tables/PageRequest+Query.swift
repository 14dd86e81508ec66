import HTTPTypes
import Settle
import SettleOData
import SettleTableProtocol

extension PageRequest {
    /// Reads the options of a list.
    ///
    /// Names of options may be in any case. An option that begins with `$` and is not known is
    /// refused: to overlook it would be to answer another question.
    ///
    /// - Parameters:
    ///   - query: The parameters of the request.
    ///   - headers: The headers of the request.
    ///   - dialect: The version of the protocol.
    ///   - limits: Page sizes.
    /// - Throws: ``Problem`` 400 naming the option and, in a filter, the place.
    init(
        _ query: RequestQuery, headers: HTTPFields, in dialect: TableDialect, limits: PageLimits
    ) throws(Problem) {
        let known = Self.known.union([dialect.countOption])
        for parameter in query.parameters
        where parameter.name.hasPrefix("$") && !known.contains(parameter.key) {
            throw Problem(
                .badRequest,
                "The option '\(parameter.name)' is not known to this server in version "
                    + "\(dialect.version).")
        }
        top = min(limits.defaultCount ?? dialect.pageSizeDefault, limits.countMax)
        if let text = try query.value(.top) {
            let number = try Self.number(text, option: .top)
            let numberMax = dialect.topMax ?? limits.countMax
            guard number <= numberMax else {
                throw Problem(.badRequest, "You cannot request more than \(numberMax) items.")
            }
            top = min(number, limits.countMax)
        }
        if let text = try query.value(.skip) {
            skip = try Self.number(text, option: .skip)
        }
        filter = try Self.filter(query, in: dialect)
        if let text = try query.value(.orderBy), !text.trimmingSpaces.isEmpty {
            order = try Self.parse(.orderBy) { () throws(ODataError) in
                try ODataParser.order(text, dialect: dialect.odata)
            }
        }
        guard walk != .sorted || skip <= Self.skipMax else {
            throw Problem(
                .badRequest,
                "The option $skip may be at most \(Self.skipMax) in this order; follow the next "
                    + "links, or order by id or updatedAt.")
        }
        selection = try Self.selection(try query.value(.select))
        isCounted = try dialect.isCounted(query)
        includesDeleted = try dialect.includesDeleted(query, headers: headers)
        if let token = try query.value(.skipToken) {
            after = PagePosition(token: token, keyCount: order.count)
            guard after != nil else {
                throw Problem(
                    .badRequest,
                    "The option $skiptoken is not from a next link of this list; begin again "
                        + "without it.")
            }
        }
    }

    /// The condition of `$filter`; nil when there is none.
    ///
    /// - Throws: ``Problem`` 400 with the place in the filter.
    static func filter(
        _ query: RequestQuery, in dialect: TableDialect
    ) throws(Problem) -> ODataNode? {
        guard let text = try query.value(.filter), !text.trimmingSpaces.isEmpty else {
            return nil
        }
        return try parse(.filter) { () throws(ODataError) in
            try ODataParser.filter(text, dialect: dialect.odata)
        }
    }

    private static let known = Set(
        [TableParameter.filter, .orderBy, .select, .skip, .top, .skipToken].map(\.rawValue))

    /// The largest `$skip` of a list that has to be sorted, where what is skipped has to be kept.
    private static let skipMax = 100_000

    private static func number(_ text: String, option: TableParameter) throws(Problem) -> Int {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(text)
        else {
            throw Problem(
                .badRequest, "The option \(option.rawValue) must be a whole number from 0.")
        }
        return number
    }

    private static func parse<Result>(
        _ option: TableParameter, _ body: () throws(ODataError) -> Result
    ) throws(Problem) -> Result {
        do {
            return try body()
        } catch {
            var problem = Problem(
                .badRequest, "The option \(option.rawValue) cannot be read: \(error)")
            problem.details["option"] = .string(option.rawValue)
            if let position = error.position {
                problem.details["position"] = .integer(Int64(position))
            }
            throw problem
        }
    }

    private static func selection(_ text: String?) throws(Problem) -> Set<String>? {
        guard let text, !text.trimmingSpaces.isEmpty else { return nil }
        return try parse(.select) { () throws(ODataError) in try ODataParser.selection(text) }
    }
}

extension TableDialect {
    /// The option that asks how many items match in all, in lower case.
    var countOption: String { (pages == .bare ? TableParameter.inlineCount : .count).rawValue }

    /// Whether a list is asked for with a count.
    ///
    /// - Throws: ``Problem`` 400 for a value that the option does not have.
    func isCounted(_ query: RequestQuery) throws(Problem) -> Bool {
        let (yes, no) = pages == .bare ? ("allpages", "none") : ("true", "false")
        switch try query.value(countOption) {
        case nil, no: return false
        case yes: return true
        default:
            throw Problem(
                .badRequest, "The option \(countOption) must be '\(yes)' or '\(no)'.")
        }
    }
}

/// How long the pages of lists are.
struct PageLimits: Sendable, Equatable {
    /// Without `$top`; nil for what the version of the protocol has.
    var defaultCount: Int?
    /// The most items on a page.
    var countMax: Int
}
