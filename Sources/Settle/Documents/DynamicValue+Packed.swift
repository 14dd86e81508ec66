import Foundation
import SettleDocuments

extension DynamicValue {
    /// The untyped form of a packed value, with no JSON value in between.
    ///
    /// - Parameters:
    ///   - bytes: What it lies in.
    ///   - range: Where it lies; it fills the range.
    ///   - dates: Tells which strings are dates.
    /// - Returns: What ``any(_:dates:)`` gives for the value.
    /// - Throws: `PackedError` when something is damaged, or nested deeper than anything that is stored.
    static func any(
        packed bytes: Span<UInt8>, in range: Range<Int>, dates: any DocumentDateFormatter
    ) throws(PackedError) -> Any {
        try any(in: range, of: bytes, depth: 0, dates).value
    }

    /// The value at the beginning of a range, and where it ends.
    private static func any(
        in range: Range<Int>, of bytes: Span<UInt8>, depth: Int,
        _ dates: any DocumentDateFormatter
    ) throws(PackedError) -> (value: Any, end: Int) {
        // Nobody has looked at the bytes before: damage must not end the process.
        guard depth <= PackedForm.depthMax else {
            throw PackedError(.tooDeep, at: range.lowerBound)
        }
        let (content, end) = try PackedForm.content(of: bytes, in: range)
        switch content {
        case .null: return (NSNull(), end)
        case .bool(let flag): return (flag, end)
        case .integer(let number): return (Int(number), end)
        case .double(let number): return (number, end)
        case .string(let range):
            let text = try self.text(of: bytes, in: range)
            return (dates.date(from: text) ?? text, end)
        case .array(let area):
            var elements: [Any] = []
            var next = area.lowerBound
            while next < area.upperBound {
                let element = try any(
                    in: next..<area.upperBound, of: bytes, depth: depth + 1, dates)
                elements.append(element.value)
                next = element.end
            }
            return (elements, end)
        case .object(let members):
            var dictionary = [String: Any](minimumCapacity: members.count)
            for index in 0..<members.count {
                let (name, place) = try members.member(index, in: bytes)
                dictionary[try text(of: bytes, in: name)] =
                    try any(in: place, of: bytes, depth: depth + 1, dates).value
            }
            return (dictionary, end)
        }
    }

    private static func text(
        of bytes: Span<UInt8>, in range: Range<Int>
    ) throws(PackedError) -> String {
        guard let text = String(validating: bytes, in: range) else {
            throw PackedError(.invalidUTF8, at: range.lowerBound)
        }
        return text
    }
}
