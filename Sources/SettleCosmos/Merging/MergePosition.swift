import Settle
import SettleDocuments

extension Cosmos {
    /// Where the pages of a merged query are.
    struct MergePosition: Sendable, Hashable {
        /// Where one range is.
        struct Part: Sendable, Hashable {
            /// The id of the range.
            var rangeId: String
            /// From where its next results come, in the service's words; nil for the beginning.
            var continuation: String?
            /// The keys of the last result that was given of what comes there; nil when none was.
            var lastKeys: [JSONValue?]?
            /// The identifiers of the documents of the results that were given with these keys.
            var givenIds: [String] = []
        }

        /// The ranges that may have more, in their order.
        var parts: [Part]
        /// How many results are still to be passed over.
        var skippedCount = 0
        /// How many results are still to be given; nil for all.
        var leftCount: Int?
        /// What was given, of a query whose results come once: digests.
        var seen: Set<String> = []
        /// How many results of all were given, of a query whose results depend on all ranges.
        var givenCount: Int?

        /// What the text begins with; another layout would begin otherwise.
        private static let layout = "q1:"

        /// Whether a continuation is one of a merged query.
        static func isOne(_ text: String) -> Bool { text.hasPrefix(layout) }

        /// The position as text.
        var text: String {
            var json: JSONValue = ["parts": .array(parts.map(\.json))]
            if skippedCount > 0 { json["skip"] = .integer(Int64(skippedCount)) }
            json["left"] = leftCount.map { .integer(Int64($0)) }
            json["given"] = givenCount.map { .integer(Int64($0)) }
            if !seen.isEmpty { json["seen"] = .array(seen.sorted().map { .string($0) }) }
            return Self.layout + json.jsonText
        }

        init(parts: [Part]) { self.parts = parts }

        /// Reads a position.
        ///
        /// - Throws: ``ClientError`` with `resourceRequestError` when the text is none.
        init(_ text: String) throws(ClientError) {
            guard Self.isOne(text),
                let json = try? JSONValue(jsonText: String(text.dropFirst(Self.layout.count))),
                let list = json["parts"]?.arrayValue
            else { throw Self.malformed }
            parts = []
            for json in list {
                guard let part = Part(json) else { throw Self.malformed }
                parts.append(part)
            }
            func count(_ name: String) -> Int? {
                json[name]?.integerValue.map { Int(clamping: max(0, $0)) }
            }
            skippedCount = count("skip") ?? 0
            leftCount = count("left")
            givenCount = count("given")
            seen = Set(json["seen"]?.arrayValue?.compactMap(\.stringValue) ?? [])
        }

        private static let malformed = ClientError(
            .resourceRequestError,
            "Nothing was sent: the continuation of the query is none that a page had.")
    }
}

extension Cosmos.MergePosition.Part {
    fileprivate var json: JSONValue {
        var json: JSONValue = ["range": .string(rangeId)]
        json["after"] = continuation.map { .string($0) }
        // An undefined key has no value.
        json["keys"] = lastKeys.map { keys in
            .array(keys.map { key in .array(key.map { [$0] } ?? []) })
        }
        if !givenIds.isEmpty { json["given"] = .array(givenIds.map { .string($0) }) }
        return json
    }

    fileprivate init?(_ json: JSONValue) {
        guard let id = json["range"]?.stringValue else { return nil }
        rangeId = id
        continuation = json["after"]?.stringValue
        lastKeys = json["keys"]?.arrayValue.map { keys in keys.map { $0[0] } }
        givenIds = json["given"]?.arrayValue?.compactMap(\.stringValue) ?? []
    }
}
