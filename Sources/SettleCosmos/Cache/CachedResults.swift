import Settle
import SettleDocuments

extension Cosmos {
    /// The pages of results of queries, by the digest of what was asked.
    ///
    /// Shape (Docs/Formats/Cosmos.md): one document for each page, below the collection at
    /// `queries/<digest of the query>/<digest of where the page begins>`.
    struct CachedResults {
        /// A page.
        struct Page {
            var items: [JSONValue]
            /// Where the service has the next page begin; nil after the last.
            var next: String?
            var resourceId: String
        }

        private let collection: String
        private let query: String

        /// What a query that an operation asks has as results.
        ///
        /// - Parameters:
        ///   - operation: The operation.
        ///   - path: The path of the collection.
        init(_ operation: Operation, at path: String) {
            collection = path
            var bytes: [UInt8] = []
            if case .json(let body) = operation.body { bytes += body.bytes }
            bytes += Array("\u{0}\(operation.type.rawValue)\u{0}".utf8)
            switch operation.partition {
            case .unspecified: break
            case .all: bytes += Array("all".utf8)
            case .key(let key): bytes += Array("key \(key.headerText)".utf8)
            case .range(let id): bytes += Array("range \(id)".utf8)
            }
            query = ContentDigest(of: bytes).description
        }

        private var folder: String { "\(collection)/queries/\(query)" }

        private func path(_ continuation: String?) -> String {
            "\(folder)/\(ContentDigest(of: Array((continuation ?? "").utf8)))"
        }

        /// Keeps a page; the first takes the place of all that were kept before.
        ///
        /// - Returns: The path of the document that holds it, how large that is, and the paths of those that went.
        func put(
            _ page: Page, at continuation: String?, _ writer: CacheWriter
        ) throws -> (path: String, size: Int, gone: [String]) {
            let gone = continuation == nil ? try writer.documentIds(within: folder) : []
            try writer.transaction.purge(documentsWithIds: gone)
            var members: [String: JSONValue] = [
                "items": .array(page.items), "rid": .string(page.resourceId),
            ]
            members["next"] = page.next.map { .string($0) }
            let packed = try writer.sealer.sealed(PackedValue(.object(members)))
            let path = path(continuation)
            try writer.transaction.save(Settle.Document(id: path, packed: packed))
            return (path, packed.bytes.count, gone)
        }

        /// The page that begins somewhere; nil when it is not kept.
        func page(at continuation: String?, _ reader: CacheReader) throws -> Page? {
            guard let document = try reader.snapshot.document(path(continuation)) else {
                return nil
            }
            let members = try reader.sealer.opened(try document.packed()).value()
            return Page(
                items: members["items"]?.arrayValue ?? [], next: members["next"]?.stringValue,
                resourceId: members["rid"]?.stringValue ?? "")
        }

        /// A page of what is kept, as many items as are asked for from anywhere on.
        ///
        /// - Returns: nil when the page that the continuation of the service names, or the first, is not kept. What is
        ///   not kept behind it cannot be had.
        func slice(
            _ wanted: Operation.Page, _ reader: CacheReader, _ usage: CacheUsage
        ) throws -> Page? {
            let place = Place(wanted.continuation)
            guard var page = try page(at: place.continuation, reader) else { return nil }
            usage.touch(path(place.continuation))
            let count = wanted.itemCountMax ?? Self.itemCountDefault
            var found = Page(items: [], next: nil, resourceId: page.resourceId)
            var offset = place.offset
            // The service may give an empty page whose continuation is its own; nothing comes behind it.
            var visited: Set<String?> = [place.continuation]
            while true {
                for item in page.items.dropFirst(offset) {
                    if found.items.count == count {
                        found.next =
                            Place(
                                continuation: place.continuation, offset: place.offset + count
                            ).text
                        return found
                    }
                    found.items.append(item)
                }
                offset = max(0, offset - page.items.count)
                guard let next = page.next, visited.insert(next).inserted else { return found }
                guard let behind = try self.page(at: next, reader) else {
                    // What is behind is not kept: the next call says so.
                    found.next = next
                    return found
                }
                usage.touch(path(next))
                page = behind
            }
        }

        private static let itemCountDefault = 100

        /// Where in a chain of pages a page begins: so many items behind a continuation of the service.
        private struct Place {
            var continuation: String?
            var offset: Int

            init(continuation: String?, offset: Int) {
                self.continuation = continuation
                self.offset = offset
            }

            init(_ text: String?) {
                guard let own = OfflineContinuation(text) else {
                    self.init(continuation: text, offset: 0)
                    return
                }
                let parts = own.text.split(separator: " ", maxSplits: 1)
                self.init(
                    continuation: parts.count == 2 ? String(parts[1]) : nil,
                    offset: max(0, parts.first.flatMap { Int($0) } ?? 0))
            }

            var text: String {
                OfflineContinuation(text: "\(offset)\(continuation.map { " \($0)" } ?? "")").value
            }
        }
    }

    /// Where a page that comes from this device ended.
    struct OfflineContinuation {
        private static let prefix = "settle-offline:"
        let text: String

        init(text: String) { self.text = text }

        /// Reads a continuation; nil when it is the service's.
        init?(_ continuation: String?) {
            guard let continuation, continuation.hasPrefix(Self.prefix) else { return nil }
            text = String(continuation.dropFirst(Self.prefix.count))
        }

        var value: String { Self.prefix + text }
    }
}
