import Settle

extension ReplicationScope {
    private enum Tag {
        static let all: UInt8 = 0
        static let type: UInt8 = 1
        static let filter: UInt8 = 2
    }

    /// Writes the scope: a tag, and what it says.
    func write(to row: inout RowWriter) {
        switch kind {
        case .all:
            row.write(byte: Tag.all)
        case .type(let scope):
            row.write(byte: Tag.type)
            row.write(counted: scope.type.utf8)
            row.write(counted: scope.member.utf8)
            row.write(byte: scope.isSent ? 1 : 0)
        case .filter(let filter):
            row.write(byte: Tag.filter)
            row.write(counted: JSONText.text(of: filter.json))
        }
    }

    /// Reads what `write(to:)` wrote.
    init(from row: inout RowReader) throws {
        switch try row.byte() {
        case Tag.all:
            self = .all
        case Tag.type:
            let (type, member) = (try row.text(), try row.text())
            self = .documents(ofType: type, member: member, sendingType: try row.byte() == 1)
        case Tag.filter:
            let text = Array(try row.counted())
            guard let json = try? JSONText.value(from: text),
                let filter = try? Database.IndexFilter(json: json)
            else { throw row.damage }
            self = .documents(matching: filter)
        default:
            throw row.damage
        }
    }
}
