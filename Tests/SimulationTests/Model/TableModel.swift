import Foundation
import HTTPTypes
import Settle
import SettleREST
import Synchronization
import TestSupport

/// A table server in memory that behaves as one of the world's.
///
/// Each request is carried out at once, in the order in which they come.
final class TableModel: Sendable {
    struct Row {
        var columns: [String: JSONValue]
        var version: Int
        var isDeleted = false
        var time: TableTime
    }

    struct State {
        var rows: [String: Row] = [:]
        var columnNames: Set<String> = []
        /// Rows that the devices cannot see.
        var hiddenIds: Set<String> = []
        /// Rows of which the next look-up leaves something out.
        var strippedIds: Set<String> = []
        /// What answers have left out of rows since they were written, by their identifiers.
        var leftOut: [String: Set<String>] = [:]
        /// By how many milliseconds the server's clock is off.
        var clockOffset = 0
        /// For a clock that goes up and then down: whether it goes down by now.
        var isClockFalling = false
        var lastVersion = 0
        /// For a table whose times follow its commits.
        var lastTime = TableTime(ticks: 0)
        var random: SeededGenerator
        var refusalCount = 0
        var editCount = 0
        var isCalm = false
    }

    let style: TableStyle
    let time: SimulatedTime
    let journal: Journal
    let ledger: Ledger
    let state: Mutex<State>

    init(
        style: TableStyle, seed: UInt64, time: SimulatedTime, journal: Journal, ledger: Ledger
    ) {
        self.style = style
        self.time = time
        self.journal = journal
        self.ledger = ledger
        state = Mutex(State(random: SeededGenerator(seed: seed)))
    }

    /// A date as headers write it.
    private static func field(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: date)
    }

    // MARK: What a test looks at

    /// The rows' columns; nulls are left out of the live ones.
    func contents() -> TableContents {
        state.withLock { state in
            let live = state.rows.filter { !$0.value.isDeleted }
                .mapValues { $0.columns.filter { !$0.value.isNull } }
            let isWrong = Set(live.keys.filter(WrongRows.ids.contains))
            return TableContents(
                live: live.filter { !isWrong.contains($0.key) },
                wrong: live.filter { isWrong.contains($0.key) },
                deleted: state.rows.filter(\.value.isDeleted).mapValues(\.columns))
        }
    }

    // MARK: What befalls a server

    /// From now on nothing befalls the server.
    func calmDown() {
        state.withLock { state in
            state.isCalm = true
            state.refusalCount = 0
            for id in state.hiddenIds.sorted() { reveal(id, &state) }
            for (id, row) in state.rows where row.columns[WrongRows.column] != nil {
                journal.note("'\(id)' is right again")
                var columns = row.columns
                columns[WrongRows.column] = nil
                store(id, columns, isDeleted: row.isDeleted, &state)
            }
        }
    }

    /// The server goes down: the next requests are refused.
    func restart() {
        state.withLock { $0.refusalCount = Int.random(in: 1...3, using: &$0.random) }
    }

    /// The server's clock is set, as its style says.
    func moveClock(_ draw: UInt64) {
        state.withLock { state in
            let before = state.clockOffset
            switch style.clock {
            case .steady: return
            case .swings: state.clockOffset = Int(draw % 5_000)
            case .upThenDown:
                // Down and up again between two pulls is what nobody could find out.
                if before > 0, draw % 3 != 0 { state.isClockFalling = true }
                let step = Int(draw / 8 % 3_600_000)
                state.clockOffset += state.isClockFalling ? -step : step
            }
            journal.note("the server's clock moves by \(state.clockOffset - before) ms")
        }
    }

    /// Somebody changes a row by other means than a client's.
    func edit(_ id: String, _ draw: UInt64) {
        state.withLock { state in
            if style.hidesRows, draw / 32 % 4 == 0, hideOrReveal(id, &state) { return }
            let row = state.rows[id]
            let (isThere, columns) = (row.map { !$0.isDeleted } ?? false, row?.columns ?? [:])
            if isThere, draw % 5 == 0 {
                ledger.gaveUp(Ledger.marks(in: columns), of: id)
                if style.deletesHard, draw % 2 == 0 {
                    journal.note("server removes '\(id)' for good")
                    state.rows[id] = nil
                    state.hiddenIds.remove(id)
                    return
                }
                journal.note("server deletes '\(id)'")
                return store(id, columns, isDeleted: true, &state)
            }
            if style.hasWrongRows, draw / 2_048 % 4 == 0 { return spoil(id, draw / 8_192, &state) }
            state.editCount += 1
            let mark = Ledger.mark("server", state.editCount)
            var new = isThere ? columns : [:]
            if draw / 512 % 3 == 0 { new["large"] = .double(1e20) }
            if draw / 512 % 3 == 1 { new["large"] = [.double(9_223_372_036_854_775_808), 1] }
            if draw / 512 % 3 < 2 { ledger.gave("large", to: id) }
            new[mark] = true
            new["last"] = .string(mark)
            if draw % 3 == 0 || !isThere { new["channels"] = SimulatedChannels.some(draw / 16) }
            ledger.wrote(mark, in: id, by: "the server")
            store(id, new, isDeleted: false, &state)
            journal.note("server writes \(mark) to '\(id)', channels \(new["channels"] ?? .null)")
        }
    }

    /// A row comes, goes, or changes so that it cannot be a document; or is right again.
    private func spoil(_ id: String, _ draw: UInt64, _ state: inout State) {
        let isStrange = draw % 2 == 0
        let id = isStrange ? WrongRows.ids[Int(draw / 2 % UInt64(WrongRows.ids.count))] : id
        let row = state.rows[id]
        guard isStrange || row.map({ !$0.isDeleted }) ?? false else { return }
        var columns = row?.columns ?? ["channels": SimulatedChannels.some(draw / 16)]
        var isDeleted = false
        if isStrange {
            isDeleted = row.map { !$0.isDeleted } ?? false
        } else {
            let isWrong = columns[WrongRows.column] != nil
            columns[WrongRows.column] = isWrong ? nil : WrongRows.value(draw / 16)
            ledger.gave(WrongRows.column, to: id)
        }
        journal.note("server spoils '\(id.prefix(9))': \(columns), deleted \(isDeleted)")
        store(id, columns, isDeleted: isDeleted, &state)
    }

    // MARK: Requests

    /// Whether the server is down at the moment; each question is a refused request.
    func refuses(_ request: HTTPRequest, _ body: [UInt8]?) -> Bool {
        state.withLock { state in
            guard state.refusalCount > 0 else { return false }
            state.refusalCount -= 1
            return true
        }
    }

    /// Carries out a request.
    func handle(_ request: HTTPRequest, _ body: [UInt8]?) -> FullHTTPResponse {
        state.withLock { answer(request, body, &$0) }
    }

    private func answer(
        _ request: HTTPRequest, _ body: [UInt8]?, _ state: inout State
    ) -> FullHTTPResponse {
        var answer = self.answer(to: request, body, &state)
        if style.tellsTime {
            answer.head.headerFields[.date] = Self.field(
                time.date(offBy: state.clockOffset))
        }
        announce(in: &answer)
        return answer
    }

    private func answer(
        to request: HTTPRequest, _ body: [UInt8]?, _ state: inout State
    ) -> FullHTTPResponse {
        if let refusal = versionRefusal(of: request) { return refusal }
        time.pass(ticks: Int.random(in: 0...style.stepMax, using: &state.random))
        let parts = (request.path ?? "").split(separator: "?", maxSplits: 1)
        let segments = parts[0].split(separator: "/").map {
            String($0).removingPercentEncoding ?? ""
        }
        var query: [String: String] = [:]
        for pair in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1).map {
                String($0).removingPercentEncoding ?? ""
            }
            query[sides[0]] = sides.count > 1 ? sides[1] : ""
        }
        if style.batches != .none, segments.dropFirst(2) == ["operations", "batch"] {
            return batch(body, &state)
        }
        guard segments.count == 2 || segments.count == 3, segments[0] == "tables" else {
            return json(404, ["error": "There is no such path."])
        }
        let sent = body.flatMap { try? JSONText.value(from: $0).objectValue }
        let id = segments.count == 3 ? segments[2] : nil
        switch (request.method, id) {
        case (.get, nil): return strippingLookUp(list(query, state), query, &state)
        case (.get, let id?): return show(id, state)
        case (.post, nil): return stripping(insert(sent ?? [:], &state), &state)
        case (_, let id?):
            return stripping(change(id, request, sent, query, &state), &state)
        default: return json(405, ["error": "There is no such method."])
        }
    }

    /// Stores a row as it is to be from now on.
    func store(
        _ id: String, _ columns: [String: JSONValue], isDeleted: Bool, _ state: inout State
    ) {
        state.lastVersion += 1
        state.leftOut[id] = nil
        state.columnNames.formUnion(columns.keys)
        // A row may have got its time when its transaction began.
        let lateness =
            state.isCalm
            ? 0 : Int.random(in: 0...style.latenessMax, using: &state.random)
        var time = TableTime(
            ticks: self.time.now.ticks
                + (state.clockOffset - lateness) * TableTime.ticksPerMillisecond)
        if style.timesFollowCommits {
            let next = state.lastTime.ticks + TableTime.ticksPerMillisecond
            time = TableTime(ticks: max(time.ticks, next))
            state.lastTime = style.kept(time)
        }
        state.rows[id] = Row(
            columns: columns, version: state.lastVersion, isDeleted: isDeleted,
            time: style.kept(time))
    }
}
