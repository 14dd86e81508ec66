import Synchronization

/// The objects that others keep beside a database, one of each type.
final class CompanionRegistry: Sendable {
    private let objects = Mutex<[ObjectIdentifier: any AnyObject & Sendable]>([:])

    func companion<Companion: AnyObject & Sendable>(_ make: () -> Companion) -> Companion {
        objects.withLock { objects in
            let type = ObjectIdentifier(Companion.self)
            if let object = objects[type] as? Companion { return object }
            let object = make()
            objects[type] = object
            return object
        }
    }
}
