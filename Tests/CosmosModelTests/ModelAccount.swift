import CosmosModel
import SettleDocuments
import Testing

/// An account without HTTP, and a client that signs by itself.
struct ModelAccount {
    var state: ServiceState
    var now = ModelTime(seconds: 1_800_000_000)

    init(_ change: (inout AccountConfiguration) -> Void = { _ in }) {
        var configuration = AccountConfiguration()
        change(&configuration)
        state = ServiceState(configuration: configuration)
    }

    /// An account with the database `shop` and a collection `items`, divided by `city`.
    static func shop(
        collection: JSONValue = [:], _ change: (inout AccountConfiguration) -> Void = { _ in }
    ) -> ModelAccount {
        var account = ModelAccount(change)
        account.send("POST", "dbs", ["id": "shop"])
        var body = collection
        body["id"] = "items"
        if body["partitionKey"] == nil {
            body["partitionKey"] = ["paths": ["/city"], "kind": "Hash", "version": 2]
        }
        let response = account.send("POST", "dbs/shop/colls", body)
        #expect(response.status == 201)
        return account
    }

    static let items = "dbs/shop/colls/items"
    static let documents = "dbs/shop/colls/items/docs"

    /// Sends a request signed with the account's key, or with the authorization that is given.
    @discardableResult
    mutating func send(
        _ method: String, _ path: String, _ body: JSONValue? = nil,
        headers: [HeaderName: String] = [:], bytes: [UInt8]? = nil, authorization: String? = nil
    ) -> ServiceResponse {
        var request = ServiceRequest(
            method: method, segments: path.split(separator: "/").map(String.init),
            body: bytes ?? body.map { Array($0.jsonText.utf8) } ?? [])
        request.headers[HeaderName.version.rawValue] = "2018-12-31"
        request.headers[HeaderName.contentType.rawValue] = "application/json"
        for (name, value) in headers { request.headers[name.rawValue] = value }
        request.headers[HeaderName.dateOfRequest.rawValue] = now.httpDate
        request.headers[HeaderName.authorization.rawValue] =
            authorization ?? Self.authorization(method, path, date: now.httpDate)
        return state.respond(to: request, at: now)
    }

    /// Sends a request about documents of one partition.
    @discardableResult
    mutating func send(
        _ method: String, _ path: String, key: String, _ body: JSONValue? = nil,
        headers: [HeaderName: String] = [:]
    ) -> ServiceResponse {
        send(
            method, path, body,
            headers: headers.merging([.partitionKey: "[\"\(key)\"]"]) { first, _ in first })
    }

    /// Stores documents, which have a city.
    mutating func store(_ documents: [JSONValue]) {
        for document in documents {
            let key = JSONValue.array([document["city"] ?? .object([:])]).jsonText
            let response = send(
                "POST", Self.documents, document, headers: [.partitionKey: key, .isUpsert: "True"])
            #expect(response.status < 300)
        }
    }

    /// Sends a query.
    mutating func query(
        _ text: String, parameters: [String: JSONValue] = [:], in path: String = Self.documents,
        headers: [HeaderName: String] = [.enablesCrossPartition: "True"]
    ) -> ServiceResponse {
        let list = parameters.map { JSONValue.object(["name": .string($0), "value": $1]) }
        return send(
            "POST", path, ["query": .string(text), "parameters": .array(list)],
            headers: headers.merging(
                [.isQuery: "True", .contentType: "application/query+json"]) { first, _ in first })
    }

    static func authorization(
        _ method: String, _ path: String, date: String,
        key: String = AccountConfiguration.emulatorKey
    ) -> String {
        let parts = path.split(separator: "/").map(String.init)
        let isFeed = parts.count % 2 == 1
        var link = (isFeed ? parts.dropLast() : parts[...]).joined(separator: "/")
        if let first = parts.dropFirst().first, first.hasSuffix("==") || parts[0] == "offers" {
            link = link.split(separator: "/").last.map { $0.lowercased() } ?? ""
        }
        var kind = isFeed ? parts.last ?? "" : parts[parts.count - 2]
        if parts.first == "media" {
            kind = "media"
            link = parts[1].lowercased()
        }
        let payload = RequestSignature.payload(
            method: method, kind: kind, link: link, date: date)
        let signature = RequestSignature.signature(of: payload, key: key) ?? ""
        return escaped("type=master&ver=1.0&sig=\(signature)")
    }

    static func escaped(_ text: String) -> String {
        text.replacing("%", with: "%25").replacing("+", with: "%2B").replacing("/", with: "%2F")
            .replacing("=", with: "%3D").replacing("&", with: "%26")
    }
}

extension ServiceResponse {
    /// The documents of a feed.
    var documents: [JSONValue] { json["Documents"]?.arrayValue ?? [] }

    /// The ids of the documents of a feed.
    var ids: [String] { documents.compactMap { $0["id"]?.stringValue } }
}
