import CFuzzer
import SettleDocuments
import SettleOData

/// A text goes in as a filter, an order and a selection of both dialects; whatever it is, it is read
/// or refused within its limits, what a filter says of an item agrees with what it says of indexes, and
/// a filter that is written is read as what it was.
@main enum FuzzOData {
    static func main() {
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? =
            CommandLine.unsafeArgv
        _ = LLVMFuzzerRunDriver(&count, &arguments) { bytes, count in
            FuzzOData.test(Array(UnsafeBufferPointer(start: bytes, count: count)))
            return 0
        }
    }

    /// Traps when something does not agree, which the fuzzer reports.
    private static func test(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        for dialect in ODataDialect.allCases {
            if let filter = read(text, { try ODataParser.filter(text, dialect: dialect) }) {
                precondition(height(of: filter) <= 1_000, "A tree is not high.")
                for item in FuzzItem.samples { test(filter, item) }
                testWriting(filter, dialect)
            }
            if let order = read(text, { try ODataParser.order(text, dialect: dialect) }) {
                let limit = ODataLimits.standard.sortKeyCountMax
                precondition((1...limit).contains(order.count), "An order has few keys.")
                test(order)
            }
        }
        if let selection = read(text, { try ODataParser.selection(text) }) {
            precondition(
                (selection ?? ["*"]).count <= ODataLimits.standard.selectedCountMax,
                "A selection has few names.")
        }
    }

    private static func read<Result>(_ text: String, _ body: () throws -> Result) -> Result? {
        do {
            let result = try body()
            precondition(
                text.utf8.count <= ODataLimits.standard.textBytesMax, "Long texts are refused.")
            return result
        } catch {
            guard let error = error as? ODataError else {
                preconditionFailure("Only these errors are thrown.")
            }
            if let position = error.position {
                precondition(
                    (1...text.unicodeScalars.count + 1).contains(position),
                    "An error lies in the text.")
            }
            return nil
        }
    }

    private static let limits: ODataLimits = {
        var limits = ODataLimits.standard
        limits.stepsMax = 20_000
        return limits
    }()

    /// A text that is written needs more parentheses than one that is sent may have.
    private static let writtenLimits: ODataLimits = {
        var limits = ODataLimits.standard
        limits.textBytesMax = 1 << 20
        limits.depthMax = 1_000
        return limits
    }()

    private static func testWriting(_ filter: ODataNode, _ dialect: ODataDialect) {
        // What has no words in this version, or names that only we would read.
        guard let text = try? ODataWriter.text(of: filter, for: dialect) else { return }
        guard
            let again = try? ODataParser.filter(text, dialect: dialect, limits: writtenLimits)
        else { preconditionFailure("What is written can be read.") }
        let rewritten = try? ODataWriter.text(of: again, for: dialect)
        precondition(rewritten == text, "What was written is written again the same way.")
        for item in FuzzItem.samples {
            guard
                let before = try? ODataEvaluator.isTrue(filter, for: item, limits: limits),
                let after = try? ODataEvaluator.isTrue(again, for: item, limits: limits)
            else { continue }
            precondition(before == after, "What is written means what it did.")
        }
    }

    private static func test(_ filter: ODataNode, _ item: FuzzItem) {
        let isTrue = try? ODataEvaluator.isTrue(filter, for: item, limits: limits)
        for path in FuzzItem.paths {
            guard let ranges = filter.keyRanges(on: path) else { continue }
            for (range, next) in zip(ranges, ranges.dropFirst()) {
                precondition(
                    range.upper.lexicographicallyPrecedes(next.lower), "Ranges are in order.")
            }
            let keys = ODataKey.keys(of: item, at: path)
            precondition(
                keys.allSatisfy { $0.count <= ODataKey.bytesMax }, "A key is not longer.")
            let isFound = keys.contains { key in ranges.contains { $0.contains(key) } }
            precondition(isTrue != true || isFound, "The index finds what the filter takes.")
        }
        guard isTrue == true else { return }
        let span = filter.updatedAtSpan
        precondition((span.lower ?? item.updatedAt) <= item.updatedAt, "The span holds the item.")
        precondition((span.upper ?? item.updatedAt) >= item.updatedAt, "The span holds the item.")
        if let ids = filter.candidateIds {
            precondition(
                ids.contains { ODataOrder.bytes($0, item.id) == 0 }, "The ids hold the item's.")
        }
    }

    private static func test(_ order: [ODataSortKey]) {
        for key in order {
            let values = FuzzItem.samples.compactMap { item in
                var evaluator = ODataEvaluator(subject: item, limits: limits)
                return try? evaluator.value(of: key.expression)
            }
            for left in values {
                for right in values {
                    let relation = ODataOrder.sortRelation(left, right)
                    precondition(
                        relation.signum() == -ODataOrder.sortRelation(right, left).signum(),
                        "An order is the same from both sides.")
                }
            }
        }
    }

    private static func height(of expression: ODataNode) -> Int {
        1 + (expression.children.map(height).max() ?? 0)
    }
}
