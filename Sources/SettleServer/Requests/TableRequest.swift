import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Settle
import SettleTableProtocol

/// One request to a table, after its version and its sender were checked.
struct TableRequest {
    let request: Request
    let query: RequestQuery
    let dialect: TableDialect
    /// Whether the request named its version.
    let isVersionNamed: Bool
    let identity: Identity
    /// Where the request comes from; nil when there is no network between.
    let connection: Connection?
    let responder: TableResponder
    /// What is in memory until the request is answered.
    let held = HeldBodies()

    /// What the request expects of the version that is stored.
    ///
    /// - Throws: ``Problem`` 400 for an `If-Match` that cannot be read.
    var expectation: VersionExpectation {
        get throws(Problem) {
            let values = request.headers[values: .ifMatch]
            if values.isEmpty, dialect.hasTimes,
                let second = request.headers[.ifUnmodifiedSince].flatMap(HTTPDate.second(of:))
            {
                return .unmodifiedSince(second)
            }
            return try EntityTag.expectation(ifMatch: values)
        }
    }

    /// Whether the request asks for deleted items, too.
    var includesDeleted: Bool {
        get throws(Problem) { try dialect.includesDeleted(query, headers: request.headers) }
    }

    /// The table with a name; nil when there is none and it shall not be made.
    ///
    /// - Throws: As ``TableStore/table(_:isCreated:)``.
    func table(_ name: TableName, isCreated: Bool = false) async throws -> HostedTable? {
        try await responder.store.table(name, isCreated: isCreated).map(HostedTable.init(stored:))
    }

    /// A response that is an item.
    ///
    /// - Throws: As ``LargeResponses/item(_:in:status:headers:for:to:)``.
    func respond(
        _ item: TableItem, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) async throws -> Response {
        try await responder.answers.item(
            item, in: dialect, status: status, headers: headers, for: identity.sender,
            to: connection)
    }

    /// Does what may take long, and cancels it when the client hangs up.
    ///
    /// - Throws: What `body` throws; `CancellationError`.
    func whileConnected<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard let connection else { return try await body() }
        return try await connection.perform(body)
    }

    /// The body as an item.
    ///
    /// - Throws: As ``checkMayWriteJSON()`` and ``read(_:)``; ``Problem`` 400 for a body that is no item.
    func itemBody(for purpose: ItemBody.Purpose) async throws -> ItemBody {
        try checkMayWriteJSON()
        let dialect = dialect
        return try await read { try ItemBody(try ItemBody.json($0), for: purpose, in: dialect) }
    }

    /// Refuses a body of somebody who may not write anything, and then one that cannot be unpacked.
    ///
    /// The rights come first: who has none learns nothing else, and nothing of the body is read.
    ///
    /// - Throws: ``Problem`` 403, 415.
    func checkMayWrite() throws(Problem) {
        guard identity.mayWriteSomething else {
            throw Problem(.forbidden, "The token does not allow to write anything.")
        }
        try BodyCoding.check(request.headers)
    }

    /// Refuses a body as ``checkMayWrite()``, and then one that does not say that it is JSON.
    ///
    /// - Throws: ``Problem`` 403, 415.
    func checkMayWriteJSON() throws(Problem) {
        try checkMayWrite()
        // None is not taken for JSON: a page from elsewhere may leave it out without being asked first.
        // And a list of changes is none of an item's members, where it is not taken for what it is.
        guard mediaType?.isJSON == true, !isJSONPatch else {
            throw Problem(
                .unsupportedMediaType,
                "The body must be JSON; send the header Content-Type: application/json.")
        }
    }

    /// Makes something of the body, which is only taken in when the sender may write something.
    ///
    /// - Parameter make: What to make of its bytes; a large body is read on a thread of its own.
    /// - Returns: What `make` made.
    /// - Throws: As ``checkMayWrite()``, ``BodyIntake/take(_:of:)`` and
    ///   ``BodyIntake/read(_:of:_:)``.
    func read<Value: Sendable>(
        _ make: @escaping @Sendable ([UInt8]) throws -> Value
    ) async throws -> Value {
        try checkMayWrite()
        let body = try await responder.intake.take(request, of: identity.sender)
        // Until the request is answered, what was made of the body is in memory.
        held.add(body)
        return try await responder.intake.read(body, of: identity.sender, make)
    }

    /// Whether the body says that it is a list of changes.
    var isJSONPatch: Bool { mediaType?.essence == "application/json-patch+json" }

    private var mediaType: MediaType? {
        request.headers[.contentType].flatMap(MediaType.init)
    }
}
