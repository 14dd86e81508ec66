import Settle

extension RemoteTables {
    /// Where the pull of a query goes on.
    func token(of query: PullQuery) throws -> PullToken? {
        guard let checkpoints else { return nil }
        return try slot(of: query, in: checkpoints).token
    }

    /// Keeps where the pull of a query goes on.
    func setToken(_ token: PullToken, of query: PullQuery) throws {
        let table = written(checkpoints)
        var row = RowWriter()
        row.write(counted: query.name.utf8)
        row.write(counted: token.text.utf8)
        try table.set(row.bytes, for: try slot(of: query, in: table).key)
    }

    /// The row of a query.
    ///
    /// Its name may be longer than a key, so the key is a hash of it and the name stands in the
    /// value; a hash that another query has goes on to the next number.
    private func slot(
        of query: PullQuery, in table: SideTable
    ) throws -> (key: [UInt8], token: PullToken?) {
        let name = query.name
        var hash = Self.hash(of: name)
        while true {
            let key = checkpointKey(hash)
            guard let bytes = try table.value(for: key) else { return (key, nil) }
            var row = RowReader(bytes, place: "a checkpoint")
            if try row.text() == name { return (key, PullToken(try row.text())) }
            hash &+= 1
        }
    }

    /// FNV-1a, 64 bits: the same in every run, which the standard library's hash is not.
    private static func hash(of text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
