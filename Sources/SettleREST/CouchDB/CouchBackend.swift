public import Foundation
import HTTPTypes
import Settle
import SettleSync
import SettleTableProtocol

/// A database of CouchDB's protocol as the remote of a replication: CouchDB, Cloudant, PouchDB's server,
/// `settle serve`.
///
/// A replication with an address of the form `couchdb+https://HOST[:PORT]/DATABASE` has one:
/// `Database.replicate(with:)` and its relatives make it of the configuration's URL and options.
/// Docs/Guides/CouchDB.md says how it replicates.
public struct CouchBackend: Sendable {
    let address: CouchAddress
    let transport: any HTTPTransport
    let authorizer: CouchAuthorizer
    let documents: CouchSelection
    /// Whether the database is made when it is not there.
    let createsDatabase: Bool
    /// How long the server is asked to wait for a change, in seconds.
    let listeningSeconds: Int
    /// Whether bodies go packed by gzip, as long as the server takes them.
    let packsRequests: Bool
    /// How many bulk writes are under way at once.
    let bulkCountMax: Int
    let memory = CouchMemory()

    /// What the database here calls the remote: its address.
    public var identifier: String { address.identifier }

    /// Whether a URL is the address of a database of CouchDB's protocol, and not of a table.
    public static func isAddress(_ url: URL) -> Bool { CouchAddress.isMeant(by: url) }

    init(
        address: CouchAddress, transport: any HTTPTransport, means: CouchAuthorizer.Means,
        documents: CouchSelection, createsDatabase: Bool, listeningSeconds: Int,
        packsRequests: Bool, bulkCountMax: Int
    ) {
        self.address = address
        self.transport = transport
        authorizer = CouchAuthorizer(means)
        self.documents = documents
        self.createsDatabase = createsDatabase
        self.listeningSeconds = listeningSeconds
        self.packsRequests = packsRequests
        self.bulkCountMax = bulkCountMax
    }

    /// Sends a request, with fresh credentials once more when the first are refused.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - isRejection: Whether 401 may be said of what is sent, by those who are let in; such an answer is returned.
    /// - Returns: The answer.
    /// - Throws: ``/SettleSync/ReplicationError`` as the transport does; `unauthorized` for 401.
    func exchange(
        _ request: DatabaseRequest, isRejection: Bool = false
    ) async throws(ReplicationError) -> FullHTTPResponse {
        let login: CouchAuthorizer.Login = { form throws(ReplicationError) in
            try await logIn(form)
        }
        let credentials = try await authorizer.credentials(login)
        let response = try await send(request, credentials)
        guard response.head.status == .unauthorized else { return response }
        if let fresh = try await authorizer.credentials(replacing: credentials, login) {
            let second = try await send(request, fresh)
            if second.head.status != .unauthorized { return second }
        }
        if isRejection {
            // Whoever is not let in at all is not shown the database, either.
            _ = try await exchange(.information)
            return response
        }
        let hint =
            credentials == .nothing
            ? "It wants a name and a password, or a token."
            : "What it was shown is not accepted."
        throw ReplicationError(
            .unauthorized, "The server at \(address.authority) does not let us in. \(hint)")
    }

    private func send(
        _ request: DatabaseRequest, _ credentials: CouchAuthorizer.Credentials
    ) async throws(ReplicationError) -> FullHTTPResponse {
        var head = head(request.method, request.target(in: address))
        head.headerFields[.accept] = request.accepted
        if request.body != nil { head.headerFields[.contentType] = "application/json" }
        if let parts = request.parts { head.headerFields[.contentType] = parts.type }
        if let range = request.range { head.headerFields[.range] = range }
        try credentials.authorize(&head)
        let response: FullHTTPResponse
        if let parts = request.parts {
            response = try await transport.send(
                head, streaming: parts.body, bodySizeMax: request.answerSizeMax)
        } else {
            response = try await send(head, request.body, request.answerSizeMax)
        }
        await authorizer.note(response)
        return response
    }

    /// Sends a body packed, where that is wanted and makes it smaller, and as it is when that is not understood.
    private func send(
        _ head: HTTPRequest, _ body: [UInt8]?, _ bodySizeMax: Int
    ) async throws(ReplicationError) -> FullHTTPResponse {
        if let body, packsRequests, body.count >= RESTTuning.packedSizeMin,
            memory.takesPacked != false
        {
            let packed = Gzip.packed(body)
            if packed.count < body.count {
                var packedHead = head
                packedHead.headerFields[.contentEncoding] = "gzip"
                let response = try await transport.send(
                    packedHead, body: packed, bodySizeMax: bodySizeMax)
                let mayBeTheCoding = [400, 415, 501].contains(response.status)
                guard mayBeTheCoding, memory.takesPacked == nil else {
                    if response.status < 400 { memory.takesPacked = true }
                    return response
                }
                memory.takesPacked = false
            }
        }
        return try await transport.send(head, body: body, bodySizeMax: bodySizeMax)
    }

    private func logIn(_ form: [UInt8]) async throws(ReplicationError) -> FullHTTPResponse {
        var head = head(.post, address.serverPath + "/_session")
        head.headerFields[.accept] = "application/json"
        head.headerFields[.contentType] = "application/x-www-form-urlencoded"
        return try await transport.send(
            head, body: form, bodySizeMax: RESTTuning.answerSizeMax)
    }

    private func head(_ method: HTTPRequest.Method, _ path: String) -> HTTPRequest {
        var fields = HTTPFields()
        fields[.userAgent] = "Settle"
        for (name, value) in TraceSpan.outgoingFields where HTTPField.isValidValue(value) {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        return HTTPRequest(
            method: method, scheme: address.scheme, authority: address.authority, path: path,
            headerFields: fields)
    }
}
