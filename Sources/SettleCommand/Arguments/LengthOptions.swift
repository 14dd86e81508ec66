import ArgumentParser

/// How much of a long list is shown.
struct LengthOptions: ParsableArguments {
    @Option(
        parsing: .unconditional, help: ArgumentHelp("Show at most so many.", valueName: "n"),
        transform: CountArgument.positive(parsing:))
    var limit: CountArgument?

    @Flag(help: "Show all of them.")
    var all = false

    private static let countForPeople = 100

    func validate() throws {
        guard !all || limit == nil else {
            throw ValidationError("Give --limit or --all, and not both.")
        }
    }

    /// How many to show; all of them when programs read the list, unless there is a limit.
    func countMax(isForPrograms: Bool) -> Int {
        limit?.count ?? (all || isForPrograms ? .max : Self.countForPeople)
    }
}
