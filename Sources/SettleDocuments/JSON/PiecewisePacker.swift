import SettlePrimitives

/// Packs a large JSON text piece by piece, so that what is noted on the way stays small beside it.
///
/// `JSONPacker` notes every value before it writes the first byte, which takes a dozen times the text when
/// values are small. Here only containers that are large themselves are taken apart: runs of their elements or
/// members are packed by a `JSONPacker` each, and put together. Beside the text there are the packed bytes,
/// those of the container that is being put together, and for an object where its members lie.
struct PiecewisePacker: ~Copyable {
    /// A container that is taken apart.
    private struct Large {
        var start: Int
        /// Behind its closing bracket.
        var end: Int
    }

    /// Containers with more bytes than this are taken apart, and runs end soon behind it.
    static let runBytes = 32 << 10
    /// The most members that one object may have when it is taken apart.
    static let memberCountMax = 1 << 19

    private var packer = JSONPacker()
    private let limits: JSONLimits
    private let largeIntegers: JSONLargeIntegers
    private var larges: [Large] = []
    /// The next of them.
    private var next = 0
    private var scratch: [UInt8] = []

    init(limits: JSONLimits, largeIntegers: JSONLargeIntegers = .refused) {
        self.limits = limits
        self.largeIntegers = largeIntegers
    }

    /// Packs a value.
    ///
    /// - Throws: `JSONError` with the reason and the place.
    mutating func pack(_ text: Span<UInt8>) throws(JSONError) -> PackedValue {
        guard text.count <= limits.sizeMax else {
            throw JSONError(
                .tooLarge,
                "The text has \(text.count) bytes, the limit is \(limits.sizeMax); split it.",
                at: 0, in: text)
        }
        guard try outline(text) else { return try packWhole(text) }
        var output: [UInt8] = []
        var index = 0
        JSONReader.skipSpace(text, &index)
        guard index == larges.first?.start else { return try packWhole(text) }
        try container(text, &index, depth: 1, to: &output)
        JSONReader.skipSpace(text, &index)
        guard index == text.count else {
            throw JSONError(
                .trailingText, "Something follows the value; a text holds one value.", at: index,
                in: text)
        }
        guard output.count <= limits.sizeMax else {
            throw JSONError(
                .tooLarge,
                "The packed form has \(output.count) bytes, the limit is \(limits.sizeMax); "
                    + "split the document.", at: 0, in: text)
        }
        return PackedValue(stored: output)
    }

    private mutating func packWhole(_ text: Span<UInt8>) throws(JSONError) -> PackedValue {
        try packer.pack(text, limits: limits, largeIntegers: largeIntegers)
    }

    /// Finds the large containers, in the order of their beginnings.
    ///
    /// - Returns: False when the text has few values for its size, so that it is packed best at once; also
    ///   when its brackets do not fit, which the packer says best.
    private mutating func outline(_ text: Span<UInt8>) throws(JSONError) -> Bool {
        var open: [(start: Int, close: UInt8)] = []
        var valueCount = 0
        var index = 0
        while index < text.count {
            let byte = text[index]
            switch byte {
            case UInt8(ascii: "\""):
                index = Self.endOfString(text, index)
                continue
            case UInt8(ascii: ","), UInt8(ascii: ":"): valueCount += 1
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                // As the packer would say it.
                guard open.count < limits.depthMax else { return false }
                open.append((index, byte + 2))
                valueCount += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard let last = open.popLast(), last.close == byte else { return false }
                if index - last.start > Self.runBytes {
                    larges.append(Large(start: last.start, end: index + 1))
                }
            default: break
            }
            index += 1
        }
        guard open.isEmpty, !larges.isEmpty else { return false }
        larges.sort { $0.start < $1.start }
        // What the packer notes of each value is no more than the text in all.
        return 2 * valueCount * MemoryLayout<PackedPlan.Node>.stride > text.count
    }

    /// Behind the closing quote of the string that begins here; behind the text when there is none.
    private static func endOfString(_ text: Span<UInt8>, _ start: Int) -> Int {
        var index = start + 1
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "\""): return index + 1
            case UInt8(ascii: "\\"): index += 2
            default: index += 1
            }
        }
        return text.count
    }

    /// Packs the large container that begins here.
    private mutating func container(
        _ text: Span<UInt8>, _ index: inout Int, depth: Int, to output: inout [UInt8]
    ) throws(JSONError) {
        let large = larges[next]
        next += 1
        var content = Content(isObject: text[index] == UInt8(ascii: "{"))
        content.area.reserveCapacity(large.end - large.start)
        index += 1
        let close = large.end - 1
        var isFirst = true
        while true {
            JSONReader.skipSpace(text, &index)
            if index == close {
                guard isFirst else { throw Self.unexpected(text, at: index) }
                break
            }
            isFirst = false
            let child =
                next < larges.count && larges[next].start < close ? larges[next].start : close
            let end = Self.endOfRun(text, index, before: child)
            if let end {
                try run(text, index..<end, depth, into: &content)
                index = end
            } else {
                if content.isObject { try name(text, &index, depth, into: &content) }
                try nothing(text, index..<child, depth)
                guard child != close else { throw Self.unexpected(text, at: index) }
                try container(text, &index, depth: depth + 1, to: &content.area)
                if content.isObject { content.endMember() }
                JSONReader.skipSpace(text, &index)
            }
            if index == close { break }
            guard text[index] == UInt8(ascii: ",") else { throw Self.unexpected(text, at: index) }
            index += 1
        }
        index = large.end
        if let twin = content.finish(to: &output) {
            throw JSONError(
                .duplicateName,
                "An object has two members of one name (or of canonically equivalent names).",
                at: content.marks[twin], in: text)
        }
    }

    /// Where a run of whole elements or members ends that begins here, before the next large container begins,
    /// or where this one ends; nil when the first of them has a large container in it, or is one.
    private static func endOfRun(_ text: Span<UInt8>, _ start: Int, before limit: Int) -> Int? {
        var index = start
        var depth = 0
        var end: Int?
        while index < limit {
            switch text[index] {
            case UInt8(ascii: "\""):
                index = endOfString(text, index)
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ",") where depth == 0:
                end = index
                if index - start >= runBytes { return end }
            default: break
            }
            index += 1
        }
        let isOfChild = limit < text.count && (text[limit] == 0x7B || text[limit] == 0x5B)
        return isOfChild ? end : limit
    }

    /// Packs a run of elements or members.
    private mutating func run(
        _ text: Span<UInt8>, _ range: Range<Int>, _ depth: Int, into content: inout Content
    ) throws(JSONError) {
        scratch.removeAll(keepingCapacity: scratch.capacity <= 1 << 20)
        scratch.append(content.isObject ? UInt8(ascii: "{") : UInt8(ascii: "["))
        scratch.append(text, in: range)
        scratch.append(content.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
        let packed = try packScratch(text, range.lowerBound - 1, depth)
        do throws(PackedError) {
            try content.add(packed, mark: range.lowerBound)
        } catch {
            preconditionFailure("What was just packed must be readable: \(error)")
        }
        guard content.ends.count <= Self.memberCountMax else {
            throw JSONError(
                .tooLarge, "An object has more than \(Self.memberCountMax) members; split it.",
                at: range.lowerBound, in: text)
        }
    }

    /// Sees to it that no value stands where a large container begins an element.
    ///
    /// - Throws: `JSONError` with what is wrong in the range, or else at its end.
    private mutating func nothing(
        _ text: Span<UInt8>, _ range: Range<Int>, _ depth: Int
    ) throws(JSONError) {
        guard !range.isEmpty else { return }
        scratch.removeAll(keepingCapacity: true)
        scratch.append(UInt8(ascii: "["))
        scratch.append(text, in: range)
        scratch.append(UInt8(ascii: "]"))
        _ = try packScratch(text, range.lowerBound - 1, depth)
        throw Self.unexpected(text, at: range.upperBound)
    }

    /// Packs the name of a member, up to behind its colon.
    private mutating func name(
        _ text: Span<UInt8>, _ index: inout Int, _ depth: Int, into content: inout Content
    ) throws(JSONError) {
        guard text[index] == UInt8(ascii: "\"") else { throw Self.unexpected(text, at: index) }
        let end = min(Self.endOfString(text, index), text.count)
        scratch.removeAll(keepingCapacity: true)
        scratch.append(text, in: index..<end)
        let packed = try packScratch(text, index, depth - 1)
        content.beginMember(packed, mark: index)
        index = end
        JSONReader.skipSpace(text, &index)
        guard index < text.count, text[index] == UInt8(ascii: ":") else {
            throw Self.unexpected(text, at: index)
        }
        index += 1
        JSONReader.skipSpace(text, &index)
    }

    /// Packs the scratch, which stands at some place of the text, in so many containers.
    private mutating func packScratch(
        _ text: Span<UInt8>, _ start: Int, _ depth: Int
    ) throws(JSONError) -> PackedValue {
        // Taken out for the time, because the compiler lends a span of the whole packer only.
        var piece: [UInt8] = []
        swap(&piece, &scratch)
        defer { swap(&piece, &scratch) }
        let depthMax = min(max(1, limits.depthMax - depth + 1), limits.depthMax)
        let pieceLimits = JSONLimits(depthMax: depthMax)
        do throws(JSONError) {
            return try packer.pack(
                piece.span, limits: pieceLimits, largeIntegers: largeIntegers)
        } catch {
            throw JSONError(
                error.reason, error.message, at: min(start + error.byteOffset, text.count), in: text
            )
        }
    }

    private static func unexpected(_ text: Span<UInt8>, at index: Int) -> JSONError {
        JSONError(
            index < text.count ? .unexpectedByte : .unexpectedEnd,
            "There must be a value, a name, a comma or a closing bracket here.", at: index, in: text
        )
    }
}

/// The content of a container that is being put together.
private struct Content {
    let isObject: Bool
    /// Elements, or members, one after the other.
    var area: [UInt8] = []
    /// Of an object, where each member ends in the area, in the order of coming.
    var ends: [UInt32] = []
    /// About where in the text each member stands.
    var marks: [Int] = []

    init(isObject: Bool) {
        self.isObject = isObject
    }

    /// Adds the content of a packed container of the same kind.
    mutating func add(_ packed: PackedValue, mark: Int) throws(PackedError) {
        let bytes = packed.bytes.span
        switch try PackedForm.whole(of: bytes, in: 0..<bytes.count) {
        case .array(let elements): area.append(bytes, in: elements)
        case .object(let members):
            let start = area.count
            area.append(bytes, in: members.area)
            for index in 0..<members.count {
                let end = try members.range(of: index, in: bytes).upperBound
                ends.append(UInt32(start + end - members.area.lowerBound))
                marks.append(mark)
            }
        default: preconditionFailure("A run is a container.")
        }
    }

    mutating func beginMember(_ name: PackedValue, mark: Int) {
        area.append(contentsOf: name.bytes)
        marks.append(mark)
    }

    mutating func endMember() { ends.append(UInt32(area.count)) }

    /// Appends the container.
    ///
    /// - Returns: The place of a member whose name occurs twice; nothing is appended then.
    mutating func finish(to output: inout [UInt8]) -> Int? {
        guard isObject else {
            let widthClass = PackedTag.widthClass(area.count)
            output.append(PackedTag.array + widthClass)
            PackedObjectForm.append(area.count, widthClass, to: &output)
            output.append(contentsOf: area)
            return nil
        }
        let area = area
        let starts = ends.isEmpty ? [] : [0] + ends.dropLast().map(Int.init)
        let names = starts.map { start -> Range<Int> in
            let bytes = area.span
            guard let head = try? PackedForm.content(of: bytes, in: start..<bytes.count),
                case .string(let name) = head.content
            else { preconditionFailure("A member begins with its name.") }
            return name
        }
        let order = names.indices.sorted {
            PackedObjectForm.order(area.span, names[$0], area.span, names[$1]) < 0
        }
        for place in order.indices.dropFirst() {
            let (name, before) = (names[order[place]], names[order[place - 1]])
            if PackedObjectForm.order(area.span, before, area.span, name) == 0 {
                return order[place]
            }
        }
        var seen: Set<String> = []
        for index in names.indices where PackedObjectForm.hasDoubles(area.span, in: names[index]) {
            guard seen.insert(String(decoding: area.span, in: names[index])).inserted else {
                return index
            }
        }
        var end = 0
        let sortedEnds = order.map { index -> Int in
            end += Int(ends[index]) - starts[index]
            return end
        }
        output.reserveCapacity(
            output.count + PackedPlan.headerSize(area: area.count, members: ends.count) + area.count
        )
        PackedObjectForm.appendHead(sortedEnds, to: &output)
        for index in order { output.append(area.span, in: starts[index]..<Int(ends[index])) }
        return nil
    }
}
