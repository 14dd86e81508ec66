import Foundation
import Hummingbird
import Logging
import NIOCore

/// What is known of a request beside its own text.
struct TableContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The address of the other side, without its port; nil when there is no network between.
    let address: String?
    /// The address of this machine that the other side connected to; nil without a network between.
    let localAddress: String?
    /// The connection, as the framework has it.
    let channel: any Channel
    /// What the log and the answer call the request; the framework's own, which is lost when a log
    /// handler keeps no metadata.
    let requestId: String

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
        address = source.channel.remoteAddress?.ipAddress
        localAddress = source.channel.localAddress?.ipAddress
        requestId =
            source.logger[metadataKey: "hb.request.id"]?.description ?? UUID().uuidString
    }
}
