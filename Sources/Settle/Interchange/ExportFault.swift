/// A line of an export that cannot be used, and why; nothing of the line is repeated.
struct ExportFault: Error, Equatable {
    /// The line, from 1; nil until the reader of the file has filled it in.
    var line: Int?
    /// The place in the line, from 1, for text that is not JSON.
    var column: Int?
    /// What is wrong and what to do, in sentences.
    let message: String
    /// What to branch on.
    let code: DatabaseError.Code
    /// The document concerned, when one is.
    let documentId: String?

    init(
        _ message: String, column: Int? = nil, code: DatabaseError.Code = .invalidExport,
        documentId: String? = nil
    ) {
        self.message = message
        self.column = column
        self.code = code
        self.documentId = documentId
    }

    /// The fault with the line it is on.
    func on(_ line: Int) -> ExportFault {
        var fault = self
        fault.line = line
        return fault
    }

    /// The fault as the caller gets it.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - state: What the import has done so far, in a sentence.
    /// - Returns: The error, with the place, what is wrong, and the state.
    func error(in path: String, state: String) -> DatabaseError {
        var place = "The export '\(path)'"
        if let line { place += ", line \(line)" }
        if let column { place += ", column \(column)" }
        return DatabaseError(code, "\(place): \(message) \(state)", documentId: documentId)
    }
}
