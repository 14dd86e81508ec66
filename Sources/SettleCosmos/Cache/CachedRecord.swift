import Foundation
import Settle
import SettleDocuments

extension Cosmos {
    /// A resource as this device keeps it.
    struct CachedRecord: Sendable {
        /// The path of its self link, which is the identifier of the document that keeps it.
        let path: String
        var body: ResourceBody
        /// The etag that this version had on this device before the service gave it the one of the body.
        ///
        /// A caller who has read that has read this version.
        var localEtag: String?

        private static let localEtagMember = "local"

        init(path: String, body: ResourceBody, localEtag: String? = nil) {
            self.path = path
            self.body = body
            self.localEtag = localEtag
        }

        /// Reads the document that keeps it.
        init(_ document: Settle.Document, _ sealer: Sealer) throws {
            let packed = try document.packed()
            path = document.id
            body = ResourceBody(packed: try sealer.opened(packed))
            localEtag = try Self.localEtag(of: document)
        }

        /// The ``localEtag`` of what a document keeps, which no key is needed for.
        static func localEtag(of document: Settle.Document) throws -> String? {
            try document.packed().member(localEtagMember)?.stringValue
        }

        /// The document that keeps it.
        func document(_ sealer: Sealer) throws -> Settle.Document {
            var packed = try sealer.sealed(body.packed)
            if let localEtag {
                packed = try packed.setting([Self.localEtagMember: .string(localEtag)])
            }
            return Settle.Document(id: path, packed: packed)
        }

        /// Whether a caller who depends on a version depends on this one.
        func hasVersion(_ etag: String) -> Bool {
            etag == "*" || etag == body.etag || etag == localEtag
        }
    }
}
