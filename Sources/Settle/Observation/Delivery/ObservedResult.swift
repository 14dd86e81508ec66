/// One state of an observed answer.
struct ObservedResult: Sendable {
    /// The rows; the first `limit` count.
    var list: OrderedList<QueryResultRow>
    /// The most rows; nil for all.
    var limit: Int?
    /// How many rows were passed over.
    var startRow: UInt
    /// What a query would say beside its rows.
    var totalRows: Int?
    /// What a query would say beside its rows.
    var offset: Int?
    /// The last change that the rows take into account.
    var sequence: UInt64

    /// Its number among the answers of its observer.
    ///
    /// Answers whose numbers follow each other are known to differ.
    var number: UInt64

    /// How many rows count.
    var count: Int { min(list.count, limit ?? .max) }
}

/// What an observation delivers.
enum ObservedState: Sendable {
    case answer(ObservedResult)
    case failure(any Error)
}

extension QueryResultEnumerator {
    init(_ answer: ObservedResult) {
        self.init(
            answer.list, count: answer.count, startRow: answer.startRow,
            totalRows: answer.totalRows, offset: answer.offset, sequence: answer.sequence)
    }

    init(_ state: ObservedState, startRow: UInt) {
        switch state {
        case .answer(let answer): self.init(answer)
        case .failure(let error): self.init(rows: [], startRow: startRow, error: error)
        }
    }
}
