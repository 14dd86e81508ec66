import Settle

extension Cosmos {
    /// Knows by which identifiers of the service the resources are known that have ids here, and the reverse: the
    /// oracle.
    ///
    /// Shape (Docs/Formats/Cosmos.md): `n` and the digest of a name -> the path; `p` and the path -> the name.
    struct NameTable {
        static let tableName = "cosmos.names"
        private static let forward = UInt8(ascii: "n")
        private static let backward = UInt8(ascii: "p")

        private let table: SideTable?

        init(in snapshot: Snapshot) throws {
            table = try snapshot.table(Self.tableName)
        }

        init(writingIn transaction: Transaction) throws {
            table = try transaction.sideTable(named: Self.tableName)
        }

        /// The path of the resource with a name; nil when it is not known.
        func path(of name: ResourceName) throws -> String? {
            try table?.value(for: [Self.forward] + name.digest).map {
                String(decoding: $0, as: UTF8.self)
            }
        }

        /// The name of the resource at a path; nil when it is not known.
        func name(ofPath path: String) throws -> ResourceName? {
            try table?.value(for: [Self.backward] + Array(path.utf8)).flatMap {
                ResourceName(text: String(decoding: $0, as: UTF8.self))
            }
        }

        func set(_ path: String, for name: ResourceName) throws {
            // A replace may give a document another id.
            if let old = try self.name(ofPath: path), old != name {
                try table?.remove([Self.forward] + old.digest)
            }
            try table?.set(Array(path.utf8), for: [Self.forward] + name.digest)
            try table?.set(Array(name.text.utf8), for: [Self.backward] + Array(path.utf8))
        }

        func remove(path: String) throws {
            guard let name = try name(ofPath: path) else { return }
            try table?.remove([Self.backward] + Array(path.utf8))
            if try self.path(of: name) == path { try table?.remove([Self.forward] + name.digest) }
        }

        /// The paths that are known at and below a path.
        func paths(within path: String) throws -> [String] {
            var found: [String] = []
            if try table?.value(for: [Self.backward] + Array(path.utf8)) != nil {
                found.append(path)
            }
            let prefix = [Self.backward] + Array("\(path)/".utf8)
            try table?.forEach(from: prefix) { key, _ in
                guard key.starts(with: prefix) else { return false }
                found.append(String(decoding: key.dropFirst(), as: UTF8.self))
                return true
            }
            return found
        }

        /// All paths that are known.
        func allPaths() throws -> [String] {
            var found: [String] = []
            try table?.forEach(from: [Self.backward]) { key, _ in
                guard key.first == Self.backward else { return false }
                found.append(String(decoding: key.dropFirst(), as: UTF8.self))
                return true
            }
            return found
        }

        func removeAll() throws { try table?.removeAll() }
    }
}
