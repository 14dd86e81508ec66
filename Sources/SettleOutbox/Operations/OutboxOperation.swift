/// Something that is to be done on a cloud service, as a value that can be stored.
///
/// It holds whatever is needed to do it later, maybe after a restart: an address, a file name, the
/// identifier of a document. It is stored in the form `Document.init(encoding:)` gives values, so a
/// later release of an app reads what an earlier one stored as long as its `Decodable` conformance
/// does.
///
/// ```swift
/// struct PutNote: OutboxOperation {
///     static let operationName = "put-note"
///     var noteId: String
/// }
/// ```
public protocol OutboxOperation: Codable, Sendable {
    /// What stored operations of this type are known by; never changed once any was stored.
    ///
    /// 1 to 200 bytes of UTF-8, and no other type of the outbox has it.
    static var operationName: String { get }
}
