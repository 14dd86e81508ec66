import Foundation
import SettlePrimitives
import Synchronization

extension Cosmos {
    /// What this process remembers of the resources that are kept: how large they are, when they were last used, and
    /// when the service last said that they are as they are kept.
    final class CacheUsage: Sendable {
        private struct Entry {
            var size: Int
            var tick: UInt64
        }

        private struct State {
            var entries: [String: Entry] = [:]
            var total = 0
            var tick: UInt64 = 0
            /// When resources were compared, by the hashes of their paths: there are many, and a path is long.
            var checked: [Int: Date] = [:]
            /// How many entries are below a document.
            var deepCount = 0
            /// Whether sizes are counted; they need not be where nothing is ever thrown out.
            var isCounting = false

            mutating func remove(_ path: String) {
                guard let entry = entries.removeValue(forKey: path) else { return }
                total -= entry.size
                if CacheUsage.isDeep(path) { deepCount -= 1 }
            }
        }

        private let state = Lock(State())
        private static let checkedCountMax = 20_000

        /// Begins to count.
        ///
        /// - Returns: False when it was begun before.
        func begin() -> Bool {
            state.withLock { state in
                defer { state.isCounting = true }
                return !state.isCounting
            }
        }

        /// Notes the size of a document that keeps a resource or bytes of one.
        func note(_ path: String, size: Int) {
            state.withLock { state in
                guard state.isCounting else { return }
                state.tick += 1
                let old = state.entries.updateValue(
                    Entry(size: size, tick: state.tick), forKey: path)
                state.total += size - (old?.size ?? 0)
                if old == nil, Self.isDeep(path) { state.deepCount += 1 }
            }
        }

        /// Notes that a resource was used.
        func touch(_ path: String) {
            state.withLock { state in
                guard state.isCounting else { return }
                state.tick += 1
                state.entries[path]?.tick = state.tick
            }
        }

        /// Forgets what is at paths, and nothing below.
        func forget(_ paths: [String]) {
            state.withLock { state in
                for path in paths { state.remove(path) }
            }
        }

        /// Forgets when anything was compared with the service: each is asked for again.
        func forgetChecks() { state.withLock { $0.checked = [:] } }

        /// Forgets what is at a path and below.
        func forget(within path: String) {
            state.withLock { state in
                state.checked[path.hashValue] = nil
                state.remove(path)
                // Few documents have anything below them, and looking for it takes a walk over all.
                guard state.deepCount > 0 || !Self.isDeep("\(path)/") else { return }
                let prefix = "\(path)/"
                for known in state.entries.keys where known.hasPrefix(prefix) {
                    state.remove(known)
                }
            }
        }

        /// Whether a path is below a document.
        private static func isDeep(_ path: String) -> Bool {
            path.contains("/docs/") && path.utf8.count { $0 == UInt8(ascii: "/") } > 5
        }

        func forgetAll() {
            state.withLock { state in
                let isCounting = state.isCounting
                state = State()
                state.isCounting = isCounting
            }
        }

        /// The paths that were not used for longest, as many as exceed a size in all; a tenth of it is freed with them,
        /// so that they are not looked for with every write.
        func excess(over sizeMax: Int) -> [String] {
            state.withLock { state in
                guard state.total > sizeMax else { return [] }
                var rest = state.total - sizeMax / 10 * 9
                var found: [String] = []
                for (path, entry) in state.entries.sorted(by: { $0.value.tick < $1.value.tick }) {
                    guard rest > 0 else { break }
                    found.append(path)
                    rest -= entry.size
                }
                return found
            }
        }

        /// Notes that the service has said of a resource that it is as it is kept.
        func check(_ path: String, at date: Date) {
            state.withLock { state in
                if state.checked.count >= Self.checkedCountMax { state.checked = [:] }
                state.checked[path.hashValue] = date
            }
        }

        /// Whether the service has said so not longer ago than a time.
        func isFresh(_ path: String, within lifetime: Duration, at now: Date) -> Bool {
            guard let date = state.withLock({ $0.checked[path.hashValue] }) else { return false }
            let seconds =
                Double(lifetime.components.seconds) + Double(lifetime.components.attoseconds) / 1e18
            let age = now.timeIntervalSince(date)
            return age >= 0 && age < seconds
        }
    }

    /// Which resources were written lately: what was read before must not be kept in place of it.
    final class WriteMarks: Sendable {
        private struct State {
            var count: UInt64 = 0
            var marks: [ResourceName: UInt64] = [:]
            /// Everything was written here, as far as it is known.
            var floor: UInt64 = 0
            /// Everything was thrown away here.
            var purge: UInt64 = 0
        }

        private let state = Lock(State())
        private static let countMax = 10_000

        /// How many writes there were.
        var count: UInt64 { state.withLock { $0.count } }

        func note(_ name: ResourceName) {
            state.withLock { state in
                state.count += 1
                if state.marks.count >= Self.countMax {
                    state.marks = [:]
                    state.floor = state.count
                }
                state.marks[name] = state.count
            }
        }

        /// Notes that everything, or some of it, is thrown away: what was asked for before must not be kept any more.
        ///
        /// To be called in the transaction that does so, before which others either were or look again.
        func notePurge() {
            state.withLock { state in
                state.count += 1
                state.marks = [:]
                state.floor = state.count
                state.purge = state.count
            }
        }

        /// Whether something was thrown away since there were so many writes.
        func isPurged(since count: UInt64) -> Bool { state.withLock { $0.purge > count } }

        /// Whether a resource may have been written since there were so many writes.
        func isWritten(_ name: ResourceName, since count: UInt64) -> Bool {
            state.withLock { ($0.marks[name] ?? $0.floor) > count }
        }
    }
}
