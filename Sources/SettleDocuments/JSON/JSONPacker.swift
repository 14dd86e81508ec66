import SettlePrimitives
import Synchronization

/// Packs JSON texts, one after another, with memory that is used again.
///
/// Whoever packs many documents keeps one packer: a document then costs one allocation, its
/// packed bytes. `JSONText.packed(from:limits:)` and `JSONText.packedObject(from:taking:limits:)`
/// borrow one for a single document.
package struct JSONPacker: ~Copyable, Sendable {
    private var scanner: JSONScanner

    /// A packer without memory; the first documents give it some.
    package init() { scanner = JSONScanner() }

    /// Packs any value.
    ///
    /// - Parameters:
    ///   - text: The text of one JSON value.
    ///   - limits: How large and deep it may be.
    ///   - largeIntegers: What becomes of whole numbers outside the range of Int64.
    /// - Returns: The packed value.
    /// - Throws: `JSONError` with the reason and the place; the packer can be used again.
    package mutating func pack(
        _ text: Span<UInt8>, limits: JSONLimits = .default,
        largeIntegers: JSONLargeIntegers = .refused
    ) throws(JSONError) -> PackedValue {
        try scan(text, taking: nil, limits: limits, largeIntegers: largeIntegers)
        return PackedValue(stored: scanner.plan.write(source: text))
    }

    /// Packs an object without its top-level member of that name.
    ///
    /// - Parameters:
    ///   - text: The text of one JSON object.
    ///   - member: The name of the member to leave out and give back; nil packs every member.
    ///   - limits: How large and deep the text may be.
    /// - Returns: The packed object, and the taken member, or nil when the object lacks it.
    /// - Throws: `JSONError` with the reason and the place; `unexpectedKind` when the text is no
    ///   object or the member is no string. The packer can be used again.
    package mutating func pack(
        _ text: Span<UInt8>, taking member: String?, limits: JSONLimits = .default
    ) throws(JSONError) -> (packed: PackedValue, taken: String?) {
        try scan(text, taking: member, limits: limits, largeIntegers: .refused)
        guard scanner.plan.nodes[0].kind == .object else {
            throw JSONError(
                .unexpectedKind, "A document is a JSON object, and the text holds another value.",
                at: Self.start(of: text), in: text)
        }
        let packed = PackedValue(stored: scanner.plan.write(source: text))
        guard let taken = scanner.plan.state.taken else { return (packed, nil) }
        let node = scanner.plan.nodes[taken + 2]
        let string =
            node.kind == .ownString
            ? String(decoding: scanner.plan.state.own.span, in: node.range)
            : String(decoding: text, in: node.range)
        return (packed, string)
    }

    private mutating func scan(
        _ text: Span<UInt8>, taking: String?, limits: JSONLimits,
        largeIntegers: JSONLargeIntegers
    ) throws(JSONError) {
        guard text.count <= limits.sizeMax else {
            throw JSONError(
                .tooLarge,
                "The text has \(text.count) bytes, the limit is \(limits.sizeMax); split it.",
                at: 0, in: text)
        }
        try scanner.scan(text, taking: taking, limits: limits, largeIntegers: largeIntegers)
        guard scanner.plan.size <= limits.sizeMax else {
            throw JSONError(
                .tooLarge,
                "The packed form has \(scanner.plan.size) bytes, the limit is \(limits.sizeMax); "
                    + "split the document.",
                at: 0, in: text)
        }
    }

    private static func start(of text: Span<UInt8>) -> Int {
        for index in text.indices where text[index] > 0x20 { return index }
        return text.count
    }

    // MARK: Lending

    /// Up to four packers that nobody uses at the moment.
    private struct Idle: ~Copyable {
        private var first: JSONPacker?
        private var second: JSONPacker?
        private var third: JSONPacker?
        private var fourth: JSONPacker?

        mutating func take() -> JSONPacker? {
            if let packer = first.take() { return packer }
            if let packer = second.take() { return packer }
            if let packer = third.take() { return packer }
            return fourth.take()
        }

        /// Keeps a packer, or lets go of it when there are enough.
        mutating func put(_ packer: consuming JSONPacker) {
            if first == nil {
                first = consume packer
            } else if second == nil {
                second = consume packer
            } else if third == nil {
                third = consume packer
            } else if fourth == nil {
                fourth = consume packer
            }
        }
    }

    private static let idle = Lock(Idle())

    /// Lends a packer that other callers have used before, so that its memory is there already.
    ///
    /// Any number of threads may ask at once; beyond four of them, a packer begins without memory.
    static func withShared<Answer, Failure: Error>(
        _ body: (inout JSONPacker) throws(Failure) -> Answer
    ) throws(Failure) -> Answer {
        var packer = idle.withLock { $0.take() } ?? JSONPacker()
        let answer: Result<Answer, Failure>
        do throws(Failure) {
            answer = .success(try body(&packer))
        } catch {
            answer = .failure(error)
        }
        var returned: JSONPacker? = consume packer
        idle.withLock { idle in
            if let packer = returned.take() { idle.put(packer) }
        }
        return try answer.get()
    }
}
