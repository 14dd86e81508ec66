import SettleDocuments
import SettlePrimitives
import Synchronization

/// What queries of one index need again and again: the states of its slots, and encoded keys.
///
/// The locks guard what is remembered; ICU is asked for sort keys while one is held, at most once for
/// each string. Memory: at most about 1.5 MiB.
package final class QueryMemory: Sendable {
    private struct KnownState {
        let bytes: [UInt8]
        let state: IndexState
    }

    private struct KnownKey {
        let value: JSONValue
        let key: [UInt8]
    }

    private let collator: Collator
    private let states = Lock<[KnownState]>([])
    /// A value has one place, by its hash, and pushes out the one that was there.
    private let keys = Lock<[KnownKey?]>([])
    private let encoder: Lock<KeyEncoder>

    /// States are remembered for the two slots.
    private static let stateCountMax = 2
    private static let keyCountMax = 512
    /// Longer keys are not remembered.
    private static let keyLengthMax = 512

    init(_ collation: Collator.Strings) {
        collator = Collator(collation)
        encoder = Lock(KeyEncoder(collation))
    }

    /// The state that those stored bytes stand for, if they were decoded lately.
    func state(of bytes: Span<UInt8>) -> IndexState? {
        states.withLock { states in
            for known in states where known.bytes.span.isSame(as: bytes) { return known.state }
            return nil
        }
    }

    /// Remembers a state in place of the one that was remembered first.
    func remember(_ state: IndexState, of bytes: [UInt8]) {
        states.withLock { states in
            if states.count == Self.stateCountMax { states.removeFirst() }
            states.append(KnownState(bytes: bytes, state: state))
        }
    }

    /// The encoded key of a value, as ``Collator/key(for:)`` gives it.
    ///
    /// Cost: a look at a table for what was asked for lately; else ICU is asked, but only for strings
    /// that no query has asked for lately.
    func key(for value: JSONValue) -> [UInt8] {
        let place = value.hashValue & (Self.keyCountMax - 1)
        let known = keys.withLock { $0.isEmpty ? nil : $0[place] }
        if let known, known.value == value { return known.key }
        let key = encoded(value)
        if key.count <= Self.keyLengthMax {
            keys.withLock { keys in
                if keys.isEmpty { keys = Array(repeating: nil, count: Self.keyCountMax) }
                keys[place] = KnownKey(value: value, key: key)
            }
        }
        return key
    }

    private func encoded(_ value: JSONValue) -> [UInt8] {
        do throws(PackedError) {
            var packed = PackedBuilder()
            try packed.append(nested: value)
            let bytes = packed.bytes
            return try encoder.withLock { encoder throws(PackedError) in
                var key: [UInt8] = []
                try encoder.append(packed: bytes.span, to: &key)
                return key
            }
        } catch {
            // The collator also has keys for values that cannot be packed.
            return collator.key(for: value)
        }
    }
}

extension PackedBuilder {
    /// Appends a value, an array element by element.
    fileprivate mutating func append(nested value: JSONValue) throws(PackedError) {
        guard case .array(let elements) = value else { return try append(value) }
        let start = openArray()
        for element in elements { try append(nested: element) }
        try closeArray(start)
    }
}
