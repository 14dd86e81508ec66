import HTTPTypes
import SettleOData
import SettleTableProtocol

/// The parameters of a request for changes.
struct ChangesQuery: Sendable, Equatable {
    /// Where the reader stands; nil for the changes from now on.
    var time: Int64?
    var filter: ODataNode?
    var top: Int
    /// How long a poll may wait, in seconds.
    var waitSeconds: Int
    /// Whether changes are streamed as events; otherwise one answer holds those of one page.
    var isStreamed: Bool

    static let waitSecondsMax = 300
    private static let waitSecondsDefault = 50
    private static let topDefault = 100

    /// Reads the request.
    ///
    /// - Throws: ``Problem`` 400 naming the option that is wrong.
    init(
        _ query: RequestQuery, headers: HTTPFields, limits: PageLimits, in dialect: TableDialect
    ) throws(Problem) {
        for parameter in query.parameters
        where parameter.name.hasPrefix("$")
            && ![TableParameter.filter, .top].map(\.rawValue).contains(parameter.name.lowercased())
        {
            throw Problem(
                .badRequest,
                "The option '\(parameter.name)' is not for changes; they take $filter and $top.")
        }
        isStreamed = headers[values: .accept].contains {
            $0.lowercased().contains("text/event-stream")
        }
        filter = try PageRequest.filter(query, in: dialect)
        top = min(Self.topDefault, limits.countMax)
        if let text = try query.value(.top) {
            top = try Self.number(text, option: .top, in: 1...limits.countMax)
        }
        waitSeconds = Self.waitSecondsDefault
        if let text = try query.value(.wait) {
            waitSeconds = try Self.number(text, option: .wait, in: 0...Self.waitSecondsMax)
        }
        // A stream that was cut goes on where its last event stood.
        let since =
            if let last = headers[.lastEventID] { last } else { try query.value(.since) }
        if let since {
            guard let time = ChangesToken.time(of: since) else {
                throw Problem(
                    .badRequest,
                    "The place to go on from is not from an answer of this server; begin with "
                        + "since=0, or without it for what comes from now on.")
            }
            self.time = time
        }
    }

    private static func number(
        _ text: String, option: TableParameter, in range: ClosedRange<Int>
    ) throws(Problem) -> Int {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(text), range.contains(number)
        else {
            throw Problem(
                .badRequest,
                "The option \(option.rawValue) must be a whole number from \(range.lowerBound) to "
                    + "\(range.upperBound).")
        }
        return number
    }
}

/// The text that says how far a reader of changes has come.
///
/// Shape: `updatedAt` in microseconds since 1970, in decimal digits; to its readers it says nothing. A
/// reader may also give the `updatedAt` of an item, as it was sent, for what was changed after it.
enum ChangesToken {
    /// The text of a time.
    static func text(_ time: Int64) -> String { String(time) }

    /// The time of a text; nil when it is none.
    static func time(of text: String) -> Int64? {
        guard (1...40).contains(text.utf8.count) else { return nil }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return Instant(text: text).map { max(0, $0.microseconds) }
        }
        return Int64(text)
    }
}

extension HTTPField.Name {
    /// `Last-Event-ID`: where a stream of events was cut.
    ///
    /// > Source: the HTML standard, server-sent events.
    static let lastEventID = HTTPField.Name("Last-Event-ID")!
}
