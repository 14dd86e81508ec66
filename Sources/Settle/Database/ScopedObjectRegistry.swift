import SettlePrimitives
import Synchronization

/// The database-scoped objects of a database, one of each type.
final class ScopedObjectRegistry: Sendable {
    private let objects = Lock<[ObjectIdentifier: any AnyObject & Sendable]>([:])

    func object<Object: AnyObject & Sendable>(_ make: () -> Object) -> Object {
        objects.withLock { objects in
            let type = ObjectIdentifier(Object.self)
            if let object = objects[type] as? Object { return object }
            let object = make()
            objects[type] = object
            return object
        }
    }
}
