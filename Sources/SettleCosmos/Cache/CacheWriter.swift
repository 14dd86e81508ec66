import Settle
import SettleDocuments

extension Cosmos {
    /// What this device keeps, while it is changed.
    struct CacheWriter {
        let transaction: Transaction
        let sealer: Sealer
        let names: NameTable

        init(_ transaction: Transaction, _ sealer: Sealer) throws {
            self.transaction = transaction
            self.sealer = sealer
            names = try NameTable(writingIn: transaction)
        }

        var reader: CacheReader { CacheReader(snapshot: transaction, sealer: sealer) }

        /// Keeps a resource.
        ///
        /// What was kept of another resource of that name is removed with all below it, unless it is moved.
        ///
        /// - Parameters:
        ///   - body: The resource.
        ///   - name: Its name.
        ///   - localEtag: The etag that this version had on this device before it was sent.
        ///   - moves: Whether what is kept at another path under that name, and below, becomes that of this resource.
        /// - Returns: The path; nil when it has none that can be kept.
        /// - Throws: `DatabaseError` when it cannot be written; what the encryptor throws.
        @discardableResult
        func put(
            _ body: ResourceBody, named name: ResourceName, localEtag: String? = nil,
            moves: Bool = false
        ) throws -> String? {
            guard let selfLink = body.selfLink, selfLink.type == name.link.type,
                selfLink.steps.count == name.link.steps.count,
                selfLink.text.utf8.count <= Self.pathLengthMax
            else { return nil }
            try setNames(of: selfLink, name, moves: moves)
            let path = selfLink.text
            if let old = try reader.record(at: path, named: name.link) {
                if old.localEtag == localEtag, old.body.packed == body.packed { return path }
                if name.link.type == .attachment, !moves, old.body.etag != body.etag {
                    // Its bytes may be others now.
                    try transaction.purge(documentsWithIds: [CacheReader.mediaPath(path)])
                }
            }
            try put(CachedRecord(path: path, body: body, localEtag: localEtag))
            return path
        }

        /// The most bytes of a path, with room for what is kept below it.
        static let pathLengthMax = 240

        /// Gives what is kept under a name the identifiers of the resource that the service has made of it.
        func adopt(_ body: ResourceBody, for name: ResourceName) throws {
            guard let selfLink = body.selfLink, try reader.record(of: name) != nil else { return }
            try setNames(of: selfLink, name, moves: true)
        }

        /// Keeps a record in place of the one at its path.
        func put(_ record: CachedRecord) throws {
            try transaction.save(record.document(sealer))
        }

        func put(media bytes: [UInt8], ofAttachmentAt path: String) throws {
            let packed = try PackedValue(.object(["bytes": .string(Base64Text.text(bytes))]))
            try transaction.save(
                Settle.Document(
                    id: CacheReader.mediaPath(path), packed: try sealer.sealed(packed)))
        }

        private func setNames(of selfLink: Link, _ name: ResourceName, moves: Bool) throws {
            var link: Link? = selfLink
            var current: ResourceName? = name
            while let path = link?.text, let own = current {
                let known = try names.path(of: own)
                if let known, known != path {
                    if moves, link == selfLink {
                        try move(from: known, to: path)
                    } else {
                        try remove(at: known)
                    }
                }
                // With the name of a resource those around it were set.
                if known == path { return }
                try names.set(path, for: own)
                link = link?.parent
                current = own.parent
            }
        }

        /// Removes what is kept at a path with all below, and their names.
        func remove(at path: String) throws {
            for known in try names.paths(within: path) { try names.remove(path: known) }
            try transaction.purge(documentsWithIds: try documentIds(within: path))
        }

        func remove(_ name: ResourceName) throws {
            if let path = try names.path(of: name) { try remove(at: path) }
        }

        /// The identifiers of the documents at and below a path.
        func documentIds(within path: String) throws -> [String] {
            var found: [String] = []
            if try transaction.document(path) != nil { found.append(path) }
            let prefix = "\(path)/"
            try transaction.forEachDocument(after: prefix) { document in
                guard document.id.hasPrefix(prefix) else { return false }
                found.append(document.id)
                return true
            }
            return found
        }

        /// Gives what is kept at a path, and all below, another path: that of the identifier that the service gave.
        func move(from old: String, to new: String) throws {
            guard new != old, let last = Link(new, isByResourceIds: true)?.name else { return }
            for id in try documentIds(within: old) {
                let path = new + id.dropFirst(old.count)
                guard let document = try transaction.document(id) else { continue }
                if id.hasSuffix("/media") {
                    try transaction.save(
                        Settle.Document(id: path, packed: try document.packed()))
                    continue
                }
                var record = try CachedRecord(document, sealer)
                record = CachedRecord(
                    path: path, body: record.body, localEtag: record.localEtag)
                record.body["_self"] = .string("\(path)/")
                if id == old { record.body["_rid"] = .string(last) }
                try transaction.save(record.document(sealer))
            }
            for path in try names.paths(within: old) {
                guard let name = try names.name(ofPath: path) else { continue }
                try names.remove(path: path)
                try names.set(new + path.dropFirst(old.count), for: name)
            }
            try transaction.purge(documentsWithIds: try documentIds(within: old))
        }
    }
}
