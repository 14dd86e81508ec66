import Foundation

/// Words that were given up for the field's own, and must not come back.
///
/// Only phrases and identifiers that mean nothing else: single words of everyday English are no matter
/// for a test.
enum PhraseRule {
    /// What is not said any more, and what is said instead.
    static let phrases: KeyValuePairs = [
        "far side": "remote, or server",
        "settle a conflict": "resolve a conflict",
        "settles conflicts": "resolves conflicts",
        "conflict is settled": "conflict is resolved",
        "nobody settles": "nobody resolves",
        "both sides last agreed": "base",
        "left our sight": "is out of scope",
        "leaves our sight": "leaves the scope",
        "wants to be left alone": "throttles, or limits the rate",
        "remote outbox": "push queue",
        "built anew": "rebuilt",
        "work marks": "crash guard",
        "mark file": "crash guard file",
    ]

    /// Names of types and members that are not used any more, and what is called so now.
    static let identifiers: KeyValuePairs = [
        "BorderRule": "ChunkBoundaryRule",
        "CatchUpRounds": "CatchUpPasses",
        "CompanionRegistry": "ScopedObjectRegistry",
        "CondensableOperation": "CoalescableOperation",
        "CondensingRules": "CoalescingRules",
        "CrashedDocuments": "PoisonDocuments",
        "Departures": "ChannelRemovals",
        "EngineSeat": "EngineHolder",
        "HTTPAnswer": "FullHTTPResponse",
        "IndexAnswer": "IndexResult",
        "IndexBuilder": "IndexBuildSteps",
        "IndexMarks": "IndexCrashGuard",
        "IndexView": "IndexReader",
        "IndexWork": "IndexUpdate",
        "IndexWorks": "IndexJobs",
        "ItemOperation": "WriteRequest",
        "LeftMark": "CrashSuspect",
        "Mailbox": "LatestValueBuffer",
        "MarkFile": "CrashGuardFile",
        "MarkFolder": "CrashGuardFolder",
        "MarkLayout": "CrashGuardLayout",
        "ObservedAnswer": "ObservedResult",
        "OperationAnswer": "OperationResponse",
        "OutboxNotes": "PendingOutboxOperations",
        "OutboxSettlement": "OutboxFlush",
        "ParticipantNotes": "ParticipantLocalState",
        "Refusal": "Problem",
        "RemoteEntry": "PendingChange",
        "RemoteOutbox": "PushQueue",
        "RestStateMachine": "PollWaitStateMachine",
        "RoundRunner": "WakeUpLoop",
        "RunAppender": "TreeAppender",
        "RunReader": "LeafReader",
        "RunTable": "SummaryTree",
        "SegmentMerge": "SortedRunMerge",
        "SegmentTable": "SortedRunTable",
        "ServerState": "BaseItem",
        "SettledOperation": "PushResult",
        "TableCall": "TableRequest",
        "ViewDefinition": "IndexDefinition",
        "WorkMark": "CrashGuardSlot",
        "WorkMarks": "CrashGuard",
        "conflictsSettled": "conflictsResolved",
        "hasNotes": "hasLocalState",
        "isOutOfSight": "isOutOfScope",
        "notCondensable": "notCoalescable",
    ]

    /// Files that may use some of them, and which.
    static let exceptions: [String: Set<String>] = [:]

    /// The lines that have one of the phrases, also across the end of a line, or one of the identifiers.
    static func violations(
        in file: PackageTree.TextFile, exceptions: [String: Set<String>] = Self.exceptions
    ) -> [String] {
        let allowed = exceptions[file.path] ?? []
        let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false).map(plain)
        return lines.indices.flatMap { index in
            let next = index + 1 < lines.count ? " " + lines[index + 1] : ""
            let found =
                phrases.filter { has($0.key, lines[index], before: next) }
                + identifiers.filter {
                    lines[index].contains($0.key) && names($0.key, in: lines[index])
                }
            return found.filter { !allowed.contains($0.key) }.map { word, instead in
                "\(file.path):\(index + 1): '\(word)'. Say: \(instead)."
            }
        }
    }

    /// Whether a phrase begins in a line.
    private static func has(_ phrase: String, _ line: String, before next: String) -> Bool {
        let both = line + next
        guard let place = both.range(of: phrase, options: .caseInsensitive) else { return false }
        return place.lowerBound < both.index(both.startIndex, offsetBy: line.count)
    }

    /// Whether a line has an identifier, or one that begins with it (`RunTableTests`).
    private static func names(_ identifier: String, in line: String) -> Bool {
        var rest = line[...]
        while let place = rest.range(of: identifier) {
            let before = line[..<place.lowerBound].last
            let after = line[place.upperBound...].first
            if !(before?.isLetter ?? false), !(after?.isLowercase ?? false) { return true }
            rest = line[place.upperBound...]
        }
        return false
    }

    /// A line without the signs of a comment.
    private static func plain(_ line: Substring) -> String {
        String(line.drop { " \t/*".contains($0) })
    }
}
