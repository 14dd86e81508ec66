import Foundation

/// The lines of the child: each goes out whole, at once, in the order of what they tell.
package enum Report: Equatable, Sendable {
    /// The database is open.
    case opened
    /// A batch was written and its commit reported.
    case committed(lane: Int, number: Int)
    /// The index is about to be built in a version.
    case building(version: Int)
    /// So many documents have been mapped for an index.
    case mapped(count: Int)
    /// A map function has the document that it never returns from.
    case holding
    /// The memory is limited from now on.
    case limited
    /// The library threw one of its errors, with this code.
    case failed(code: String)
    /// Something threw what is no error of the library.
    case foreign(type: String)
    /// Everything asked for is written.
    case done

    /// The line, without its end.
    package var line: String {
        switch self {
        case .opened: "opened"
        case .committed(let lane, let number): "committed \(lane) \(number)"
        case .building(let version): "building \(version)"
        case .mapped(let count): "mapped \(count)"
        case .holding: "holding"
        case .limited: "limited"
        case .failed(let code): "failed \(code)"
        case .foreign(let type): "foreign \(type)"
        case .done: "done"
        }
    }

    /// Reads a line; nil when it is none of these.
    package init?(line: String) {
        let words = line.split(separator: " ").map(String.init)
        let numbers = words.dropFirst().compactMap { Int($0) }
        switch (words.first, words.count) {
        case ("opened", 1): self = .opened
        case ("committed", 3) where numbers.count == 2:
            self = .committed(lane: numbers[0], number: numbers[1])
        case ("building", 2) where numbers.count == 1: self = .building(version: numbers[0])
        case ("mapped", 2) where numbers.count == 1: self = .mapped(count: numbers[0])
        case ("holding", 1): self = .holding
        case ("limited", 1): self = .limited
        case ("failed", 2): self = .failed(code: words[1])
        case ("foreign", 2): self = .foreign(type: words[1])
        case ("done", 1): self = .done
        default: return nil
        }
    }

    /// Prints the line, past every buffer.
    func send() {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}
