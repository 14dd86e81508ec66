import Settle

// A base lies with its document as long as both have the same members, which are stored once then;
// otherwise it has a row of its own. There is never more than one of the two.

extension RemoteTables {
    /// The base of a document.
    func base(_ id: String) throws -> BaseItem? {
        if let hold = try snapshot.hold(on: id, by: number) { return try base(id, hold) }
        return try servers?.value(for: documentKey(id)).map { try base(id, $0) }
    }

    /// Stores that a state of an item was shown which is the base already, but perhaps for the query that
    /// shows it; no members are read.
    ///
    /// - Returns: False when nothing was stored, because that is not so or not known.
    func showAgain(_ state: BaseItem, _ id: String) throws -> Bool {
        guard scope == .all, state.version != nil,
            let known = try snapshot.holdNote(on: id, by: number),
            let row = try BaseNote.row(of: state, in: scope, queries), row.note != known,
            try BaseNote.isSame(known, as: row.note, place: Self.place(ofBase: id))
        else { return false }
        return try writtenTransaction.hold(row.members, of: id, by: number, note: row.note)
    }

    /// Stores the base of a document; an absent item is forgotten.
    ///
    /// Members that are those of the document are not stored again.
    func setBase(_ state: BaseItem, _ id: String) throws {
        let (servers, transaction) = (written(servers), writtenTransaction)
        let row = try BaseNote.row(of: state, in: scope, queries)
        if let row, try transaction.hold(row.members, of: id, by: number, note: row.note) {
            _ = try servers.remove(documentKey(id))
            return
        }
        try transaction.endHold(on: id, by: number)
        guard state.presence != .absent else {
            _ = try servers.remove(documentKey(id))
            return
        }
        if let row {
            try servers.set(row.note + row.members.bytes, for: documentKey(id))
        } else {
            var row = RowWriter()
            state.write(to: &row)
            try servers.set(row.bytes, for: documentKey(id))
        }
    }

    private func base(_ id: String, _ hold: MemberHold) throws -> BaseItem {
        var row = RowReader(hold.note, place: Self.place(ofBase: id))
        return try BaseNote.state(from: &row, members: hold.members, queries)
    }

    /// The base of a document that a row of the table has.
    func base(_ id: String, _ bytes: [UInt8]) throws -> BaseItem {
        var row = RowReader(bytes, place: Self.place(ofBase: id))
        guard bytes.first == BaseNote.layout else { return try BaseItem(from: &row) }
        return try BaseNote.state(from: &row, members: nil, queries)
    }

    private static func place(ofBase id: String) -> String {
        "the server state of document '\(id)'"
    }

    /// Calls `body` with every state of the remote, each once, in no particular order.
    func forEachServer(_ body: (String, BaseItem) throws -> Void) throws {
        _ = try hasServer { id, state in
            try body(id, state)
            return false
        }
    }

    /// Whether any state of the remote fulfils a condition; looks at no more of them than it must.
    func hasServer(where isWanted: (String, BaseItem) throws -> Bool) throws -> Bool {
        let prefix = self.prefix
        var isFound = false
        try snapshot.forEachHold(by: number) { id, hold in
            isFound = try isWanted(id, base(id, hold))
            return !isFound
        }
        if isFound { return true }
        try servers?.forEach(from: prefix) { key, value in
            guard key.starts(with: prefix) else { return false }
            let id = String(decoding: key.dropFirst(prefix.count), as: UTF8.self)
            isFound = try isWanted(id, base(id, value))
            return !isFound
        }
        return isFound
    }

    private var writtenTransaction: Transaction {
        guard let transaction = snapshot as? Transaction else {
            preconditionFailure("The tables of a remote were opened for reading only.")
        }
        return transaction
    }
}
