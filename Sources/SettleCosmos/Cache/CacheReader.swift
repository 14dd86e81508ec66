import Settle
import SettleDocuments

extension Cosmos {
    /// What this device keeps, in one state of its database.
    struct CacheReader {
        let snapshot: Snapshot
        let sealer: Sealer

        func path(of name: ResourceName) throws -> String? {
            try NameTable(in: snapshot).path(of: name)
        }

        /// The record of the resource with a name; nil when it is not kept.
        func record(of name: ResourceName) throws -> CachedRecord? {
            guard let path = try path(of: name) else { return nil }
            return try record(at: path, named: name.link)
        }

        /// The record at a path; nil when there is none.
        func record(at path: String, named link: Link? = nil) throws -> CachedRecord? {
            guard let document = try snapshot.document(path) else { return nil }
            var record = try CachedRecord(document, sealer)
            record.body.altLink = try link ?? NameTable(in: snapshot).name(ofPath: path)?.link
            return record
        }

        /// The etag that the service gave to a version of this device.
        ///
        /// - Parameters:
        ///   - name: The name of the resource.
        ///   - local: The etag that the version had on this device.
        /// - Returns: nil when the copy is of another version.
        /// - Throws: `DatabaseError` when the database cannot be read; ``ClientError`` without the right key.
        func serviceEtag(of name: ResourceName, knownAs local: String) throws -> String? {
            guard let path = try path(of: name), let document = try snapshot.document(path),
                try CachedRecord.localEtag(of: document) == local
            else { return nil }
            return try CachedRecord(document, sealer).body.etag
        }

        /// The bytes of the attachment at a path; nil when they are not kept.
        func media(ofAttachmentAt path: String) throws -> [UInt8]? {
            guard let document = try snapshot.document(Self.mediaPath(path)) else { return nil }
            let text = try sealer.opened(try document.packed()).member("bytes")?.stringValue
            return text.flatMap { Base64Text.bytes($0) }
        }

        static func mediaPath(_ path: String) -> String { "\(path)/media" }

        /// The name of the resource that an operation concerns; nil when it concerns none that is known.
        func name(of operation: Operation) throws -> ResourceName? {
            try operation.itemLink.flatMap { try name(of: $0, operation.partition) }
        }

        /// The name of the resource at a link of either form.
        func name(of link: Link, _ partition: Operation.Partition) throws -> ResourceName? {
            if !link.isByResourceIds { return ResourceName(link, partition: partition.keyText) }
            return try NameTable(in: snapshot).name(ofPath: link.text)
        }

        /// The link by ids of one of either form.
        func namedLink(_ link: Link?) throws -> Link? {
            guard let link, link.isByResourceIds else { return link }
            return try NameTable(in: snapshot).name(ofPath: link.text)?.link
        }

        /// Walks what is kept right below a path.
        ///
        /// - Parameters:
        ///   - type: The type of what is wanted.
        ///   - parent: The path of the resource around; nil for the account.
        ///   - last: Where to begin, which is not included; nil for the first.
        ///   - body: Called with each path; answers false to stop.
        /// - Throws: What `body` throws, and `DatabaseError` when the database cannot be read.
        func forEachPath(
            of type: ResourceType, below parent: String?, after last: String? = nil,
            _ body: (Settle.Document) throws -> Bool
        ) throws {
            let prefix = parent.map { "\($0)/\(type.pathComponent)/" } ?? "\(type.pathComponent)/"
            try snapshot.forEachDocument(after: last ?? prefix) { document in
                guard document.id.hasPrefix(prefix) else { return false }
                if document.id.dropFirst(prefix.count).contains("/") { return true }
                return try body(document)
            }
        }
    }
}
