public import Observation
import SettlePrimitives
import Synchronization

/// What a view shows of a database, kept up to date on the main actor.
///
/// ```swift
/// let visits = database.liveModels(Visit.self)
/// print(visits.isLoading, visits.value?.count ?? 0, visits.error ?? "no error")
/// ```
///
/// In SwiftUI:
///
/// ```
/// struct VisitList: View {
///     let database: Database
///     @State private var visits: Live<ModelList<Visit>>?
///
///     var body: some View {
///         List(visits?.value ?? ModelList()) { Text($0.customer) }
///             .overlay { if visits?.isLoading ?? true { ProgressView() } }
///             .task { visits = database.liveModels(Visit.self) }
///     }
/// }
/// ```
///
/// SwiftUI, and all other code that uses the Observation module, sees each property that changes. The
/// observation begins at once, so make it once and not with each body. It ends when the object is
/// released, when it is cancelled, or when the database is closed. Results that come while the main actor
/// is busy are left out, but for the last.
@MainActor @Observable public final class Live<Value: Sendable> {
    /// The newest value; nil before the first, and for a document while there is none.
    public private(set) var value: Value?
    /// Why there is nothing newer; nil while all is well.
    ///
    /// The last value stays. What is observed in a database is tried again after the next commit;
    /// ``reload()`` begins anew at once.
    public private(set) var error: DatabaseError?
    /// True until there is a first answer: a value, that there is none, an error, or the end.
    public private(set) var isLoading = true

    @ObservationIgnored private let begin: @MainActor (Live) -> Task<Void, Never>
    @ObservationIgnored private let running = LiveTask()

    /// Shows the newest element of a sequence.
    ///
    /// - Parameter values: The sequence; nil stands for no value. An error ends it.
    public convenience init<Values: AsyncSequence & Sendable>(_ values: Values)
    where Values.Element == Value?, Values.Failure == DatabaseError {
        self.init(values) { nil }
    }

    /// Shows the newest element of a sequence, which is begun again after an error.
    ///
    /// - Parameters:
    ///   - values: The sequence; nil stands for no value.
    ///   - signals: When it is worth to begin again; nil for never. Asked before each beginning, so that
    ///     nothing is missed in between.
    init<Values: AsyncSequence & Sendable>(
        _ values: Values, beginningAgainAt signals: @escaping @Sendable () -> AsyncStream<Void>?
    ) where Values.Element == Value?, Values.Failure == DatabaseError {
        begin = { live in
            Task { @MainActor [weak live] in
                var isWorthIt = true
                while isWorthIt {
                    isWorthIt = false
                    let signals = signals()
                    do throws(DatabaseError) {
                        for try await value in values {
                            if Task.isCancelled { return }
                            live?.show(value)
                        }
                    } catch {
                        if Task.isCancelled { return }
                        live?.show(error)
                        if let signals {
                            for await _ in signals {
                                isWorthIt = true
                                break
                            }
                        }
                    }
                }
                if !Task.isCancelled { live?.end() }
            }
        }
        running.replace(with: begin(self))
    }

    /// Begins anew, after an error for example; the last value stays until there is a newer one.
    public func reload() {
        (isLoading, error) = (true, nil)
        running.replace(with: begin(self))
    }

    /// Ends the observation; the last value stays.
    public func cancel() {
        isLoading = false
        running.replace(with: nil)
    }

    private func show(_ value: Value?) {
        self.value = value
        end()
        if error != nil { error = nil }
    }

    private func show(_ error: DatabaseError) {
        // The same again is no news.
        if self.error?.description != error.description { self.error = error }
        end()
    }

    private func end() {
        if isLoading { isLoading = false }
    }
}

/// The task of an observation, which ends with its owner.
private final class LiveTask: Sendable {
    private let task = Lock<Task<Void, Never>?>(nil)

    func replace(with next: Task<Void, Never>?) {
        task.withLock { task in
            task?.cancel()
            task = next
        }
    }

    deinit {
        task.withLock { $0 }?.cancel()
    }
}
