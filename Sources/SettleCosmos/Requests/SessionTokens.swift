import SettlePrimitives
import Synchronization

extension Cosmos {
    /// What a client has seen of each collection, so that its next read sees no less.
    ///
    /// The service gives a token for the partition that a request went to, such as `0:-1#17`; a request hands in
    /// those of all partitions, with commas in between.
    ///
    /// > Source: the session tokens of the public Azure Cosmos DB SDKs.
    final class SessionTokens: Sendable {
        /// The tokens of one collection by the ids of their ranges.
        private let collections = Lock<[String: [String: Token]]>([:])

        /// The token of one range: `version#sequence…`, or only a sequence.
        struct Token: Sendable, Hashable {
            let text: String
            private let version: Int64
            private let sequence: Int64

            init(_ text: String) {
                self.text = text
                let parts = text.split(separator: "#", omittingEmptySubsequences: false)
                if parts.count > 1 {
                    version = Int64(parts[0]) ?? -1
                    sequence = Int64(parts[1]) ?? -1
                } else {
                    version = -1
                    sequence = Int64(text) ?? -1
                }
            }

            /// Whether it shows more than the other.
            func isNewer(than other: Token) -> Bool {
                (version, sequence) > (other.version, other.sequence)
            }
        }

        /// What a request about a collection hands in; nil when nothing was seen of it yet.
        func token(for collection: Link) -> String? {
            collections.withLock { collections in
                guard let ranges = collections[collection.text], !ranges.isEmpty else { return nil }
                return ranges.sorted { $0.key < $1.key }
                    .map { "\($0.key):\($0.value.text)" }.joined(separator: ",")
            }
        }

        /// The newer of two texts of tokens, range by range; nil when there are none.
        static func newest(_ first: String?, _ second: String?) -> String? {
            var newest: [String: Token] = [:]
            for text in [first, second].compactMap(\.self) {
                for (range, token) in tokens(in: text) {
                    if let kept = newest[range], !token.isNewer(than: kept) { continue }
                    newest[range] = token
                }
            }
            if newest.isEmpty { return nil }
            return newest.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value.text)" }
                .joined(separator: ",")
        }

        /// The ranges and tokens in a text.
        private static func tokens(in text: String) -> [(range: String, token: Token)] {
            text.split(separator: ",").compactMap { (part: Substring) in
                guard let colon = part.firstIndex(of: ":") else { return nil }
                return (String(part[..<colon]), Token(String(part[part.index(after: colon)...])))
            }
        }

        /// Keeps what a response says, under every name that the collection is known by.
        func keep(_ text: String, for names: [Link]) {
            collections.withLock { collections in
                for (range, token) in Self.tokens(in: text) {
                    for name in names {
                        if let kept = collections[name.text]?[range], !token.isNewer(than: kept) {
                            continue
                        }
                        collections[name.text, default: [:]][range] = token
                    }
                }
            }
        }

        /// Forgets a collection, because it is no more.
        func forget(_ collection: Link) {
            collections.withLock { collections in
                let lost = collections.keys.filter {
                    $0 == collection.text || $0.hasPrefix(collection.text + "/")
                }
                for name in lost { collections[name] = nil }
            }
        }
    }
}
