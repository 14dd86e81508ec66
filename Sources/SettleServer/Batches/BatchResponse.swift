import HTTPTypes
import Settle
import SettleTableProtocol

/// What came of one operation of a batch.
enum BatchResponse: Sendable {
    case item(TableItem, BatchVerb)
    case problem(Problem)

    /// About how many bytes it takes as text.
    var approximateSize: Int {
        switch self {
        case .item(_, .delete): 100
        case .item(let item, _): 100 + item.approximateSize
        case .problem(let problem):
            100 + problem.message.utf8.count + (problem.item?.approximateSize ?? 0)
        }
    }

    /// Appends it as text.
    ///
    /// Shape: `{"item": object, "status": number}`, of a deletion the `version` in place of the item; of a
    /// problem `{"error": string, "status": number}`, with the server's `item` when there is one.
    func write(in dialect: TableDialect, to text: inout [UInt8]) {
        switch self {
        case .item(let item, let kind) where kind == .delete:
            let json: JSONValue = [
                BatchMember.status: .integer(Int64(kind.status.code)),
                BatchMember.version: .string(item.version),
            ]
            text.append(contentsOf: JSONText.text(of: json))
        case .item(let item, let kind):
            Self.write(nil, item, kind.status.code, in: dialect, to: &text)
        case .problem(let problem):
            Self.write(problem.message, problem.item, problem.status.code, in: dialect, to: &text)
        }
    }

    private static func write(
        _ error: String?, _ item: TableItem?, _ status: Int, in dialect: TableDialect,
        to text: inout [UInt8]
    ) {
        text.append(UInt8(ascii: "{"))
        if let error {
            text.append(contentsOf: "\"\(BatchMember.error)\":".utf8)
            text.append(contentsOf: JSONText.text(of: .string(error)))
            text.append(UInt8(ascii: ","))
        }
        if let item {
            text.append(contentsOf: "\"\(BatchMember.item)\":".utf8)
            item.write(in: dialect, to: &text)
            text.append(UInt8(ascii: ","))
        }
        text.append(contentsOf: "\"\(BatchMember.status)\":\(status)}".utf8)
    }
}
