#if canImport(Security)
    import Foundation
    import Security

    extension URLSessionExchanges {
        // Only the server's own certificate is looked at: the handshake proves that it has that
        // key, while the others are whatever the server liked to send along. Whether the
        // certificate is trusted is decided by the system afterwards, as without pins.
        func urlSession(
            _ session: URLSession, task: URLSessionTask,
            didReceive challenge: URLAuthenticationChallenge,
            completionHandler:
                @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            let space = challenge.protectionSpace
            guard space.authenticationMethod == NSURLAuthenticationMethodServerTrust, let pins,
                pins.hosts.contains(PublicKeyPins.canonical(space.host))
            else {
                completionHandler(.performDefaultHandling, nil)
                return
            }
            if let trust = space.serverTrust,
                let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate],
                let certificate = chain.first,
                let key = CertificateKey.subjectPublicKeyInfo(
                    inDER: [UInt8](SecCertificateCopyData(certificate) as Data)),
                pins.allow(host: space.host, key: [UInt8](key))
            {
                completionHandler(.performDefaultHandling, nil)
            } else {
                refuseKey(of: task)
                completionHandler(.cancelAuthenticationChallenge, nil)
            }
        }
    }
#endif
