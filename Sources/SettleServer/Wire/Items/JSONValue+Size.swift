import Settle
import SettleTableProtocol

extension JSONValue {
    /// About how many bytes the value takes as text, and in memory not many times more.
    ///
    /// - Complexity: All that is in it; as deep as it is, which the readers of JSON bound.
    var approximateSize: Int {
        switch self {
        case .null, .bool, .integer, .double: 8
        case .string(let text): 2 + text.utf8.count
        case .array(let elements): elements.reduce(2) { $0 + 1 + $1.approximateSize }
        case .object(let members):
            members.reduce(2) { $0 + 4 + $1.key.utf8.count + $1.value.approximateSize }
        }
    }
}

extension TableItem {
    /// About how many bytes the item takes as text.
    var approximateSize: Int {
        members.approximateSize + approximateFrameSize
    }

    /// What of ``approximateSize`` is not that of the members.
    var approximateFrameSize: Int {
        removals.times.isEmpty && attachments.isEmpty
            ? 200
            : removals.times.keys.reduce(200) { $0 + 24 + $1.utf8.count }
                + attachments.reduce(0) { $0 + $1.approximateSize }
    }

    /// What ``approximateSize`` is at most; of members from a store without looking into them.
    var approximateSizeMax: Int {
        approximateFrameSize + members.approximateSizeMax
    }

    /// The largest item that is stored, but for its attachments, in bytes of ``approximateSize``.
    static let bytesMax = 16 << 20
    /// The most channels of an item: whoever reads it has to look at them.
    static let channelCountMax = 1_000
    /// How much of items one answer holds before the rest is left to the next, in bytes.
    static let answerBytesMax = 32 << 20
}
