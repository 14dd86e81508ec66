import Settle

extension TableModel {
    /// A row becomes invisible, or visible again as a row that was just written.
    ///
    /// - Returns: False when there is no such row.
    func hideOrReveal(_ id: String, _ state: inout State) -> Bool {
        guard state.rows[id] != nil else { return false }
        if state.hiddenIds.contains(id) {
            reveal(id, &state)
        } else {
            journal.note("server hides '\(id)'")
            state.hiddenIds.insert(id)
        }
        return true
    }

    func reveal(_ id: String, _ state: inout State) {
        state.hiddenIds.remove(id)
        guard let row = state.rows[id] else { return }
        journal.note("server shows '\(id)' again")
        store(id, row.columns, isDeleted: row.isDeleted, &state)
    }
}
