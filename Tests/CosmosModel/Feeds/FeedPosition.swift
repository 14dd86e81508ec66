import SettleDocuments

/// Where a walk over documents is: what a continuation says.
///
/// Bounds of effective keys rather than ranges, so that it holds when ranges are split in between.
struct FeedPosition: Equatable {
    /// A part of the keys, and the last document that was given out of it.
    struct Segment: Equatable {
        var lower: String
        var upper: String
        /// The number of the document given last; 0 for none.
        var after: UInt64 = 0
        /// How many rows of the next document were given, where one has several.
        var rows = 0
    }

    /// The parts that are still to be read, in order.
    var segments: [Segment]

    /// All between two bounds.
    init(from lower: String, to upper: String) {
        segments = [Segment(lower: lower, upper: upper)]
    }

    /// The position in a continuation, cut to what lies between two bounds.
    ///
    /// - Throws: ``ServiceFailure`` with 400 when the text is no continuation.
    init(_ text: String, from lower: String, to upper: String) throws(ServiceFailure) {
        let value = try Continuation.value(of: text)
        guard let parts = value["segments"]?.arrayValue else { throw Continuation.malformed }
        segments = []
        for part in parts {
            guard let first = part[0]?.stringValue, let last = part[1]?.stringValue,
                let after = part[2]?.integerValue, let rows = part[3]?.integerValue
            else { throw Continuation.malformed }
            let segment = Segment(
                lower: max(first, lower), upper: min(last, upper), after: UInt64(after),
                rows: Int(rows))
            if segment.lower < segment.upper { segments.append(segment) }
        }
    }

    /// The text of it; nil at the end.
    var continuation: String? {
        guard !segments.isEmpty else { return nil }
        let parts = segments.map { segment in
            JSONValue.array([
                .string(segment.lower), .string(segment.upper), .integer(Int64(segment.after)),
                .integer(Int64(segment.rows)),
            ])
        }
        return Continuation.text(of: ["segments": .array(parts)])
    }

    /// Divides the first segment at the bounds of the ranges there are now.
    mutating func align(to ranges: [PartitionKeyRange]) {
        guard let first = segments.first else { return }
        let parts = ranges.filter { $0.lower < first.upper && first.lower < $0.upper }.map {
            Segment(
                lower: max($0.lower, first.lower), upper: min($0.upper, first.upper),
                after: first.after, rows: first.rows)
        }
        segments.replaceSubrange(0...0, with: parts)
    }
}

/// Positions as they are in the header of a response: base64 of JSON.
enum Continuation {
    /// 400: the header is nothing that the service has given.
    static let malformed = ServiceFailure.badRequest(
        "The header x-ms-continuation is none that the service has given.")

    static func text(of value: JSONValue) -> String { Base64.encode(Array(value.jsonText.utf8)) }

    static func value(of text: String) throws(ServiceFailure) -> JSONValue {
        guard let bytes = Base64.decode(text),
            let value = try? JSONValue(jsonText: String(decoding: bytes, as: UTF8.self))
        else { throw malformed }
        return value
    }
}
