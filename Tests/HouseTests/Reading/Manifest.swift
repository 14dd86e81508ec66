import Foundation

/// What `Package.swift` declares, read as text.
struct Manifest {
    /// What a target declares that it depends on.
    struct Dependencies: Equatable {
        /// Targets of this package.
        var targets: Set<String> = []
        /// Products of other packages.
        var products: Set<String> = []

        /// Both together: every module the target may import.
        var names: Set<String> { targets.union(products) }
    }

    /// The dependencies of each target, by its name.
    private(set) var targets: [String: Dependencies] = [:]
    /// The names of the test targets.
    private(set) var testTargets: Set<String> = []

    /// The conditions of each product of another package, as they are written; "" for none.
    private(set) var conditions: [String: Set<String>] = [:]

    private static let kinds = ["target", "executableTarget", "testTarget", "systemLibrary"]

    /// Reads the text of a `Package.swift`.
    init(text: String) {
        let code = SwiftBlanking.codeAndLiterals(of: text)
        for kind in Self.kinds {
            for call in Self.calls(of: ".\(kind)", in: code) {
                guard let name = Self.literals(in: Self.argument("name", of: call) ?? "").first
                else { continue }
                targets[name] = Self.dependencies(of: call)
                for product in Self.calls(of: ".product", in: String(call)) {
                    let name = Self.literals(in: Self.argument("name", of: product) ?? "").first
                    let condition = Self.argument("condition", of: product) ?? ""
                    conditions[name ?? "", default: []].insert(
                        condition.trimmingCharacters(in: .whitespacesAndNewlines))
                }
                if kind == "testTarget" { testTargets.insert(name) }
            }
        }
    }

    /// Every target and product that a target reaches, over any number of steps.
    ///
    /// Products are named but not entered: what they need themselves is not in this file.
    func reach(of target: String) -> Dependencies {
        var reached = Dependencies()
        var waiting = [target]
        while let next = waiting.popLast() {
            let declared = targets[next] ?? Dependencies()
            reached.products.formUnion(declared.products)
            waiting.append(contentsOf: declared.targets.subtracting(reached.targets))
            reached.targets.formUnion(declared.targets)
        }
        return reached
    }

    private static func dependencies(of call: Substring) -> Dependencies {
        guard var text = argument("dependencies", of: call) else { return Dependencies() }
        var found = Dependencies()
        for product in calls(of: ".product", in: String(text)) {
            if let name = literals(in: argument("name", of: product) ?? "").first {
                found.products.insert(name)
            }
            text = text.replacingOccurrences(of: ".product(\(product))", with: "")[...]
        }
        found.targets = Set(literals(in: text))
        return found
    }

    /// What stands in the brackets of every call of a function.
    private static func calls(of name: String, in code: String) -> [Substring] {
        var calls: [Substring] = []
        var rest = code[...]
        while let start = rest.range(of: name + "(") {
            let inside = rest[start.upperBound...]
            let end = self.end(of: inside, at: ")")
            calls.append(inside[..<end])
            rest = inside[end...]
        }
        return calls
    }

    /// The text of a labelled argument, brackets and all.
    private static func argument(_ label: String, of call: Substring) -> Substring? {
        guard let start = call.range(of: label + ":") else { return nil }
        let rest = call[start.upperBound...]
        return rest[..<end(of: rest, at: ",")]
    }

    /// The first place of `mark` outside brackets and literals, or the end.
    private static func end(of text: Substring, at mark: Character) -> Substring.Index {
        var depth = 0
        var isLiteral = false
        for index in text.indices {
            let character = text[index]
            if character == "\"" { isLiteral.toggle() }
            if isLiteral { continue }
            if depth == 0, character == mark { return index }
            if character == "(" || character == "[" { depth += 1 }
            if character == ")" || character == "]" { depth -= 1 }
        }
        return text.endIndex
    }

    private static func literals(in text: Substring) -> [String] {
        text.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }
}
