import Settle

/// The version of an item.
///
/// One that a store made of a document's revision becomes text only for those who ask for it.
enum ItemVersion: Sendable {
    case text(String)
    /// The base64 text of the revision's text.
    case revision(Revision)

    /// The version as it is compared and sent.
    var text: String {
        switch self {
        case .text(let text): return text
        case .revision(let revision):
            var text: [UInt8] = []
            text.reserveCapacity(60)
            Self.append(revision, to: &text)
            return String(decoding: text, as: UTF8.self)
        }
    }

    /// Appends the version as a JSON string.
    func appendJSON(to text: inout [UInt8]) {
        switch self {
        case .text(let version): JSONText.append(version, to: &text)
        case .revision(let revision):
            text.append(UInt8(ascii: "\""))
            Self.append(revision, to: &text)
            text.append(UInt8(ascii: "\""))
        }
    }

    private static func append(_ revision: Revision, to text: inout [UInt8]) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(43)
        revision.append(to: &bytes)
        Base64.append(bytes, to: &text)
    }
}

extension ItemVersion: Equatable {
    static func == (left: ItemVersion, right: ItemVersion) -> Bool {
        if case (.revision(let left), .revision(let right)) = (left, right) { return left == right }
        return left.text == right.text
    }
}
