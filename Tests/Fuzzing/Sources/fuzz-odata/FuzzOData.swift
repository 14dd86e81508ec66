import CFuzzer
import SettleDocuments
import SettleOData

/// A text goes in as a filter, an order and a selection of both dialects; whatever it is, it is read
/// or refused within its limits, and what a filter says of an item agrees with what it says of
/// indexes.
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
