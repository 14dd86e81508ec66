import ArgumentParser
import SettleSync

/// A subcommand: what it does, wrapped in what holds for all of them.
///
/// `--help` documents the statuses: 0 when all went well, 1 when the world refused (with a
/// sentence on standard error), 64 when the command line is wrong, 130 when interrupted.
protocol SettleSubcommand: AsyncParsableCommand, Sendable {
    /// Does the work. Cancelled by SIGINT and SIGTERM.
    func perform() async throws
}

extension SettleSubcommand {
    /// Runs ``perform()`` under signals and makes sentences of its errors.
    func run() async throws {
        do {
            try await Interruption.run { try await perform() }
        } catch is OutputClosed {
            // Whoever read the output has what they wanted; the database was closed on the way.
            return
        } catch let error as ExitCode {
            throw error
        } catch let error as ValidationError {
            throw error
        } catch let error as Interrupted {
            StandardError.line(error.description)
            throw Interruption.status
        } catch is CancellationError {
            throw Interruption.status
        } catch let stopped as Importer.Stopped where stopped.isInterrupted {
            throw Interruption.status
        } catch let error as ReplicationError where error.code == .cancelled {
            throw Interruption.status
        } catch {
            throw CommandFailure(FailureText.sentence(for: error))
        }
    }
}
