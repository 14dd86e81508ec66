import SettleDocuments

// What is the same for stored procedures, user-defined functions and triggers.

extension Cosmos.Client {
    private static func body(
        _ id: String, _ code: String, _ others: [String: JSONValue]
    ) -> Cosmos.ResourceBody {
        Cosmos.ResourceBody(
            writing: others.merging(["id": .string(id), "body": .string(code)]) { $1 })
    }

    /// Makes a resource with code.
    func create<Code: Cosmos.ServerCode>(
        _ id: String, _ code: String, _ others: [String: JSONValue] = [:],
        in collection: Cosmos.Link
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Code> {
        try await create(Self.body(id, code, others), as: Code.self, in: collection)
    }

    /// Puts other code in place of that at a link.
    func replace<Code: Cosmos.ServerCode>(
        _ code: String, _ others: [String: JSONValue] = [:], at link: Cosmos.Link
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Code> {
        try await replace(
            Code.self, with: Self.body(link.name, code, others), at: link, matching: nil,
            partition: .unspecified, options: .init())
    }
}
