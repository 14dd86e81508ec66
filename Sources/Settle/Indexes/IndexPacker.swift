import SettleDocuments
import SettleIndexing

/// Packs the keys and values of index rows.
///
/// Opaque: a type of your own becomes an ``IndexKeyPart`` by handing itself on to the part it
/// consists of.
public struct IndexPacker {
    private var builder: PackedBuilder

    /// A packer in the memory that rows lend; ``giveBack(to:)`` returns it.
    init(lentBy rows: RowCollector) {
        builder = rows.lendPacker()
    }

    /// Returns the memory; what was packed is gone.
    mutating func giveBack(to rows: RowCollector) {
        var empty = PackedBuilder()
        swap(&empty, &builder)
        rows.giveBack(empty)
    }

    /// How many bytes were packed.
    var count: Int { builder.count }

    mutating func reset() {
        builder.reset()
    }

    /// Emits a row whose key lies there; what follows the key is the value.
    func emit(key: Range<Int>, to rows: RowCollector) {
        let bytes = builder.span
        rows.emit(
            packedKey: bytes.extracting(key),
            packedValue: bytes.extracting(key.upperBound..<bytes.count))
    }

    mutating func packNull() {
        builder.appendNull()
    }

    mutating func pack(_ value: Bool) {
        builder.append(value)
    }

    mutating func pack(_ value: Int64) {
        builder.append(value)
    }

    mutating func pack(_ value: Double) throws(DynamicValue.Unsupported) {
        try translating { builder throws(PackedError) in try builder.append(value) }
    }

    mutating func pack(_ text: String) throws(DynamicValue.Unsupported) {
        try translating { builder throws(PackedError) in try builder.append(text) }
    }

    mutating func pack(_ value: JSONValue) throws(DynamicValue.Unsupported) {
        try translating { builder throws(PackedError) in try builder.append(value) }
    }

    mutating func openArray() -> Int {
        builder.openArray()
    }

    mutating func closeArray(_ start: Int) throws(DynamicValue.Unsupported) {
        try translating { builder throws(PackedError) in try builder.closeArray(start) }
    }

    private mutating func translating(
        _ body: (inout PackedBuilder) throws(PackedError) -> Void
    ) throws(DynamicValue.Unsupported) {
        do throws(PackedError) {
            try body(&builder)
        } catch {
            throw DynamicValue.Unsupported(error)
        }
    }
}

extension IndexPacker {
    /// Packs an untyped value; answers false for the absent one.
    ///
    /// The usual types go straight into bytes; the outcome is that of `DynamicValue.json(_:)`.
    mutating func pack(untyped any: Any?) throws -> Bool {
        guard let any else { return false }
        let type = type(of: any)
        if type == String.self, let text = any as? String {
            try pack(text)
        } else if type == Int.self, let number = any as? Int {
            pack(Int64(number))
        } else if type == Double.self, let number = any as? Double {
            try pack(number)
        } else if type == [Any?].self, let elements = any as? [Any?] {
            try pack(elements: elements)
        } else if type == [Any].self, let elements = any as? [Any] {
            try pack(elements: elements)
        } else {
            guard let json = try DynamicValue.json(any) else { return false }
            try pack(json)
        }
        return true
    }

    private mutating func pack(elements: [Any?]) throws {
        let start = openArray()
        for element in elements where try !pack(untyped: element) { packNull() }
        try closeArray(start)
    }
}

extension DynamicValue.Unsupported {
    /// Why a value cannot be packed.
    init(_ error: PackedError) {
        switch error.reason {
        case .notFinite:
            self.init(reason: "a number that is not finite, which JSON cannot express")
        case .tooDeep: self.init(reason: "a value that is nested too deep")
        case .tooLarge: self.init(reason: "a value that is too large")
        case .duplicateName:
            self.init(reason: "an object with two names that are equivalent in Unicode")
        default: self.init(reason: "a value that cannot be stored")
        }
    }
}
