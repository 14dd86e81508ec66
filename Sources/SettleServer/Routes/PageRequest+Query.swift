import HTTPTypes

extension PageRequest {
    /// Reads the options of a list.
    ///
    /// Names of options may be in any case. An option that begins with `$` and is not known is
    /// refused: to overlook it would be to answer another question.
    ///
    /// - Parameters:
    ///   - query: The parameters of the request.
    ///   - limits: Page sizes.
    /// - Throws: ``Refusal`` 400 naming the option and, in a filter, the place.
    init(_ query: RequestQuery, limits: PageLimits) throws(Refusal) {
        for parameter in query.parameters
        where parameter.name.hasPrefix("$") && !Self.known.contains(parameter.name.lowercased()) {
            throw Refusal(
                .badRequest, "The option '\(parameter.name)' is not known to this server.")
        }
        top = limits.defaultCount
        if let text = try query.value("$top") {
            top = try Self.number(text, option: "$top")
            guard top <= limits.countMax else {
                throw Refusal(
                    .badRequest, "You cannot request more than \(limits.countMax) items.")
            }
        }
        if let text = try query.value("$skip") {
            skip = try Self.number(text, option: "$skip")
        }
        if let text = try query.value("$filter"), !text.trimmingSpaces.isEmpty {
            filter = try Self.parse("$filter") { () throws(ODataError) in
                try ODataParser.filter(text)
            }
        }
        if let text = try query.value("$orderby"), !text.trimmingSpaces.isEmpty {
            order = try Self.parse("$orderby") { () throws(ODataError) in
                try ODataParser.order(text)
            }
        }
        guard walk != .sorted || skip <= Self.skipMax else {
            throw Refusal(
                .badRequest,
                "The option $skip may be at most \(Self.skipMax) in this order; follow the next "
                    + "links, or order by id or updatedAt.")
        }
        selection = try Self.selection(try query.value("$select"))
        isCounted = try Self.isCounted(try query.value("$inlinecount"))
        includesDeleted = try query.includesDeleted
        if let token = try query.value("$skiptoken") {
            after = PagePosition(token: token, keyCount: order.count)
            guard after != nil else {
                throw Refusal(
                    .badRequest,
                    "The option $skiptoken is not from a next link of this list; begin again "
                        + "without it.")
            }
        }
    }

    private static let known: Set<String> = [
        "$filter", "$orderby", "$select", "$skip", "$top", "$inlinecount", "$skiptoken",
    ]

    /// The largest `$skip` of a list that has to be sorted, where what is skipped has to be kept.
    private static let skipMax = 100_000

    private static func number(_ text: String, option: String) throws(Refusal) -> Int {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(text)
        else {
            throw Refusal(.badRequest, "The option \(option) must be a whole number from 0.")
        }
        return number
    }

    private static func parse<Result>(
        _ option: String, _ body: () throws(ODataError) -> Result
    ) throws(Refusal) -> Result {
        do {
            return try body()
        } catch {
            throw Refusal(.badRequest, "The option \(option) cannot be read: \(error)")
        }
    }

    private static func selection(_ text: String?) throws(Refusal) -> Set<String>? {
        guard let text, !text.trimmingSpaces.isEmpty else { return nil }
        let names = text.split(separator: ",", omittingEmptySubsequences: false)
            .map { String($0).trimmingSpaces }
        guard !names.contains("") else {
            throw Refusal(.badRequest, "The option $select has an empty name.")
        }
        guard !names.contains(where: { $0.contains("/") }) else {
            throw Refusal(
                .badRequest, "The option $select takes members of the item, no paths below them.")
        }
        return names.contains("*") ? nil : Set(names)
    }

    private static func isCounted(_ text: String?) throws(Refusal) -> Bool {
        switch text {
        case nil, "none": return false
        case "allpages": return true
        default:
            throw Refusal(
                .badRequest, "The option $inlinecount must be 'allpages' or 'none'.")
        }
    }
}

extension RequestQuery {
    /// Whether `__includeDeleted` says `true`; any other value means no.
    var includesDeleted: Bool {
        get throws(Refusal) { try value("__includeDeleted")?.lowercased() == "true" }
    }
}

/// How long the pages of lists are.
struct PageLimits: Sendable, Equatable {
    /// Without `$top`.
    var defaultCount: Int
    /// The largest `$top`.
    var countMax: Int
}
