#if canImport(CryptoKit)
    import CryptoKit

    /// The system's SHA-256.
    typealias SHA256 = CryptoKit.SHA256
#else
    /// Where the system has no SHA-256 of its own, ours.
    typealias SHA256 = PortableSHA256
#endif
