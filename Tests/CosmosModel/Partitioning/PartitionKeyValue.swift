package import SettleDocuments

/// The values of a document that say in which logical partition it is.
package struct PartitionKeyValue: Hashable, Sendable {
    /// The values, one for each path; nil where the document has none.
    ///
    /// Numbers are doubles.
    package let components: [JSONValue?]

    /// A key of these values.
    package init(_ components: [JSONValue?]) {
        self.components = components.map { component in
            // Adding zero makes the negative zero a positive one.
            component.map { value in value.doubleValue.map { .double($0 + 0) } ?? value }
        }
    }

    /// The key in the header of a request: a JSON array, with `{}` for no value.
    ///
    /// - Throws: ``ServiceFailure`` with 400 when it is none.
    package init(header: String) throws(ServiceFailure) {
        guard let value = try? JSONValue(jsonText: header), let elements = value.arrayValue else {
            throw .badRequest("The header x-ms-documentdb-partitionkey is not a JSON array.")
        }
        var components: [JSONValue?] = []
        for element in elements {
            switch element {
            case .object(let members) where members.isEmpty: components.append(nil)
            case .object, .array:
                throw .badRequest("A partition key has strings, numbers, booleans and null.")
            default: components.append(element)
            }
        }
        self.init(components)
    }

    /// Whether there is no value at all.
    var isNone: Bool { components.allSatisfy { $0 == nil } }
}
