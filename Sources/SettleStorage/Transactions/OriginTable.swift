import SettleLMDB

/// The numbers that stand for the names of replications in records.
///
/// Shape: table `meta`: "origin N", N in decimal, from 1 -> the name, UTF-8. There are as many as
/// there were replications that documents came from, so they are never removed.
enum OriginTable {
    private static let prefix = "origin "

    private static func key(_ number: UInt64) -> [UInt8] { Array((prefix + String(number)).utf8) }

    /// The number that a key gives a name to; nil for the key of another fact.
    static func number(ofKey key: String) -> UInt64? {
        guard key.hasPrefix(prefix), let number = UInt64(key.dropFirst(prefix.count)), number > 0
        else { return nil }
        return number
    }

    /// The name that has a number; nil when none has.
    static func name(
        of number: UInt64, from meta: Table, in reader: ReadTransaction
    ) throws -> String? {
        try reader.value(for: key(number), in: meta).flatMap {
            String(validating: $0, as: UTF8.self)
        }
    }

    /// Gives the next number to a name.
    static func set(
        _ name: String, of number: UInt64, to meta: Table, in writer: WriteTransaction
    ) throws {
        try writer.put(Array(name.utf8), for: key(number), in: meta)
    }
}

extension StoreSnapshot {
    /// The name of the replication that has a number.
    ///
    /// - Throws: ``StorageError/corrupted(place:)`` when none has; ``LMDBError``.
    func origin(_ number: UInt64) throws -> String {
        if let name = origins[number] { return name }
        guard let name = try OriginTable.name(of: number, from: tables.meta, in: reader) else {
            throw StorageError.corrupted(place: "row 'origin \(number)' of table 'meta'")
        }
        origins[number] = name
        return name
    }
}

extension StoreTransaction {
    /// The number of a replication; it gets one when it has none.
    func number(ofOrigin name: String) throws -> UInt64 {
        // By bytes: equal texts of different bytes are different names.
        let bytes = Array(name.utf8)
        if let lastOrigin, lastOrigin.name == bytes { return lastOrigin.number }
        let number = try number(ofOrigin: name, bytes)
        lastOrigin = (bytes, number)
        return number
    }

    private func number(ofOrigin name: String, _ bytes: [UInt8]) throws -> UInt64 {
        if let known = origins.first(where: { bytes.elementsEqual($0.value.utf8) }) {
            return known.key
        }
        var number: UInt64 = 1
        while let found = try OriginTable.name(of: number, from: tables.meta, in: reader) {
            origins[number] = found
            if bytes.elementsEqual(found.utf8) { return number }
            number += 1
        }
        try OriginTable.set(name, of: number, to: tables.meta, in: writer)
        origins[number] = name
        return number
    }
}
