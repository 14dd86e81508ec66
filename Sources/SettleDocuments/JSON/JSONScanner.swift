/// Reads JSON text into a plan of what is to be packed, in one pass and without recursion.
///
/// Strings stay where they lie in the text unless they hold escapes. Functions take the text
/// as a parameter because a struct cannot hold a span without giving up being an ordinary value,
/// and the place in it, so that the compiler keeps it in a register.
struct JSONScanner: Sendable {
    private(set) var plan = PackedPlan()
    /// The name that was looked for last, which will be the next one as well.
    private var taking: ByteName?

    /// Reads the whole text, which must hold exactly one value.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - taking: The name of the member of the outermost object that is left out, if any.
    ///   - limits: How deep the text may be; its size is the caller's business.
    ///   - largeIntegers: What becomes of whole numbers outside the range of Int64.
    /// - Throws: `JSONError`; the scanner can be used again.
    mutating func scan(
        _ text: Span<UInt8>, taking: String?, limits: JSONLimits,
        largeIntegers: JSONLargeIntegers
    ) throws(JSONError) {
        plan.reset()
        if text.count >= 3, text[0] == 0xEF, text[1] == 0xBB, text[2] == 0xBF {
            throw JSONError(
                .byteOrderMark, "The text begins with a byte order mark (EF BB BF); remove it.",
                at: 0, in: text)
        }
        // Laid out once for all texts; compared by bytes, because texts that are equal in Unicode's
        // eyes are different names.
        let name = taking.map(ByteName.init)
        let isSame =
            if let name, let last = self.taking { name.isSame(as: last) } else {
                name == nil && self.taking == nil
            }
        if !isSame { self.taking = name }
        var reader = JSONReader(
            depthMax: limits.depthMax, taking: self.taking, largeIntegers: largeIntegers)
        JSONReader.skipSpace(text, &reader.index)
        guard reader.index < text.count else {
            throw JSONError(.emptyText, "The text holds no value.", at: reader.index, in: text)
        }
        var isDone = false
        while !isDone {
            plan.reserve(JSONReader.nodesMax)
            isDone = try plan.note { state, nodes throws(JSONError) in
                try reader.read(text, into: &state, &nodes)
            }
        }
        JSONReader.skipSpace(text, &reader.index)
        guard reader.index == text.count else {
            throw JSONError(
                .trailingText, "Something follows the value; a text holds one value.",
                at: reader.index, in: text)
        }
    }
}
