import TestSupport

/// How a model table behaves, where the servers of the world differ.
struct TableStyle: Sendable, CustomStringConvertible {
    /// Whose server it is like.
    enum Kind: String, CaseIterable {
        /// Azure Mobile Services.
        case mobileServices
        /// Azure Mobile Apps for node, protocol 2.0.0.
        case node
        /// Azure Mobile Apps for .NET, protocol 2.0.0.
        case dotNet
        /// Azure Mobile Apps 6: whole items by PUT, undeletion by PATCH.
        case mobileApps6
        /// The Community Toolkit's Datasync: PUT only.
        case toolkit

        /// Whether it speaks OData 4 and answers with `items`.
        var isDatasync: Bool { self == .mobileApps6 || self == .toolkit }
        /// What the columns of the server's own begin with.
        var columnPrefix: String { self == .mobileServices ? "__" : "" }
    }

    /// What the server's clock does beside going on.
    enum Clock: String, CaseIterable {
        case steady
        /// It goes a little forth and back, all within what a pull reads again.
        case swings
        /// It is put forward again and again, and back again and again from then on.
        case upThenDown
    }

    /// Whether several operations may come in one request, as with `settle serve`.
    enum Batches: String, CaseIterable {
        case none
        case offered
        /// They are announced, and now and then not known, too large, or answered with nonsense.
        case comeAndGo
    }

    var kind: Kind
    var clock: Clock
    var batches: Batches
    /// Whether times follow commits whatever the clock does, and answers say so.
    var timesFollowCommits: Bool
    /// The digits after the point of a second that are kept; three are shown.
    var digitsKept: Int
    /// The most rows in a page, whatever is asked for.
    var pageSizeMax: Int
    /// How far time goes on from one request to the next at most, in ticks.
    var stepMax: Int
    /// How long before its commit a row may get its time, in milliseconds.
    var latenessMax: Int
    /// Whether answers say what time it is.
    var tellsTime: Bool
    /// Whether texts are ordered without minding their case, as SQL Server does.
    var ignoresCase: Bool
    /// Whether every item is shown with every column that the table has.
    var showsAllColumns: Bool
    /// Whether answers to writes, and now and then a look-up after one, leave out members that are
    /// stored.
    var stripsAnswers: Bool
    /// Whether rows become invisible now and then, as another user's are: they cannot be read, written
    /// to, or inserted.
    var hidesRows: Bool
    /// Whether rows are removed for good now and then, which only a listing shows.
    var deletesHard: Bool
    /// What a version begins with.
    var versionPrefix: String
    /// Whether it has nothing but doubles, and writes large ones as whole numbers.
    var hasDoublesOnly: Bool
    /// Whether it writes whole numbers with all their digits, where others write zeros.
    var writesAllDigits: Bool
    /// Whether rows come and go that cannot be documents.
    var hasWrongRows: Bool
    /// The most rows it may be asked for at a time, beyond which it answers 400; nil for any number.
    var topMax: Int?

    /// A style by chance.
    init(_ random: inout SeededGenerator) {
        kind = Kind.allCases.randomElement(using: &random) ?? .node
        clock = Clock.allCases.randomElement(using: &random) ?? .steady
        let isFiner = kind != .node && Bool.random(using: &random)
        digitsKept = isFiner ? 7 : 3
        pageSizeMax = Int.random(in: 0..<3, using: &random) == 0 ? 3 : 1_000
        // Coarse: several rows of one time. Fine: several rows of one millisecond.
        stepMax = isFiner ? 4_000 : [0, 10_000, 20_000].randomElement(using: &random) ?? 0
        latenessMax = Bool.random(using: &random) ? 3_000 : 0
        tellsTime = Int.random(in: 0..<5, using: &random) != 0
        if !tellsTime {
            // Then nobody can know how much has to be read again.
            (latenessMax, clock) = (0, .steady)
        }
        ignoresCase = Int.random(in: 0..<4, using: &random) == 0
        showsAllColumns = Int.random(in: 0..<3, using: &random) == 0
        stripsAnswers = Int.random(in: 0..<3, using: &random) == 0
        hidesRows = Int.random(in: 0..<4, using: &random) == 0
        deletesHard = Int.random(in: 0..<4, using: &random) == 0
        versionPrefix = Bool.random(using: &random) ? "AA\"" : "v"
        let batches = Batches.allCases.randomElement(using: &random) ?? .none
        self.batches = kind == .mobileServices ? .none : batches
        timesFollowCommits = self.batches != .none && Bool.random(using: &random)
        if timesFollowCommits {
            (digitsKept, latenessMax, ignoresCase) = (3, 0, false)
            // As `settle serve`, which shows items as they were sent.
            (showsAllColumns, stripsAnswers) = (false, false)
        }
        let keepsDoubles = Int.random(in: 0..<3, using: &random) == 0
        hasDoublesOnly = keepsDoubles && !timesFollowCommits
        writesAllDigits = Bool.random(using: &random)
        hasWrongRows = Int.random(in: 0..<3, using: &random) == 0
        let refusesSizes = Int.random(in: 0..<4, using: &random) == 0
        topMax = refusesSizes ? Int.random(in: 1...4, using: &random) : nil
    }

    var description: String {
        "\(kind.rawValue), \(digitsKept) digits, clock \(clock.rawValue), time steps up to "
            + "\(stepMax) ticks, lateness \(latenessMax) ms, pages of \(pageSizeMax)"
            + (tellsTime ? "" : ", no Date") + (ignoresCase ? ", ignores case" : "")
            + (batches == .none ? "" : ", batches \(batches.rawValue)")
            + (timesFollowCommits ? ", times follow commits" : "")
            + (showsAllColumns ? ", all columns" : "")
            + (stripsAnswers ? ", strips answers" : "") + (hidesRows ? ", hides rows" : "")
            + (deletesHard ? ", hard deletion" : "")
            + (hasDoublesOnly ? ", doubles only" : "") + (hasWrongRows ? ", wrong rows" : "")
            + (topMax.map { ", $top up to \($0)" } ?? "")
    }

    /// Rounds a time to what is kept.
    func kept(_ time: TableTime) -> TableTime {
        let unit = digitsKept == 7 ? 1 : TableTime.ticksPerMillisecond
        return TableTime(ticks: time.ticks / unit * unit)
    }

    /// How a time is shown.
    func shown(_ time: TableTime) -> String {
        time.text(digits: 3, trimmed: kind == .dotNet)
    }

    /// What texts are ordered by.
    func sortKey(_ text: String) -> [UInt8] {
        Array((ignoresCase ? text.lowercased() : text).utf8)
    }
}
