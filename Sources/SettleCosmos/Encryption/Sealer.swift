import Foundation
import SettleDocuments

extension Cosmos {
    /// Brings JSON into the form in which it is kept, and back.
    struct Sealer: Sendable {
        private static let resourceMember = "resource"
        private static let sealedMember = "sealed"

        let encryptor: (any ResourceEncryptor)?

        /// The members that hold a value: itself, or its text encrypted in Base64.
        func sealed(_ packed: PackedValue) throws(ClientError) -> PackedValue {
            do {
                var object = PackedObjectBuilder(reservingCapacity: packed.bytes.count + 32)
                if let encryptor {
                    let text = try encrypting {
                        try encryptor.encrypt(Data(JSONText.text(of: packed)))
                    }
                    try object.append(Self.sealedMember) { (value) throws(PackedError) in
                        try value.append(text.base64EncodedString())
                    }
                } else {
                    try object.append(Self.resourceMember) { (value) throws(PackedError) in
                        value.append(packed)
                    }
                }
                return object.finish()
            } catch let error as ClientError {
                throw error
            } catch {
                throw ClientError(
                    .invalidDocument, "A resource cannot be kept on this device.", cause: error)
            }
        }

        /// The value that members hold.
        func opened(_ object: PackedValue) throws(ClientError) -> PackedValue {
            do {
                if let value = try object.packedMember(Self.resourceMember) { return value }
                guard let text = try object.member(Self.sealedMember)?.stringValue,
                    let bytes = Data(base64Encoded: text)
                else { throw Self.damage }
                guard let encryptor else { throw Self.noKey }
                let plain = try decrypting { try encryptor.decrypt(bytes) }
                return try JSONText.packed(
                    from: Array(plain).span, limits: JSONLimits(sizeMax: 64 << 20),
                    largeIntegers: .rounded)
            } catch let error as ClientError {
                throw error
            } catch {
                throw ClientError(
                    .internalError, "Something that this device keeps cannot be read.", cause: error
                )
            }
        }

        private func encrypting(_ body: () throws -> Data) throws(ClientError) -> Data {
            do { return try body() } catch {
                throw ClientError(
                    .internalError,
                    "The app's encryptor refused what was to be kept on this device.", cause: error)
            }
        }

        private func decrypting(_ body: () throws -> Data) throws(ClientError) -> Data {
            do { return try body() } catch { throw Self.wrongKey(error) }
        }

        /// What this device keeps was encrypted by another key.
        static func wrongKey(_ cause: (any Swift.Error)?) -> ClientError {
            ClientError(
                .configureError,
                "What this device keeps cannot be decrypted: it was encrypted by another key, or it is "
                    + "damaged. Nothing was changed. Give the key that it was written with.",
                cause: cause)
        }

        /// What this device keeps is encrypted, and there is no encryptor.
        static var noKey: ClientError {
            ClientError(
                .configureError,
                "What this device keeps is encrypted, and the client has no encryptor. Nothing was changed. "
                    + "Give the encryptor that it was written with.")
        }

        private static var damage: ClientError {
            ClientError(.internalError, "Something that this device keeps is damaged.")
        }
    }
}
