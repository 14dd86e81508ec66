public import Settle

extension SideTableCheck {
    /// Looks at what replications by revisions keep: their logs, and what remotes call contents.
    ///
    /// A database that was replicated so since it was opened has it. Elsewhere, add it with
    /// `Database.addSideTableCheck(_:)`.
    public static var revisionReplication: SideTableCheck {
        SideTableCheck(
            ofTables: [RevisionTables.logsName, RevisionTables.contentsName]
        ) { snapshot, report in
            try snapshot.table(RevisionTables.logsName)?.forEach { key, value in
                try report.advance()
                if !RevisionTables.isReadable(log: value, key) {
                    report.found(
                        "The log of a replication cannot be read.",
                        in: "side table '\(RevisionTables.logsName)'")
                }
                return true
            }
            try snapshot.table(RevisionTables.contentsName)?.forEach { _, value in
                try report.advance()
                if value.count != 64 {
                    report.found(
                        "The digest of a content cannot be read.",
                        in: "side table '\(RevisionTables.contentsName)'")
                }
                return true
            }
        }
    }
}
