import Foundation
import Hummingbird
import Logging

/// What is known of a request beside its own text.
struct TableContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The address of the other side, without its port; nil when there is no network between.
    let address: String?
    /// The address of this machine that the other side connected to; nil without a network between.
    let localAddress: String?
    /// What the log and the answer call the request; the framework's own, which is lost when a log
    /// handler keeps no metadata.
    let requestId: String

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        address = source.channel.remoteAddress?.ipAddress
        localAddress = source.channel.localAddress?.ipAddress
        requestId =
            source.logger[metadataKey: "hb.request.id"]?.description ?? UUID().uuidString
    }
}
