public import Foundation
import SettleDocuments

extension ExportHeader {
    /// The fault of a file that does not begin as an export does.
    static let missing = ExportFault(
        "It does not begin with the first line of an export of a Settle database. Documents as "
            + "plain JSON are not imported this way; save them instead.")

    /// True when the first line of a file is not the header of an export.
    static func isMissing(in line: [UInt8]) -> Bool {
        guard
            case .object(let members)? = try? JSONText.value(
                from: line, limits: JSONLimits(depthMax: 2, sizeMax: lengthMax))
        else { return true }
        return members[formatMember] == nil
    }

    /// The longest first line that is looked at.
    static let lengthMax = 4_096
}

extension Database {
    /// Tells whether a file that begins so is an export of a database.
    ///
    /// - Parameter beginning: The first 4,096 bytes, or all when there are fewer.
    /// - Returns: True for what ``exportDocuments(to:attachments:progress:)`` writes, in this
    ///   release or another.
    public static func isExport(_ beginning: Data) -> Bool {
        let line = beginning.prefix(ExportHeader.lengthMax)
            .prefix { $0 != UInt8(ascii: "\n") }
        return !ExportHeader.isMissing(in: [UInt8](line))
    }
}
