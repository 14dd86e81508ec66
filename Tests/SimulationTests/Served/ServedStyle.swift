import SettleREST
import TestSupport

/// How the servers of a simulation are set up, and what befalls them.
struct ServedStyle: Sendable, CustomStringConvertible {
    /// How many servers share the tables.
    var serverCount: Int
    /// The most rows in a page.
    var topMax: Int
    /// The rows of a page where the client does not say; nil for what the protocol has.
    var pageSizeDefault: Int?
    /// Whether the servers' clocks are set forth and back.
    var clocksSwing: Bool
    /// How far time goes on from one request to the next at most, in ticks.
    var stepMax: Int
    /// Whether a server is stopped by cancelling its task, and not by asking it to stop.
    var stopsByCancelling: Bool
    /// By the bits of device numbers, whether the device speaks version 3 when it is told.
    private var version3: UInt64

    /// A style by chance.
    init(_ random: inout SeededGenerator, serverCountMax: Int) {
        serverCount = Int.random(in: 1...serverCountMax, using: &random)
        topMax =
            Int.random(in: 0..<3, using: &random) == 0
            ? Int.random(in: 1...6, using: &random) : 1_000
        pageSizeDefault =
            Int.random(in: 0..<3, using: &random) == 0
            ? Int.random(in: 1...min(topMax, 5), using: &random) : nil
        clocksSwing = Int.random(in: 0..<4, using: &random) != 0
        // Nothing, some writes in one microsecond, one in some milliseconds.
        stepMax = [0, 4, 20_000].randomElement(using: &random) ?? 0
        stopsByCancelling = Bool.random(using: &random)
        version3 = random.next() | random.next()
    }

    /// What a device speaks when it is told what to speak.
    func dialect(ofDevice index: Int) -> AzureTablesBackend.Dialect {
        version3 >> UInt64(index) & 1 == 1 ? .v3 : .v2
    }

    var description: String {
        let dialects = (0..<4).map { dialect(ofDevice: $0).description }.joined(separator: " ")
        return "\(serverCount) servers, pages of \(topMax)"
            + (pageSizeDefault.map { ", \($0) unless asked for" } ?? "")
            + (clocksSwing ? ", clocks swing" : "") + ", time steps up to \(stepMax) ticks"
            + (stopsByCancelling ? ", stopped by cancelling" : "") + ", told \(dialects)"
    }
}
