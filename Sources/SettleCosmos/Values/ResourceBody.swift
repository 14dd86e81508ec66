public import SettleDocuments

extension Cosmos {
    /// The JSON object of a resource, as the service has it or is to have it.
    ///
    /// It is read in place: a member is made a value only when it is asked for. Members that this
    /// library has no name for are kept, and sent back with a replace.
    public struct ResourceBody: Sendable, Hashable {
        /// The object in the form that Settle stores.
        package private(set) var packed: PackedValue
        /// Where the resource is by the ids of the app, when that is known.
        ///
        /// Only known of a resource that the service has.
        public internal(set) var altLink: Link?

        /// An object.
        ///
        /// - Throws: ``ClientError`` with `invalidDocument` when a number is not finite, or the object is too
        ///   large or too deep.
        public init(_ members: [String: JSONValue]) throws(ClientError) {
            do {
                packed = try PackedValue(.object(members))
            } catch {
                throw ClientError(
                    .invalidDocument, "A resource cannot be written as JSON: \(error)", cause: error
                )
            }
        }

        /// An object that was packed already.
        init(packed: PackedValue, altLink: Link? = nil) {
            self.packed = packed
            self.altLink = altLink
        }

        /// The member with a name; nil when there is none.
        ///
        /// Setting nil removes a member.
        /// - Precondition: Numbers that are set are finite.
        public subscript(name: String) -> JSONValue? {
            get { try? packed.member(name) }
            set {
                do {
                    packed = try packed.setting([name: newValue])
                } catch {
                    preconditionFailure(
                        "A member of a resource cannot be written as JSON: \(error)")
                }
            }
        }

        /// The member that a path of names leads to; nil when there is none.
        public func member(at path: [String]) -> JSONValue? { try? packed.member(at: path) }

        /// All members.
        public var json: [String: JSONValue] { (try? packed.value())?.objectValue ?? [:] }

        /// The id that the app gave it; empty when there is none.
        public var id: String { self["id"]?.stringValue ?? "" }

        /// The identifier that the service gave it (`_rid`); empty before it has one.
        public var resourceId: String { self["_rid"]?.stringValue ?? "" }

        /// Where the service has it by its own identifiers (`_self`); nil before it has it.
        public var selfLink: Link? {
            self["_self"]?.stringValue.flatMap { Link($0, isByResourceIds: true) }
        }

        /// The version that the service has of it (`_etag`); nil before it has one.
        public var etag: String? { self["_etag"]?.stringValue }

        /// When the service last wrote it, in seconds since 1970 (`_ts`); nil before it did.
        public var timestampSeconds: Int64? { self["_ts"]?.integerValue }
    }
}
