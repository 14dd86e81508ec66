import Settle

/// Which changes are wanted, and how.
struct CouchChangesQuery: Sendable {
    enum Feed: String {
        case normal, longpoll, continuous, eventsource

        /// Whether the rows are elements of one list.
        var isList: Bool { self == .normal || self == .longpoll }

        /// What says that it goes on.
        var signOfLife: [UInt8] {
            Array((self == .eventsource ? "event: heartbeat\ndata: \n\n" : "\n").utf8)
        }
    }

    /// Which documents are shown.
    enum Filter: Sendable {
        case all
        /// Those with one of these identifiers, as bytes: strings would be equal that are canonically equivalent.
        case identifiers(Set<[UInt8]>)
        case designs
        case selector(CouchSelector)

        /// Whether some documents may not be shown.
        var hidesSome: Bool { if case .all = self { false } else { true } }

        /// Whether a document may be shown, by its identifier.
        func mayShow(_ id: String) -> Bool {
            switch self {
            case .all, .selector: true
            case .identifiers(let wanted): wanted.contains(Array(id.utf8))
            case .designs: DocumentIdentifier.isDesign(id)
            }
        }
    }

    var feed = Feed.normal
    var since = "0"
    var limit = Int.max
    var showsAllLeaves = false
    var isDescending = false
    var includesDocuments = false
    var filter = Filter.all
    var heartbeat: Duration?
    /// How long a feed without signs of life waits for something to show.
    var timeout = Duration.milliseconds(Self.waitMax)
    var options = CouchDocumentOptions()

    /// The shortest time between two signs of life, in milliseconds, whatever is asked for.
    private static let heartbeatMin = 1_000
    /// The longest time between two signs of life, and that a feed waits, in milliseconds.
    private static let waitMax = 60_000

    /// Whether it waits for changes that are still to come.
    var waits: Bool {
        feed != .normal && !isDescending && (heartbeat != nil || timeout > .zero)
    }

    /// Reads the parameters of a request.
    init(_ request: CouchRequest) throws {
        let body = request.method == "POST" ? try request.object() : [:]
        if let text = request["feed"] {
            guard let feed = Feed(rawValue: text == "live" ? "continuous" : text) else {
                throw CouchError.badRequest(
                    "Supported `feed` types: normal, continuous, live, longpoll, eventsource")
            }
            self.feed = feed
        }
        since = request.headers["last-event-id"] ?? request["since"] ?? "0"
        // The recorded feed of a database is text; of old clients a number.
        since = since.filter { $0 != "\"" }
        if let number = try request.number("limit") { limit = number }
        switch request["style"] {
        case nil, "main_only": break
        case "all_docs": showsAllLeaves = true
        default: throw CouchError.badRequest("Supported `style` values: main_only, all_docs")
        }
        isDescending = try request.flag("descending")
        includesDocuments = try request.flag("include_docs")
        options.conflicts = try request.flag("conflicts")
        options.attachments = try request.flag("attachments")
        if let text = request["heartbeat"], text != "false" {
            let wanted = try Self.heartbeat(text)
            heartbeat = .milliseconds(min(Self.waitMax, max(Self.heartbeatMin, wanted)))
        }
        if let number = try request.number("timeout") {
            timeout = .milliseconds(min(Self.waitMax, number))
        }
        switch request["filter"] {
        case nil: break
        case "_doc_ids":
            let listed = try request.json("doc_ids") ?? body["doc_ids"]
            guard let list = listed?.arrayValue else {
                throw CouchError.badRequest("`doc_ids` filter parameter is not a list of doc ids.")
            }
            filter = .identifiers(
                Set(list.compactMap { $0.stringValue.map { Array($0.utf8) } }))
        case "_selector":
            guard let selector = body["selector"] else {
                throw CouchError.badRequest("Selector not specified for _selector filter")
            }
            filter = .selector(try CouchSelector(selector))
        case "_design": filter = .designs
        default: throw CouchError.noScripts
        }
    }

    private static func heartbeat(_ text: String) throws(CouchError) -> Int {
        if text == "true" { return waitMax }
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw .badRequest(
                "Invalid heartbeat value. Expecting a positive integer value (in milliseconds).")
        }
        // One that has too many digits is long enough.
        let number = Int(text) ?? (text.hasPrefix("-") ? -1 : waitMax)
        guard number > 0 else {
            throw .badRequest(
                "The heartbeat value should be a positive integer (in milliseconds).")
        }
        return number
    }
}
