import Foundation
import Settle

/// What identifiers, keys, types and values may be.
enum EntityRules {
    private static let identifierLengthMax = 255
    private static let keyLengthMax = 1_024

    static func checkIdentifier(_ id: String) throws {
        let isUsable =
            (1...identifierLengthMax).contains(id.utf8.count) && !id.utf8.starts(with: "_".utf8)
            && !id.utf8.starts(with: EntryIdentifier.prefix.utf8) && !id.utf8.contains(0)
        guard isUsable else {
            throw DatastoreError(
                .invalidIdentifier,
                "'\(id.prefix(40))' cannot identify an entity: an identifier has 1 to \(identifierLengthMax) bytes, "
                    + "none of them 0, and begins with neither '_' nor '\(EntryIdentifier.prefix)'.",
                entity: id)
        }
    }

    static func check(_ type: EntityType) throws {
        guard !type.rawValue.isEmpty, type.rawValue != EntityFormat.entryType else {
            throw DatastoreError(
                .invalidType,
                "'\(type)' cannot be the type of an entity: it is \(type.rawValue.isEmpty ? "empty" : "reserved")."
            )
        }
    }

    static func checkKey(_ key: String, of id: String) throws {
        guard (1...keyLengthMax).contains(key.utf8.count),
            !PropertyKey.guaranteed.contains(key)
        else {
            throw DatastoreError(
                .invalidKey,
                "The entity '\(id)' cannot have a property '\(key.prefix(40))': a key has 1 to \(keyLengthMax) bytes, "
                    + "and 'datestamp', 'identifier' and 'type' cannot be set.", entity: id,
                key: key)
        }
    }

    static func check(_ type: PropertyType, of key: String, in id: String) throws {
        guard !type.rawValue.isEmpty else {
            throw DatastoreError(
                .invalidType, "The type of the property '\(key)' of the entity '\(id)' is empty.",
                entity: id, key: key)
        }
    }

    static func storable(_ value: Primitive, of key: String, in id: String) throws -> Primitive {
        do throws(PrimitiveForm.Fault) {
            return try value.storable()
        } catch {
            throw DatastoreError(
                .invalidValue,
                "The property '\(key)' of the entity '\(id)' cannot be stored: \(error.reason).",
                entity: id, key: key)
        }
    }

    static func moment(_ date: Date, of key: String, in id: String) throws -> Int64 {
        guard let moment = Moment.microseconds(of: date) else {
            throw DatastoreError(
                .invalidDatestamp,
                "The datestamp of the property '\(key)' of the entity '\(id)' is outside the years 0 to 9999.",
                entity: id, key: key)
        }
        return moment
    }
}
