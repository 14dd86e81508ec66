import Hummingbird
import Logging
import NIOCore
import Synchronization

/// What is known of a request beside its own text.
struct TableContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The address of the other side, without its port; nil when there is no network between.
    let address: String?
    /// The address of this machine that the other side connected to; nil without a network between.
    let localAddress: String?
    /// The connection, as the framework has it.
    let channel: any Channel
    /// What the log and the answer call the request; the framework's own, or where a log handler keeps no
    /// metadata one of ours.
    let requestId: String

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
        address = source.channel.remoteAddress?.ipAddress
        localAddress = source.channel.localAddress?.ipAddress
        requestId =
            source.logger[metadataKey: "hb.request.id"]?.description ?? RequestNumber.next
    }
}

/// Names for requests, none of which comes twice in a process, and hardly in two.
private enum RequestNumber {
    private static let process = String(UInt64.random(in: 0 ... .max), radix: 16)
    private static let count = Atomic<UInt64>(0)

    /// The next name.
    static var next: String {
        let number = count.wrappingAdd(1, ordering: .relaxed).newValue
        return process + "-" + String(number, radix: 16)
    }
}
