/// What an operation of a batch does, by its word.
package enum BatchVerb: String, Sendable, CaseIterable {
    case insert, update, replace, delete, undelete
}

/// The members of a batch and of the response to it.
///
/// Shape: `{"operations": [{"op": string, "id": string, "version": string, "item": object}]}`, and
/// `{"results": [{"status": number, "item": object, "version": string, "error": string}]}`.
package enum BatchMember {
    package static let operations = "operations"
    package static let verb = "op"
    package static let id = "id"
    package static let version = "version"
    package static let item = "item"
    package static let results = "results"
    package static let status = "status"
    package static let error = "error"
}
