import SettleDocuments

// Texts for debuggers and logs of the app; the library itself writes no contents anywhere.

extension Document: CustomStringConvertible {
    /// The identifier, the revision, and the members as JSON, cut after 400 characters.
    public var description: String {
        var words = ["'\(id)'", revisionText ?? "not saved"]
        if metaData.isDeleted { words.append("deleted") }
        if !attachments.isEmpty {
            words.append("attachments: \(attachments.map(\.name).joined(separator: ", "))")
        }
        words.append(JSONValue.object(json).shortText)
        return words.joined(separator: " ")
    }
}

extension JSONValue {
    /// The beginning of the value as JSON text.
    var shortText: String { jsonText.shortened }
}

extension String {
    /// The first 400 characters.
    var shortened: String { count > 400 ? prefix(400) + "…" : self }
}
