import Foundation

/// What a page, or the documentation of a symbol, shows of Swift is run: every line stands in a test, too.
enum CodeBlockRule {
    /// The types that a user meets first, each of which shows how it is used.
    static let firstTypes = [
        "Settle": [
            "ChangeFeed", "Database", "DatabaseError", "Document", "DocumentAttachment",
            "DocumentModel", "DocumentView", "Index", "IndexDeclaration", "IndexFilter", "Live",
            "MemberName", "ModelFilter", "OpenDatabaseConfiguration", "QueryByKeyList",
            "QueryByKeyRange", "QueryChanges", "QueryObserver", "QueryResultEnumerator",
            "QueryResultRow", "QueryResults", "Snapshot", "Stored", "Transaction", "TypedReduce",
        ],
        "SettleCosmos": ["Client", "CosmosBackend", "DocumentCollection", "Query"],
        "SettleDocuments": ["JSONValue"],
        "SettleEntities": ["Datastore", "EntityReference", "EntityView", "PropertyKey"],
        "SettleHosting": ["ReplicationService"],
        "SettleInspector": ["Inspector"],
        "SettleOutbox": [
            "Outbox", "OutboxOperation", "OutboxTransaction", "PipelineConfiguration",
        ],
        "SettleREST": ["AzureTablesBackend", "ODataPredicate", "TableQuery"],
        "SettleServer": ["ServerConfiguration", "ServerStore", "TableServer"],
        "SettleSync": [
            "ConflictHandler", "Replication", "ReplicationConfiguration", "ReplicationScope",
        ],
    ]

    /// The types of a target that show no Swift.
    ///
    /// - Parameters:
    ///   - types: The types.
    ///   - files: The sources of the target.
    /// - Returns: A sentence for each.
    static func withoutExample(_ types: [String], in files: [PackageTree.TextFile]) -> [String] {
        var shown: Set<String> = []
        for file in files {
            var hasExample = false
            for line in file.text.split(separator: "\n") {
                let text = line.trimmingCharacters(in: .whitespaces)
                if text.hasPrefix("///") {
                    hasExample = hasExample || text == "/// ```swift"
                } else if !text.hasPrefix("//"), !text.hasPrefix("@") || text.contains(" class ") {
                    if hasExample, let type = declaredType(text) { shown.insert(type) }
                    hasExample = false
                }
            }
        }
        return types.filter { !shown.contains($0) }.map { "\($0) has no example." }
    }

    /// The public type that a line declares.
    private static func declaredType(_ line: String) -> String? {
        let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        guard words.contains("public") || words.contains("open"),
            let kind = words.firstIndex(where: {
                ["struct", "class", "enum", "protocol", "actor"].contains($0)
            }), words.indices.contains(kind + 1)
        else { return nil }
        return String(words[kind + 1])
    }

    /// The documentation in a source file, as a page: the other lines are empty.
    static func documentation(of file: PackageTree.TextFile) -> PackageTree.TextFile {
        let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let text = line.trimmingCharacters(in: .whitespaces)
            guard text.hasPrefix("///") else { return "" }
            return String(text.dropFirst(text.hasPrefix("/// ") ? 4 : 3))
        }
        return PackageTree.TextFile(path: file.path, text: lines.joined(separator: "\n"))
    }

    /// The lines of the Swift blocks of a page that no test has.
    ///
    /// - Parameters:
    ///   - page: The page.
    ///   - tests: The text of all tests, as ``condensed(_:)`` leaves it.
    ///   - known: Lines of it, which are found sooner than in the text.
    /// - Returns: A sentence for each line.
    static func violations(
        in page: PackageTree.TextFile, tests: String, lines known: Set<String> = []
    ) -> [String] {
        var isInside = false
        var found: [String] = []
        let lines = page.text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            if line.hasPrefix("```") {
                isInside = line == "```swift"
            } else if isInside {
                let code = condensed(line)
                // What only closes something is everywhere.
                if code.count >= 3, !known.contains(code), !tests.contains(code) {
                    found.append("\(page.path):\(index + 1): no test has this line.")
                }
            }
        }
        return found
    }

    /// Code without comments and white space.
    static func condensed(_ text: some StringProtocol) -> String {
        var result = ""
        for line in text.split(separator: "\n") {
            var code = Substring(line)
            // Not the slashes of an address.
            if let comment = line.range(of: #"(^|\s)//.*"#, options: .regularExpression) {
                code = Substring(line[..<comment.lowerBound])
            }
            result += code.filter { !$0.isWhitespace }
        }
        return result
    }
}
