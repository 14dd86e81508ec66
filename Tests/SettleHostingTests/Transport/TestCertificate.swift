import Foundation
import NIOSSL

/// Certificates for `localhost` and `127.0.0.1` that nobody but the tests trusts, valid until 2120,
/// with their keys.
enum TestCertificate: CaseIterable {
    case first, second

    /// The pin of the key, as openssl computes it.
    var pin: String {
        switch self {
        case .first: "rK+mZP/A9i+7jUI+LFiaDjbZsIpzSXeftqrZs4QDYMA="
        case .second: "ZKU5KaFvCPJ15KT26BpZIjts14tsi3ulGydzLIQOwJs="
        }
    }

    /// The certificate.
    func certificate() throws -> NIOSSLCertificate {
        try NIOSSLCertificate(bytes: Array(pem.utf8), format: .pem)
    }

    /// What a server needs to use it.
    func serverContext() throws -> NIOSSLContext {
        let key = try NIOSSLPrivateKey(bytes: Array(keyPEM.utf8), format: .pem)
        return try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: [.certificate(certificate())], privateKey: .privateKey(key)))
    }

    private var pem: String {
        switch self {
        case .first:
            """
            -----BEGIN CERTIFICATE-----
            MIIBZzCCAQ2gAwIBAgIBBTAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhv
            c3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
            CWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABOCgP0sVAZ2B8at1
            TADkyFqRlGTA11vV9KS45rpqzk0TkoULIs4ZDBzQxIu0I8X63uNqyzSwBTFJ0z1P
            DcTtEJSjTjBMMA8GA1UdEwEB/wQFMAMBAf8wGgYDVR0RBBMwEYIJbG9jYWxob3N0
            hwR/AAABMB0GA1UdDgQWBBS+uemxpUC2CxomcPxNZPVTOPLiATAKBggqhkjOPQQD
            AgNIADBFAiAfePzFKCs/xEqM2mbJgDU9xK2uI8XFE/lkH0/ROBJXMAIhAJ1/YNnz
            6tQ3EhA+3JTpcz9gc7F0eeu87Qj5RNtkQMX4
            -----END CERTIFICATE-----
            """
        case .second:
            """
            -----BEGIN CERTIFICATE-----
            MIIBZjCCAQ2gAwIBAgIBBjAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhv
            c3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
            CWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABLDKhwa/3ltGoN07
            ttblg4z8P3U86TZ1ZXzYQyRM3RHazecQkhgYWi1P6iOmDfFXofF4sZG07+nVkbO8
            x1G26a6jTjBMMA8GA1UdEwEB/wQFMAMBAf8wGgYDVR0RBBMwEYIJbG9jYWxob3N0
            hwR/AAABMB0GA1UdDgQWBBRR+0I4Agpr+a8EdKKXsh9fHhvQ1TAKBggqhkjOPQQD
            AgNHADBEAiB0tQC+IfKhIkg150myVze6LII1E8M+30Wuh/QhimOvkQIgXWw/7X0O
            YmU8xup8g1Vsw4DzNPWcDyKiLjRC9bu1NgY=
            -----END CERTIFICATE-----
            """
        }
    }

    private var keyPEM: String {
        switch self {
        case .first:
            """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg4G6uOTa8PzlhzyQ/
            Oc90/QneSIRVM8D6fJBq0YQt5AmhRANCAATgoD9LFQGdgfGrdUwA5MhakZRkwNdb
            1fSkuOa6as5NE5KFCyLOGQwc0MSLtCPF+t7jass0sAUxSdM9Tw3E7RCU
            -----END PRIVATE KEY-----
            """
        case .second:
            """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgNCeWnh3tB8VNCYpz
            iYC9jQZvreloEeaMmp8bc95CW0ChRANCAASwyocGv95bRqDdO7bW5YOM/D91POk2
            dWV82EMkTN0R2s3nEJIYGFotT+ojpg3xV6HxeLGRtO/p1ZGzvMdRtumu
            -----END PRIVATE KEY-----
            """
        }
    }
}
