package import SettleDocuments

/// What a stored procedure is run with.
package struct ScriptInvocation: Sendable {
    /// The id of the procedure.
    package var id: String
    /// The arguments.
    package var arguments: [JSONValue]
    /// The documents of the logical partition, in the order of their creation.
    package var documents: [JSONValue]
}

/// What a stored procedure gives back.
package struct ScriptResult: Sendable {
    /// The body of the response.
    package var value: JSONValue
    /// What it has logged.
    package var log: String
    /// Documents that it stores in the logical partition: created or replaced.
    package var upserts: [JSONValue]

    /// A result.
    package init(_ value: JSONValue, log: String = "", upserts: [JSONValue] = []) {
        self.value = value
        self.log = log
        self.upserts = upserts
    }
}

/// What the scripts of an account do, since the model runs no JavaScript.
package struct ScriptTable: Sendable {
    /// The stored procedures by their ids.
    package var procedures: [String: @Sendable (ScriptInvocation) throws -> ScriptResult] = [:]
    /// The triggers by their ids: what becomes of the document.
    package var triggers: [String: @Sendable (JSONValue) throws -> JSONValue] = [:]
    /// The user-defined functions by their ids; nil is undefined.
    package var functions: [String: @Sendable ([JSONValue?]) -> JSONValue?] = [:]

    /// A table without scripts.
    package init() {}
}
