public import Settle

extension SideTableCheck {
    /// Looks at what the outbox keeps: operations, their lists and dependencies, links, and tags.
    ///
    /// A database whose outbox was opened has it. Elsewhere, add it with
    /// `Database.addSideTableCheck(_:)`.
    public static var outbox: SideTableCheck {
        SideTableCheck(ofTables: [OutboxTable.name, CloudLinks.name, TagTable.name]) {
            snapshot, report in
            var check = OutboxCheck(try OutboxTable(in: snapshot), report)
            try check.run()
            try CloudLinks(in: snapshot).check(report)
            try TagTable(in: snapshot).check(report)
        }
    }
}
