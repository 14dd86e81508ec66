public import Foundation
public import SettleDocuments

extension DatabaseError: LocalizedError {
    /// The message: what happened, to what, and what to do about it.
    public var errorDescription: String? { message }
}

extension JSONError: LocalizedError {
    /// What is wrong with the text, and where.
    public var errorDescription: String? { description }
}
