import Foundation

extension Date {
    /// Whole seconds since 1970, of a date that a header can say: from the year 1 to the year 9999.
    var secondsSince1970: Int64 {
        let seconds = timeIntervalSince1970.rounded(.down)
        guard !seconds.isNaN else { return 0 }
        return Int64(min(max(seconds, -62_135_596_800), 253_402_300_799))
    }
}
