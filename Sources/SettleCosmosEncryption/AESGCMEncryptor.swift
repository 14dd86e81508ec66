import Crypto
public import Foundation
public import SettleCosmos

extension Cosmos {
    /// Encrypts what a client keeps on this device by AES-GCM, with a key that the app gives.
    ///
    /// ```swift
    /// cosmos.resourceEncryptor = try Cosmos.AESGCMEncryptor(key: secret)
    /// ```
    ///
    /// Every value has a nonce of its own from the system's random numbers, and a tag that shows damage and another
    /// key. The app keeps the key, in the keychain for example; what was encrypted by a lost key cannot be read.
    public struct AESGCMEncryptor: ResourceEncryptor {
        private let key: SymmetricKey

        /// The numbers of bytes that a key may have.
        public static var keySizes: Set<Int> { [16, 24, 32] }

        /// An encryptor.
        ///
        /// - Parameter key: 16, 24 or 32 bytes; 32 are best.
        /// - Throws: ``/SettleCosmos/Cosmos/ClientError`` with `configureError` for another number of bytes.
        public init(key: Data) throws(ClientError) {
            guard Self.keySizes.contains(key.count) else {
                throw ClientError(
                    .configureError,
                    "A key of AES has 16, 24 or 32 bytes, and this one has \(key.count).")
            }
            self.key = SymmetricKey(data: key)
        }

        /// A new key of 32 random bytes, for the app to keep.
        public static func makeKey() -> Data {
            var generator = SystemRandomNumberGenerator()
            return Data((0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) })
        }

        /// Encrypts.
        ///
        /// - Returns: The nonce, the encrypted bytes and the tag: 28 bytes more than were given.
        public func encrypt(_ data: Data) throws -> Data {
            let box = try AES.GCM.seal(data, using: key)
            guard let combined = box.combined else { throw CryptoKitError.incorrectParameterSize }
            return combined
        }

        /// Decrypts.
        ///
        /// - Throws: `CryptoKitError` when the key is another one or the bytes are damaged.
        public func decrypt(_ data: Data) throws -> Data {
            try AES.GCM.open(AES.GCM.SealedBox(combined: data), using: key)
        }
    }
}
