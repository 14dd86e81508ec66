import SettleDocuments
import SettleREST

extension Cosmos {
    /// Reads the body of a response to an operation.
    struct ResponseReader {
        private let operation: Operation
        private let metadata: ResponseMetadata
        private static let limits = JSONLimits(sizeMax: 64 << 20)

        init(_ operation: Operation, _ metadata: ResponseMetadata) {
            self.operation = operation
            self.metadata = metadata
        }

        /// What the body is.
        ///
        /// - Throws: ``ClientError`` with `unreadableResponse` when it is not what the operation asked for.
        func content(
            of response: FullHTTPResponse
        ) throws(ClientError) -> OperationResponse.Content {
            switch operation.action {
            case .execute, .readMedia: return .bytes(response.body)
            case .delete: return .none
            case .query where operation.asksForPlan: return .bytes(response.body)
            case .batch: return .feed(try elements(of: packed(response.body)), resourceId: "")
            case .list, .query, .changes: return try feed(packed(response.body))
            case .create, .upsert, .get, .replace, .patch:
                guard !response.body.isEmpty else { return .none }
                let body = try packed(response.body)
                guard body.isObject else { throw unreadable("no object", nil) }
                return .resource(resource(body))
            }
        }

        private func packed(_ body: [UInt8]) throws(ClientError) -> PackedValue {
            do {
                return try JSONText.packed(
                    from: body.span, limits: Self.limits, largeIntegers: .rounded)
            } catch {
                throw unreadable("no JSON that can be read", error)
            }
        }

        private func feed(_ body: PackedValue) throws(ClientError) -> OperationResponse.Content {
            do {
                guard let list = try body.packedMember(operation.type.feedMember) else {
                    throw unreadable("no list of \(operation.type.noun)s", nil)
                }
                return .feed(
                    try elements(of: list), resourceId: try body.member("_rid")?.stringValue ?? "")
            } catch let error as ClientError {
                throw error
            } catch {
                throw unreadable("damaged", error)
            }
        }

        private func elements(of list: PackedValue) throws(ClientError) -> [PackedValue] {
            guard let elements = try? list.elements() else { throw unreadable("no list", nil) }
            return elements
        }

        private func unreadable(_ what: String, _ cause: (any Swift.Error)?) -> ClientError {
            ClientError(
                .unreadableResponse,
                "The response to the request to \(operation.subject) is \(what); something else may stand "
                    + "between the service and this device.", activityId: metadata.activityId,
                cause: cause)
        }

        /// A resource with its link by ids, as far as that is known.
        private func resource(_ body: PackedValue) -> ResourceBody {
            var resource = ResourceBody(packed: body)
            resource.altLink = altLink(of: resource.id)
            return resource
        }

        /// The link by ids of the resource with an id that the response holds.
        private func altLink(of id: String) -> Link? {
            guard !id.isEmpty else { return nil }
            if let link = operation.itemLink, !link.isByResourceIds, link.name == id { return link }
            return Self.altLink(
                of: id, operation.type, in: operation,
                alternateContentPath: metadata.alternateContentPath)
        }

        /// The link by ids of a resource that a response of the service holds.
        static func altLink(
            of id: String, _ type: ResourceType, in operation: Operation,
            alternateContentPath: String?
        ) -> Link? {
            guard !id.isEmpty else { return nil }
            if type == .database { return Link(.database, id) }
            guard type != .offer else { return nil }
            let around =
                operation.isAboutMany || [.create, .upsert].contains(operation.action)
                ? operation.link : operation.link?.parent
            if let around, !around.isByResourceIds { return around.child(type, id) }
            // The path is that of the resource around, or of the resource itself.
            let path = alternateContentPath.flatMap { Link($0, isByResourceIds: false) }
            if path?.type == type { return path?.parent?.child(type, id) }
            return path?.type == type.parent ? path?.child(type, id) : nil
        }
    }
}
