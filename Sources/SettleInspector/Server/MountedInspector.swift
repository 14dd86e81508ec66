package import Foundation
package import Hummingbird
package import Logging

/// The pages of an inspector under a path of a server, let in to by the server's tokens.
///
/// A browser shows a token once and gets a session for it: a cookie that no script reads, for this path alone, that ends with the
/// token and after twelve hours at the latest. Nothing can be changed.
package struct MountedInspector: Sendable {
    private let responder: InspectorResponder

    /// An inspector of the databases in a directory that this process has open.
    ///
    /// - Parameters:
    ///   - directory: The directory.
    ///   - path: The path of the server, such as `/inspector`, without a slash at its end.
    ///   - logger: Where failures are logged, without contents of documents.
    ///   - metricsReport: What the server has counted, in the text format of Prometheus.
    package init(
        ofDatabasesIn directory: URL, path: String,
        logger: Logger = Logger(label: "settle.inspector"),
        metricsReport: @escaping @Sendable () -> String?
    ) {
        var responder = InspectorResponder(
            databases: DirectoryDatabases(directory: directory), isWritable: false,
            doorkeeper: Doorkeeper(), templates: TemplateLibrary(), metricsReport: metricsReport,
            logger: logger)
        responder.mount = Mount(path: path)
        self.responder = responder
    }

    /// The response to a request whose path is the inspector's, or begins with it and a slash.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - grant: Says whether a token lets its bearer in.
    /// - Returns: The response, whatever goes wrong.
    package func response(
        to request: Request, granting grant: @Sendable (String) async -> PageGrant
    ) async -> Response {
        await responder.response(to: request, granting: grant)
    }
}
