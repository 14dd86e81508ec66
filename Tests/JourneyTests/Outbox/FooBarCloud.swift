import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A cloud that stores files and knows their versions by ETags; the client of the guide.
struct FooBarCloud: Sendable {
    let url: URL
    let session: URLSession

    init(_ url: URL) {
        self.url = url
        let configuration = URLSessionConfiguration.ephemeral
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        // A file may take its time.
        configuration.timeoutIntervalForRequest = 3_600
        session = URLSession(configuration: configuration)
    }

    /// Stores a file, if the stored one is still that of the ETag, or if there is none yet.
    ///
    /// - Returns: The new ETag; nil when the stored one is another.
    func put(_ file: Data, to path: String, over etag: String?) async throws -> String? {
        var request = URLRequest(url: url.appendingPathComponent(path))
        request.httpMethod = "PUT"
        request.httpBody = file
        if let etag {
            request.setValue(etag, forHTTPHeaderField: "If-Match")
        } else {
            request.setValue("*", forHTTPHeaderField: "If-None-Match")
        }
        let (_, response) = try await session.data(for: request)
        let isAnother = (response as? HTTPURLResponse)?.statusCode == 412
        return isAnother ? nil : try Self.etag(of: response)
    }

    func get(_ path: String) async throws -> (file: Data, etag: String) {
        let request = URLRequest(url: url.appendingPathComponent(path))
        let (file, response) = try await session.data(for: request)
        return (file, try Self.etag(of: response))
    }

    private static func etag(of response: URLResponse) throws -> String {
        guard let answer = response as? HTTPURLResponse, answer.statusCode == 200,
            let etag = answer.value(forHTTPHeaderField: "ETag")
        else { throw URLError(.badServerResponse) }
        return etag
    }
}
