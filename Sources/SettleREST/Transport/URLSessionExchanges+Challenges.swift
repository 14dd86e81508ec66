#if canImport(FoundationNetworking)
    import Foundation
    import FoundationNetworking

    extension URLSessionExchanges {
        // A server that asks for a password (WWW-Authenticate) has answered. Left to itself, Foundation looks for a
        // password here, and the request never ends; told that there is none, it ends with an error in the place of
        // the response.
        func urlSession(
            _ session: URLSession, task: URLSessionTask,
            didReceive challenge: URLAuthenticationChallenge,
            completionHandler:
                @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            refuseChallenge(of: task, by: challenge.failureResponse as? HTTPURLResponse)
            completionHandler(.rejectProtectionSpace, nil)
        }
    }
#endif
