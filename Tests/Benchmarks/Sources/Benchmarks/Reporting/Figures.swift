import Foundation

/// Numbers as people read them.
enum Figures {
    /// Three digits that count, as 0.482, 12.3, 1,234.
    static func short(_ number: Double) -> String {
        let magnitude = number.magnitude
        if magnitude >= 100 { return grouped(Int(number.rounded())) }
        let digits = magnitude >= 10 ? 1 : magnitude >= 1 ? 2 : 3
        return String(format: "%.\(digits)f", number)
    }

    private static func grouped(_ number: Int) -> String {
        let digits = String(number.magnitude)
        var text = ""
        for (place, digit) in digits.enumerated() {
            if place > 0, (digits.count - place).isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return (number < 0 ? "-" : "") + text
    }
}
