import SettlePrimitives
import Synchronization

/// The names of members that a server leaves out of its items, whatever it is sent.
///
/// A server with a fixed set of columns drops the others. Looking each item up again would double
/// the requests and show the same.
final class OmittedMembers: Sendable {
    private let names = Lock<Set<String>>([])

    /// Whether none are known to be left out.
    var isEmpty: Bool { names.withLock { $0.isEmpty } }

    /// Those of some names that are not known to be left out.
    func unknown(of names: Set<String>) -> Set<String> {
        names.isEmpty ? names : self.names.withLock { names.subtracting($0) }
    }

    /// A look-up left these out, too.
    func add(_ names: Set<String>) {
        guard !names.isEmpty else { return }
        self.names.withLock { known in
            if known.count + names.count > SyncTuning.omittedNameCountMax { known = [] }
            known.formUnion(names)
        }
    }

    /// An item showed these.
    func remove(_ names: some Sequence<String>) {
        self.names.withLock { known in
            if !known.isEmpty { known.subtract(names) }
        }
    }
}
