import SettleStorage

extension IndexCrashGuard {
    /// The documents that are not to be mapped, because a process died of it.
    func poison(
        of definition: IndexDefinition, in snapshot: StoreSnapshot
    ) throws -> PoisonDocuments {
        guard definition.mayTrap else { return PoisonDocuments() }
        var poison = crashes(of: definition).proven
        try poison.add(of: definition, in: snapshot)
        return poison
    }

    /// Maps the next changes that a slot lacks, with the document at work noted.
    func changes(
        of definition: IndexDefinition, slot: Int, _ state: IndexState, _ limit: MapLimit,
        in snapshot: StoreSnapshot
    ) throws -> MappedChanges {
        try MappedChanges(
            of: definition, slot: slot, state: state, in: snapshot, limit: limit,
            crashed: try poison(of: definition, in: snapshot),
            guardSlot: try definition.mayTrap ? self.slot() : nil)
    }
}
