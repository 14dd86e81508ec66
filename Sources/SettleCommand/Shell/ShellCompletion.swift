import ArgumentParser
import Foundation
import Settle

/// What Tab makes of a line of the shell: commands, options, identifiers, members, names of indexes, files.
///
/// Opens the database for each question, for reading, and reads at most 200 documents; what cannot be read completes
/// nothing.
struct ShellCompletion: Sendable {
    /// The database.
    let path: DatabasePath

    /// So many words are listed at most.
    static let listCountMax = 100
    private static let sampleCountMax = 200

    private static let optionsOfMembers: Set<String> = ["key", "value", "id-member"]
    private static let optionsOfIdentifiers: Set<String> = ["after", "start-id", "end-id"]
    private static let commandsOfIdentifiers: Set<String> = ["get", "edit", "delete"]
    private static let commandsOfFiles: Set<String> = ["put", "import", "export", "backup"]

    /// What becomes of the text before the cursor.
    func completion(of text: String) async -> LineCompletion {
        let line = ShellWords(text)
        var words = line.words
        let begun = line.endsInWord ? words.popLast() : nil
        guard line.open == .nothing, begun?.isPlain ?? true else { return .none }
        let beginning = begun?.text ?? ""
        let found = await candidates(after: words.map(\.text), beginning: beginning)
        let fitting = Set(found).filter { $0.hasPrefix(beginning) }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return Self.completion(of: beginning, by: fitting)
    }

    /// What becomes of a word that may become each of several.
    static func completion(of beginning: String, by words: [String]) -> LineCompletion {
        guard let first = words.first else { return .none }
        let count = beginning.unicodeScalars.count
        if words.count == 1 {
            // A folder may go on.
            let end = first.hasSuffix("/") ? "" : " "
            return .replacement(count: count, text: ShellWords.quoted(first) + end)
        }
        let common = words.dropFirst().reduce(first) { $0.commonPrefix(with: $1) }
        if common.count > beginning.count, common == ShellWords.quoted(common) {
            return .replacement(count: count, text: common)
        }
        guard words.count > listCountMax else { return .list(words) }
        return .list(words.prefix(listCountMax) + ["… and more"])
    }

    private func candidates(after words: [String], beginning: String) async -> [String] {
        guard let first = words.first else {
            return ShellGrammar.names + ShellGrammar.endings + ["help"]
        }
        if first == "help" { return subcommands(after: Array(words.dropFirst())) }
        let (command, count) = ShellGrammar.command(of: words)
        if let last = words.last, last.hasPrefix("--"), words.count > count {
            let option = String(last.dropFirst(2))
            let options = Misspelling.options(of: command)
            if options.valued.contains(option) {
                return await values(of: option, among: options, beginning: beginning)
            }
        }
        if beginning.hasPrefix("-") {
            return Misspelling.options(of: command).all.map { "--" + $0 }
        }
        let below = words.count == count ? subcommands(after: words) : []
        switch (first, ShellGrammar.name(of: command)) {
        case ("indexes", "remove"), ("indexes", "errors"): return await indexes()
        case ("entities", "show"): return await identifiers(beginning: beginning)
        case (_, let name) where Self.commandsOfIdentifiers.contains(name):
            return await identifiers(beginning: beginning)
        case (_, let name) where Self.commandsOfFiles.contains(name):
            return Self.files(beginning: beginning)
        default: return below
        }
    }

    private func subcommands(after words: [String]) -> [String] {
        let (command, count) = ShellGrammar.command(of: words)
        guard count == words.count else { return [] }
        return command.configuration.subcommands.map(ShellGrammar.name(of:))
    }

    private func values(
        of option: String, among options: Misspelling.Options, beginning: String
    ) async -> [String] {
        if option == "index" { return await indexes() }
        if Self.optionsOfMembers.contains(option) { return await members() }
        if Self.optionsOfIdentifiers.contains(option) {
            return await identifiers(beginning: beginning)
        }
        return options.values[option] ?? []
    }

    private func identifiers(beginning: String) async -> [String] {
        let listing = DocumentListing(
            prefix: beginning.isEmpty ? nil : beginning, after: nil, limit: Self.listCountMax + 1)
        return await read { database in
            var ids: [String] = []
            try listing.forEachPage(of: database) { ids += $0.map(\.id) }
            return ids
        }
    }

    private func indexes() async -> [String] {
        await read { try $0.indexStatuses().map(\.name) }
    }

    /// The members of the first documents.
    private func members() async -> [String] {
        await read { database in
            var names: Set<String> = []
            var count = 0
            try database.read { snapshot in
                try snapshot.forEachDocument { document in
                    names.formUnion(document.json.keys)
                    count += 1
                    return count < Self.sampleCountMax
                }
            }
            return Array(names)
        }
    }

    private func read(_ body: (Database) throws -> [String]) async -> [String] {
        (try? await path.withDatabase(isReadOnly: true) { try body($0) }) ?? []
    }

    private static func files(beginning: String) -> [String] {
        let folder = beginning.lastIndex(of: "/").map { String(beginning[...$0]) } ?? ""
        let names =
            (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder))
            ?? []
        let isHiddenMeant = beginning.dropFirst(folder.count).hasPrefix(".")
        return names.filter { isHiddenMeant || !$0.hasPrefix(".") }.map { name in
            let url = URL(fileURLWithPath: folder + name)
            let isFolder = (try? url.resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory
            return folder + name + (isFolder == true ? "/" : "")
        }
    }
}
