import Foundation
import Settle
import SettleDocuments

extension Cosmos {
    /// A resource as this device keeps it.
    struct CachedRecord: Sendable {
        /// The path of its self link, which is the identifier of the document that keeps it.
        let path: String
        var body: ResourceBody
        /// Etags that a write of this device has replaced by the one of the body: a caller who has read one of them
        /// has read this version's own ancestor, and no one else has written in between.
        var replacedEtags: [String]

        private static let replacedMember = "replaced"
        private static let replacedCountMax = 8

        init(path: String, body: ResourceBody, replacedEtags: [String] = []) {
            self.path = path
            self.body = body
            self.replacedEtags = replacedEtags.suffix(Self.replacedCountMax)
        }

        /// Reads the document that keeps it.
        init(_ document: Settle.Document, _ sealer: Sealer) throws {
            let packed = try document.packed()
            path = document.id
            body = ResourceBody(packed: try sealer.opened(packed))
            replacedEtags =
                try packed.member(Self.replacedMember)?.arrayValue?.compactMap(\.stringValue) ?? []
        }

        /// The document that keeps it.
        func document(_ sealer: Sealer) throws -> Settle.Document {
            var packed = try sealer.sealed(body.packed)
            if !replacedEtags.isEmpty {
                packed = try packed.setting([
                    Self.replacedMember: .array(replacedEtags.map { .string($0) })
                ])
            }
            return Settle.Document(id: path, packed: packed)
        }
    }

    /// Members that the service gives, and an app does not write.
    static let systemMembers = ["_attachments", "_etag", "_rid", "_self", "_ts"]
}
