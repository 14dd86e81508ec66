import HTTPTypes
import Settle
import SettleTableProtocol

/// The conditions of a GET on the version of an item.
///
/// > Source: RFC 9110, 13.2.2: versions count before dates, and what must hold before what must not.
struct ReadConditions {
    /// What the conditions come to.
    enum Outcome: Sendable, Equatable {
        /// Send the item.
        case send
        /// The reader has it already.
        case notModified
    }

    private let headers: HTTPFields
    private let dialect: TableDialect

    /// The conditions of a request.
    init(_ headers: HTTPFields, in dialect: TableDialect) {
        self.headers = headers
        self.dialect = dialect
    }

    /// What the conditions come to for an item.
    ///
    /// A date that cannot be read is no condition.
    ///
    /// - Throws: ``Problem`` 412 with the item when it is another version than the reader wants, 400
    ///   for an `If-Match` that cannot be read.
    func outcome(for item: TableItem) throws(Problem) -> Outcome {
        if dialect.hasTimes, try !isWanted(item) {
            throw Problem(
                .preconditionFailed, "The item was changed since that version.", item: item)
        }
        let known = headers[values: .ifNoneMatch]
        if !known.isEmpty {
            return EntityTag.matches(item.version, ifNoneMatch: known) ? .notModified : .send
        }
        if dialect.hasTimes, let second = date(.ifModifiedSince), item.updatedAt.second <= second {
            return .notModified
        }
        return .send
    }

    private func isWanted(_ item: TableItem) throws(Problem) -> Bool {
        switch try EntityTag.expectation(ifMatch: headers[values: .ifMatch]) {
        case .any: true
        case .version(let version): version == item.version
        case .none, .unmodifiedSince:
            date(.ifUnmodifiedSince).map { item.updatedAt.second <= $0 } ?? true
        }
    }

    private func date(_ name: HTTPField.Name) -> Int64? {
        headers[name].flatMap(HTTPDate.second(of:))
    }
}
