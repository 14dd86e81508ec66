import Settle
import TestSupport

/// What one batch writes, as far as it does not depend on what is there already.
///
/// The same seed, lane and number give the same plan, in the child that writes it and in the test
/// that looks for it.
package struct BatchPlan: Sendable {
    /// The kinds of batches.
    package enum Profile: String, Sendable, CaseIterable {
        /// Many documents, a few small attachments.
        case mixed
        /// Few documents, most of them with attachments of megabytes.
        case contents
    }

    /// What becomes of one document: a deletion, if it may be one and the document is there.
    package struct Step: Sendable {
        /// What the document is when it is written.
        package let entry: Entry
        /// Whether a document that is there is deleted.
        package let mayDelete: Bool
    }

    /// The lane that writes it: a task with documents of its own.
    package let lane: Int
    /// The number of the batch in its lane, from 1.
    package let number: Int
    /// Documents, each once.
    package let steps: [Step]

    /// The plan of a batch.
    package init(seed: UInt64, lane: Int, number: Int, profile: Profile) {
        var generator = SeededGenerator(seed: seed &+ UInt64(lane) << 32 &+ UInt64(number) << 40)
        // The state advances by addition, so neighbouring seeds must be torn apart.
        generator = SeededGenerator(seed: generator.next())
        self.lane = lane
        self.number = number
        let count = Int.random(in: profile == .mixed ? 2...10 : 1...2, using: &generator)
        var slots: Set<Int> = []
        while slots.count < count {
            slots.insert(Int.random(in: 0..<Self.slotCount(profile), using: &generator))
        }
        let values = slots.sorted().map { ($0, Int.random(in: 0..<1_000, using: &generator)) }
        let sum = values.reduce(0) { $0 + $1.1 }
        steps = values.map { slot, value in
            Step(
                entry: Entry(
                    id: "lane\(lane)-\(slot)", batch: number, value: value, sum: sum,
                    group: ["a", "b", "c", "d", "e"].randomElement(using: &generator) ?? "a",
                    textLength: Int.random(in: 0..<12, using: &generator) == 0
                        ? Int.random(in: 0...20_000, using: &generator)
                        : Int.random(in: 0...300, using: &generator),
                    content: ContentPlan.random(profile, using: &generator)),
                mayDelete: Int.random(in: 0..<4, using: &generator) == 0)
        }
    }

    /// What stands in the document that tells how far its lane has come.
    package var head: Entry {
        Entry(
            id: Self.headID(lane), batch: number, value: nil,
            sum: steps.first?.entry.sum ?? 0, group: nil, textLength: 0, content: nil)
    }

    /// The identifier of the document that tells how far a lane has come.
    package static func headID(_ lane: Int) -> String { "head\(lane)" }

    /// Few enough that documents are changed, deleted and made anew again and again.
    private static func slotCount(_ profile: Profile) -> Int { profile == .mixed ? 60 : 8 }
}
