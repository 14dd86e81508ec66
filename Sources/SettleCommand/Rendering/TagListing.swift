import Foundation
import Settle
import SettleOutbox

/// The tags of a key, for people or as JSON.
struct TagListing {
    private let tags: [(identifier: String, tag: CloudTag)]

    /// A listing of these tags with their identifiers.
    init(_ tags: [(String, CloudTag)]) {
        self.tags = tags.map { (identifier: $0.0, tag: $0.1) }
    }

    /// A table with a line a tag.
    func lines(on screen: Screen = .plain) -> [String] {
        guard !tags.isEmpty else { return ["No tags."] }
        var table = TextTable([.left("tag"), .left("value")])
        for (identifier, tag) in tags { table.add([identifier, Self.text(of: tag)]) }
        return table.lines(on: screen)
    }

    /// An object a tag.
    var json: [String] {
        tags.map { identifier, tag in
            let (kind, value) = Self.value(of: tag)
            return JSONRendering.compact([
                "identifier": .string(identifier), "kind": .string(kind), "value": value,
            ])
        }
    }

    private static func text(of tag: CloudTag) -> String {
        switch tag {
        case .string(let text): text
        case .number, .integer: JSONRendering.compact(value(of: tag).value)
        case .data(let data): Quantity.count(data.count, "byte")
        }
    }

    private static func value(of tag: CloudTag) -> (kind: String, value: JSONValue) {
        switch tag {
        case .string(let text): ("string", .string(text))
        case .number(let number):
            // Most numbers are counters and sizes.
            ("number", Int64(exactly: number).map { .integer($0) } ?? .double(number))
        case .integer(let number): ("number", .integer(number))
        case .data(let data): ("data", .string(data.base64EncodedString()))
        }
    }
}
