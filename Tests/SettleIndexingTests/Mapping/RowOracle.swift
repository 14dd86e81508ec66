import SettleDocuments
import SettleIndexing

/// An entry as the naive way gives it.
struct OracleEntry: Equatable {
    var key: [UInt8]
    var head: [UInt8]
    var tail: [UInt8]
}

/// What a map emitted for one document.
struct MappedDocument {
    var id: String
    var rows: [(key: JSONValue, value: JSONValue?)]
}

/// The rows and pointers that documents must give, by sorting everything.
struct RowOracle {
    let collator: Collator

    init(_ strings: Collator.Strings) { collator = Collator(strings) }

    func rows(of documents: [MappedDocument]) throws -> [OracleEntry] {
        var entries: [OracleEntry] = []
        for document in documents {
            var seen: [[UInt8]: Int] = [:]
            for (key, value) in document.rows {
                let collationKey = collator.key(for: key)
                let number = seen[collationKey, default: 0]
                seen[collationKey] = number + 1
                entries.append(
                    OracleEntry(
                        key: collationKey + Array(document.id.utf8) + [0] + Self.bytes(of: number),
                        head: try PackedValue(key).bytes,
                        tail: try value.map { try PackedValue($0).bytes } ?? []))
            }
        }
        return entries.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    }

    func pointers(of documents: [MappedDocument]) throws -> [OracleEntry] {
        try documents.filter { !$0.rows.isEmpty }.map { document in
            let keys = try document.rows.map { try PackedValue($0.key).bytes }
            return OracleEntry(
                key: Array(document.id.utf8), head: keys[0],
                tail: keys.dropFirst().flatMap { Self.variable($0.count) + $0 })
        }
    }

    static func bytes(of number: Int) -> [UInt8] {
        if number == 0 { return [0] }
        if number < 256 { return [1, UInt8(number)] }
        return [2, UInt8(number / 256), UInt8(number % 256)]
    }

    static func variable(_ number: Int) -> [UInt8] {
        number < 128 ? [UInt8(number)] : [UInt8(number % 128 + 128)] + variable(number / 128)
    }

    /// Decodes a run the slow way.
    static func entries(of run: SortedRun) -> [OracleEntry] {
        var rest = run.bytes[...]
        func number() -> Int {
            var (number, scale) = (0, 1)
            while let byte = rest.popFirst() {
                number += Int(byte % 128) * scale
                if byte < 128 { break }
                scale *= 128
            }
            return number
        }
        func take(_ count: Int) -> [UInt8] {
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        var entries: [OracleEntry] = []
        while !rest.isEmpty {
            var entry = OracleEntry(key: [], head: [], tail: [])
            let before = entries.last
            entry.key = (before?.key ?? []).prefix(number()) + take(number())
            let head = number()
            entry.head = head == 0 ? before?.head ?? [] : take(head - 1)
            entry.tail = take(number())
            entries.append(entry)
        }
        return entries
    }

    /// The shape that the writer has to choose: everything shared that can be.
    static func run(of entries: [OracleEntry]) -> SortedRun {
        var bytes: [UInt8] = []
        for (index, entry) in entries.enumerated() {
            let before = index > 0 ? entries[index - 1] : nil
            let shared = zip(before?.key ?? [], entry.key).prefix { $0 == $1 }.count
            bytes += variable(shared) + variable(entry.key.count - shared)
            bytes += entry.key.dropFirst(shared)
            bytes += before?.head == entry.head ? [0] : variable(entry.head.count + 1) + entry.head
            bytes += variable(entry.tail.count) + entry.tail
        }
        return SortedRun(bytes: bytes, entryCount: entries.count)
    }
}

extension RowCollector {
    /// Collects a document.
    func add(_ document: MappedDocument) throws {
        begin(document: Array(document.id.utf8).span)
        for row in document.rows { try emit(key: row.key, value: row.value) }
        try endDocument()
    }

    /// What `forEachPointer` gives.
    var pointers: [OracleEntry] {
        var pointers: [OracleEntry] = []
        forEachPointer { id, head, tail in
            pointers.append(
                OracleEntry(key: bytes(of: id), head: bytes(of: head), tail: bytes(of: tail)))
        }
        return pointers
    }
}

func bytes(of span: Span<UInt8>) -> [UInt8] {
    span.indices.map { span[$0] }
}
