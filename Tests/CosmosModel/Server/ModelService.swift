import Synchronization

/// An account of the model, for any number of connections: its state, its clock, its faults and its log.
///
/// One lock guards all that changes; nothing waits while it is held.
package final class ModelService: Sendable {
    /// What a connection does about a request.
    package enum Outcome: Sendable {
        /// Sends a response.
        case response(ServiceResponse)
        /// Closes itself.
        case cut
    }

    private struct Contents {
        var state: ServiceState
        var clock: ModelClock
        var rules: [FaultRule] = []
        var isOffline = false
        var log: [RequestRecord] = []
    }
    private let contents: Mutex<Contents>

    /// An account.
    ///
    /// - Parameters:
    ///   - configuration: What it begins with.
    ///   - clock: Its clock.
    package init(
        configuration: AccountConfiguration = AccountConfiguration(),
        clock: ModelClock = .system
    ) {
        contents = Mutex(
            Contents(state: ServiceState(configuration: configuration), clock: clock))
    }

    /// Carries out a request, or does what a fault says.
    package func respond(to request: ServiceRequest) async -> Outcome {
        let fault: Fault? = contents.withLock { contents in
            if contents.isOffline { return .cutBefore }
            guard let index = contents.rules.firstIndex(where: { $0.matches(request) })
            else { return nil }
            let fault = contents.rules[index].fault
            if let count = contents.rules[index].count {
                contents.rules[index].count = count - 1
                if count <= 1 { contents.rules.remove(at: index) }
            }
            return fault
        }
        switch fault {
        case nil: return .response(carryOut(request))
        case .throttle(let milliseconds):
            var failure = ServiceFailure(429, subStatus: 3200, "The request rate is too large.")
            failure.headers[HeaderName.retryAfterMilliseconds.rawValue] = String(milliseconds)
            return refuse(request, failure)
        case .fail(let status, let subStatus):
            return refuse(
                request, ServiceFailure(status, subStatus: subStatus, "The model was told to fail.")
            )
        case .cutBefore:
            note(RequestRecord(request: request, status: nil, wasCarriedOut: false))
            return .cut
        case .cutAfter:
            _ = carryOut(request, isCut: true)
            return .cut
        case .delayBefore(let gate):
            await gate.pass()
            return .response(carryOut(request))
        case .delayAfter(let gate):
            let response = carryOut(request)
            await gate.pass()
            return .response(response)
        }
    }

    private func carryOut(_ request: ServiceRequest, isCut: Bool = false) -> ServiceResponse {
        contents.withLock { contents in
            let response = contents.state.respond(to: request, at: contents.clock.now)
            contents.log.append(
                RequestRecord(
                    request: request, status: isCut ? nil : response.status, wasCarriedOut: true))
            return response
        }
    }

    private func refuse(_ request: ServiceRequest, _ failure: ServiceFailure) -> Outcome {
        note(RequestRecord(request: request, status: failure.status, wasCarriedOut: false))
        return .response(ServiceResponse(failure: failure))
    }

    private func note(_ record: RequestRecord) {
        contents.withLock { $0.log.append(record) }
    }

    /// Adds a rule; of several that meet a request, the one added first is followed.
    package func add(_ rule: FaultRule) { contents.withLock { $0.rules.append(rule) } }

    /// Removes all rules.
    package func removeFaults() { contents.withLock { $0.rules = [] } }

    /// Whether every connection is closed as soon as a request comes.
    package var isOffline: Bool {
        get { contents.withLock { $0.isOffline } }
        set { contents.withLock { $0.isOffline = newValue } }
    }

    /// The requests so far.
    package var log: [RequestRecord] { contents.withLock { $0.log } }

    /// Forgets the requests so far.
    package func clearLog() { contents.withLock { $0.log = [] } }

    /// Moves the clock on.
    package func advance(bySeconds seconds: Double) {
        contents.withLock { $0.clock.advance(bySeconds: seconds) }
    }

    /// What the clock shows.
    package var now: ModelTime { contents.withLock { $0.clock.now } }

    /// Looks at the state or changes it, between two requests.
    package func withState<Result>(
        _ body: (inout sending ServiceState) throws -> sending Result
    ) rethrows -> sending Result {
        try contents.withLock { contents in try body(&contents.state) }
    }
}
