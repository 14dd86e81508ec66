import ArgumentParser
import Foundation

/// An operation of the outbox on the command line: its identifier, or a beginning of it.
struct OperationArgument: Sendable, Hashable {
    /// The text as it was given.
    let text: String
    /// The hexadecimal digits, in upper case.
    private let digits: String

    private static let digitCountMin = 4

    /// Reads an identifier or the beginning of one; hyphens and case make no difference.
    ///
    /// - Throws: `ValidationError` when the text begins no identifier, or is too short to be meant.
    init(parsing text: String) throws {
        let digits = text.replacing("-", with: "").uppercased()
        guard (Self.digitCountMin...32).contains(digits.count),
            digits.allSatisfy({ $0.isASCII && $0.isHexDigit })
        else {
            throw ValidationError(
                "It is no operation. Give an identifier as 'settle outbox' lists it, or the "
                    + "first \(Self.digitCountMin) or more of its characters.")
        }
        self.text = text
        self.digits = digits
    }

    /// The identifier, when all of it was given.
    var id: UUID? {
        guard digits.count == 32 else { return nil }
        var text = digits[...]
        let parts = [8, 4, 4, 4, 12].map { count in
            defer { text = text.dropFirst(count) }
            return text.prefix(count)
        }
        return UUID(uuidString: parts.joined(separator: "-"))
    }

    /// Whether an identifier begins so.
    func begins(_ id: UUID) -> Bool {
        id.uuidString.replacing("-", with: "").hasPrefix(digits)
    }
}
