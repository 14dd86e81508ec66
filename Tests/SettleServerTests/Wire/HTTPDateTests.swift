import Foundation
import SettleOData
import TestSupport
import Testing

@testable import SettleServer

@Suite struct `Dates of headers` {
    @Test func `the date of the standard is written and read`() {
        #expect(HTTPDate.text(of: 784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.second(of: "Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
        #expect(HTTPDate.text(of: 0) == "Thu, 01 Jan 1970 00:00:00 GMT")
    }

    @Test func `any second comes back, and is what Foundation says`() {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        var generator = SeededGenerator()
        for _ in 0..<500 {
            let second = Int64.random(in: 0...253_402_300_799, using: &generator)
            let text = HTTPDate.text(of: second)
            #expect(HTTPDate.second(of: text) == second, "\(generator)")
            let wanted = formatter.string(from: Date(timeIntervalSince1970: Double(second)))
            #expect(text == wanted, "\(generator)")
        }
    }

    @Test(arguments: [
        "", "now", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "Mon, 06 Nov 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 31 Feb 1994 08:49:37 GMT", "Wed, 31 Dec 1969 23:59:59 GMT",
        "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 08:49:37.5 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT x",
    ])
    func `another form is no date`(text: String) {
        #expect(HTTPDate.second(of: text) == nil)
    }

    @Test func `the second of an instant is rounded down`() {
        #expect(Instant(microseconds: 1_999_999).second == 1)
        #expect(Instant(microseconds: -1).second == -1)
    }
}
