import Foundation
import Settle

extension QueuedOperation {
    /// Puts another operation of the same type in its place; for
    /// ``OutboxTransaction/modify(_:_:)``.
    ///
    /// - Throws: ``OutboxError`` with `invalidOperation`.
    public mutating func set<Operation: OutboxOperation>(_ operation: Operation) throws {
        guard Operation.operationName == name else {
            throw OutboxError(
                .invalidOperation,
                "The operation \(id) is a '\(name)' and cannot become a "
                    + "'\(Operation.operationName)'.", operationId: id)
        }
        content = try PackedValue(operation: operation, id)
    }
}

extension PackedValue {
    /// The stored form of an operation.
    init(operation: some OutboxOperation, _ id: UUID) throws(OutboxError) {
        do {
            try self.init(encoding: operation, leaves: DocumentCodingLeaves())
        } catch {
            throw OutboxError(
                .invalidOperation,
                "The operation \(id) of type '\(type(of: operation).operationName)' cannot be stored.",
                operationId: id, cause: error)
        }
    }
}
