import Foundation

/// The shell script that looks after a test's PostgreSQL server.
///
/// It makes the folder, the data and the server, says `ready FOLDER PORT`, makes a database for each
/// line `database NAME`, and at the end of its input stops the server and removes the folder. It
/// runs in a session of its own, so that what is sent to the test's group does not reach it, and as
/// the user `postgres` when the test runs as root, whom the server refuses.
final class PostgreSQLScript: Sendable {
    private let input: FileHandle
    private let lines: LineReader

    private static let text = #"""
        bin=$1
        folder=$(mktemp -d "/tmp/settle-pg-XXXXXX") || { echo "no folder in /tmp"; exit 1; }
        end() {
            "$bin/pg_ctl" -D "$folder/data" -m immediate stop >/dev/null 2>&1
            rm -rf "$folder"
        }
        trap end EXIT
        trap '' HUP INT TERM PIPE
        cd "$folder" || exit 1
        "$bin/initdb" -D "$folder/data" -U settle -A trust -E UTF8 --locale=C --no-sync \
            >"$folder/log" 2>&1 || { tr '\n' ' ' <"$folder/log"; echo; exit 1; }
        # A port that is taken makes the server end at once: then the next one is tried.
        port=$((20000 + $$ % 20000))
        tries=0
        until "$bin/pg_ctl" -D "$folder/data" -l "$folder/log" -w -t 120 -o "-p $port -k $folder \
            -c listen_addresses=127.0.0.1 -c fsync=on -c max_connections=600 \
            -c shared_buffers=32MB -c log_statement=none" start >/dev/null 2>&1 </dev/null
        do
            tries=$((tries + 1))
            [ $tries -lt 20 ] || { tail -n 5 "$folder/log" | tr '\n' ' '; echo; exit 1; }
            port=$((port + 7))
        done
        echo "ready $folder $port"
        while read -r word name; do
            case $word in
            database)
                if "$bin/createdb" -h "$folder" -p "$port" -U settle -T template0 "$name" \
                    >"$folder/answer" 2>&1 </dev/null
                then echo "made $name"
                else tr '\n' ' ' <"$folder/answer"; echo
                fi ;;
            esac
        done
        """#

    /// Starts the script.
    ///
    /// - Parameter binaries: The folder of the server's programs.
    /// - Throws: `ChildProcess.CannotStart`.
    init(binaries: String) throws {
        let files = FileManager.default
        func path(_ name: String) -> String? {
            ["/usr/bin/\(name)", "/bin/\(name)"].first(where: files.isExecutableFile(atPath:))
        }
        var words = ["/bin/sh", "-c", Self.text, "settle-postgresql", binaries]
        // The server refuses to run with the rights of root.
        if NSUserName() == "root", let setpriv = path("setpriv") {
            words =
                [setpriv, "--reuid=postgres", "--regid=postgres", "--clear-groups"] + words
        }
        // Without waiting for the script it would end at once and stay a zombie, beside which Swift
        // Testing never sees its exit tests end.
        if let setsid = path("setsid") { words = [setsid, "--wait"] + words }
        let process = try ChildProcess(
            URL(fileURLWithPath: words[0]), Array(words.dropFirst()),
            directory: URL(fileURLWithPath: "/"), input: .pipe, output: .pipe, errors: .nothing)
        guard let input = process.input, let output = process.output else {
            preconditionFailure("A pipe that was asked for is there.")
        }
        self.input = input
        lines = LineReader(output)
    }

    /// Sends a line and waits for the answer; one caller at a time is served.
    ///
    /// - Throws: What Foundation throws when the script has ended.
    func ask(_ line: String) async throws -> String {
        try await lines.next(after: { [input] in
            try input.write(contentsOf: Data((line + "\n").utf8))
        })
    }

    /// Waits for a line.
    func nextLine() async throws -> String {
        try await lines.next(after: {})
    }
}

/// Reads lines from a pipe on a thread that may wait, in the order in which they are asked for.
private final class LineReader: Sendable {
    private let queue = DispatchQueue(label: "settle.test.postgresql")
    private let handle: FileHandle

    init(_ handle: FileHandle) {
        self.handle = handle
    }

    /// Does something and reads the line that follows.
    func next(after body: @escaping @Sendable () throws -> Void) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [handle] in
                continuation.resume(
                    with: Result {
                        try body()
                        var line = Data()
                        while let byte = try handle.read(upToCount: 1), byte.first != 10 {
                            guard !byte.isEmpty else { break }
                            line.append(byte)
                        }
                        return String(decoding: line, as: UTF8.self)
                    })
            }
        }
    }
}
