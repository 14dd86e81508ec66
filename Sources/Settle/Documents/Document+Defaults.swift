import Foundation
import SettlePrimitives
import Synchronization

extension Document {
    /// Makes the identifiers of documents that are created without one.
    ///
    /// By default a random UUID, upper case. Replace it before the first document is made to use a
    /// scheme of your own. Safe to read and set from any thread; it is used by all databases of
    /// the process.
    public static var idFactory: @Sendable () -> String {
        get { defaults.withLock { $0.idFactory } }
        set { defaults.withLock { $0.idFactory = newValue } }
    }

    /// Tells which strings are dates; by default ISO 8601 (``ISO8601DocumentDateFormatter``).
    ///
    /// Safe to read and set from any thread; it is used by all databases of the process.
    public static var dateFormatter: any DocumentDateFormatter {
        get {
            // Asked at every member that is read, so the usual answer needs no lock.
            if !hasOwnDateFormatter.load(ordering: .acquiring) {
                return ISO8601DocumentDateFormatter()
            }
            return defaults.withLock { $0.dateFormatter }
        }
        set {
            defaults.withLock { $0.dateFormatter = newValue }
            hasOwnDateFormatter.store(true, ordering: .releasing)
        }
    }

    /// True once ``dateFormatter`` was set, to whatever.
    private static let hasOwnDateFormatter = Atomic(false)

    private struct Defaults: Sendable {
        var idFactory: @Sendable () -> String = { UUID().uuidString }
        var dateFormatter: any DocumentDateFormatter = ISO8601DocumentDateFormatter()
    }

    private static let defaults = Lock(Defaults())
}
