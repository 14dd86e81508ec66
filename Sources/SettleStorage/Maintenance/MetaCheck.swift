import SettleLMDB
import SettlePrimitives

/// Looks at the facts about the store, and for tables that belong to nothing.
struct MetaCheck {
    private let snapshot: StoreSnapshot
    private let log: CheckLog

    init(_ snapshot: StoreSnapshot, _ log: CheckLog) {
        self.snapshot = snapshot
        self.log = log
    }

    /// - Throws: ``LMDBError`` when the store cannot be read; what ends the check.
    func run() throws {
        let steps = log.steps()
        var originCount: UInt64 = 0
        var originLast: UInt64 = 0
        try snapshot.reader.forEach(in: snapshot.tables.meta) { key, value in
            try steps.advance()
            let name = String(decoding: key.rest(from: 0), as: UTF8.self)
            if let number = OriginTable.number(ofKey: name) {
                originCount += 1
                originLast = max(originLast, number)
                if String(validating: value.rest(from: 0), as: UTF8.self)?.isEmpty ?? true {
                    log.find("meta, \(name)", "The name cannot be read.")
                }
            } else if name == RevisionLimit.keyName {
                if (try? snapshot.revisionLimit) == nil {
                    log.find("meta, \(name)", "The number cannot be read.")
                }
            } else if !StoreHeader.keys.contains(name), name != StoreCounters.keyName {
                log.find("meta", "A row is none of those that this release knows.")
            }
            return true
        }
        if originCount != originLast {
            log.find("meta", "There are \(originCount) origins, and the last is \(originLast).")
        }
        try steps.finish()
        for name in try snapshot.reader.tableNames()
        where !StoreTables.names.contains(name) && !name.hasPrefix(StoreTables.guestPrefix) {
            log.find("table '\(name)'", "It belongs to nothing that this release knows.")
        }
    }
}

extension StoreSnapshot {
    /// The names of the tables that the layers above keep, in the order of their bytes.
    ///
    /// - Throws: ``LMDBError`` when the store cannot be read.
    package func tableNames() throws -> [String] {
        try reader.tableNames().compactMap { name in
            name.hasPrefix(StoreTables.guestPrefix)
                ? String(name.dropFirst(StoreTables.guestPrefix.count)) : nil
        }
    }
}
