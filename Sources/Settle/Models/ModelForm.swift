import SettleDocuments

/// How a model lies in documents.
enum ModelForm<Model: DocumentModel> {
    /// Reads a model.
    ///
    /// - Throws: ``DatabaseError`` with `invalidDocument`.
    static func model(of document: Document) throws(DatabaseError) -> Model {
        guard document[json: Document.typeMember] == .string(Model.documentType) else {
            throw fault("it is not of the type '\(Model.documentType)'", of: document.id)
        }
        do {
            let model = try document.decode(Model.self)
            guard model.id.utf8.elementsEqual(document.id.utf8) else {
                throw fault("it does not decode its identifier", of: document.id)
            }
            return model
        } catch let error as DecodingError {
            throw fault(error.place, of: document.id, cause: error)
        } catch let error as DatabaseError {
            throw error
        } catch {
            throw fault("its decoding failed", of: document.id, cause: error)
        }
    }

    private static func fault(
        _ reason: String, of id: String, cause: (any Error)? = nil
    ) -> DatabaseError {
        DatabaseError(
            .invalidDocument, "Document '\(id)' cannot be read as \(Model.self): \(reason).",
            documentId: id, cause: cause)
    }

    /// The members that a model writes, without the identifier.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - id: The identifier it must have.
    /// - Returns: The members, `type` among them.
    /// - Throws: `EncodingError`; ``DatabaseError`` with `invalidDocument`.
    static func members(of model: Model, id: String) throws -> [String: JSONValue] {
        func refused(_ reason: String) -> DatabaseError {
            DatabaseError(
                .invalidDocument, "The \(Model.self) '\(id)' cannot be stored: \(reason).",
                documentId: id)
        }
        let packed = try DatabaseError.translating {
            try PackedValue(encoding: model, leaves: DocumentCodingLeaves())
        }
        guard case .object(var members) = try packed.value() else {
            throw refused("it encodes no object")
        }
        let written = members.removeValue(forKey: Document.idMember) ?? .string(model.id)
        guard model.id == id, written == .string(id) else {
            throw refused("its identifier is another now; add it as a new one instead")
        }
        let type = members[Document.typeMember] ?? .string(Model.documentType)
        guard type == .string(Model.documentType) else {
            throw refused("its member '\(Document.typeMember)' is not '\(Model.documentType)'")
        }
        members[Document.typeMember] = type
        return members
    }

    /// A new document of a model.
    ///
    /// - Throws: As ``members(of:id:)``.
    static func document(of model: Model) throws -> Document {
        try Document(members(of: model, id: model.id), id: model.id)
    }
}

extension Document {
    fileprivate init(_ members: [String: JSONValue], id: String) {
        self.init(id: id)
        for (name, value) in members { self[json: name] = value }
    }
}

extension DecodingError {
    /// What is wrong and where, without the content.
    fileprivate var place: String {
        func path(_ context: Context, _ last: [any CodingKey] = []) -> String {
            let names = (context.codingPath + last).map { key in
                key.intValue.map { "[\($0)]" } ?? key.stringValue
            }
            return names.isEmpty ? "the document" : "the member '\(names.joined(separator: "."))'"
        }
        return switch self {
        case .keyNotFound(let key, let context): "\(path(context, [key])) is missing"
        case .valueNotFound(_, let context): "\(path(context)) is null"
        case .typeMismatch(let type, let context): "\(path(context)) is no \(type)"
        case .dataCorrupted(let context): "\(path(context)) has a value that does not fit"
        @unknown default: "it cannot be decoded"
        }
    }
}
