/// How the graphs of a pipeline follow each other.
public enum PipelineAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// Strictly: the operations of one commit start when those of all earlier commits are done.
    case commitGraph
    /// Freely: an operation starts when what it depends on is done, whatever its commit.
    ///
    /// It is the app that has to name the dependencies between commits, by
    /// ``PipelineConfiguration/prepare``. Of operations with equal priorities, those of earlier commits
    /// start first.
    case flatGraph
}
