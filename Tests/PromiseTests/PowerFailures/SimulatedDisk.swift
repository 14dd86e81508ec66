/// The files of a folder as a disk has them, while the events of a trace happen.
///
/// What is pending may be on the medium or not. Names become durable by a flush of their folder only, which
/// is less than most file systems keep.
struct SimulatedDisk: Sendable {
    /// A name that was made, given to another file, or removed, and whose folder was not flushed since.
    struct NameChange: Sendable {
        let path: String
        /// The file; nil when the name is gone.
        let file: Int?
        let number: Int
        /// With the one before: both or none, as a renaming is.
        let belongsToPrevious: Bool
    }

    /// What a flush takes along.
    enum Flush: Sendable {
        /// What the program asked for.
        case asAsked
        /// No flush of data does anything; a write that flushes itself does.
        case withoutData
        /// A write that flushes itself is written only.
        case withoutOwnWrites
        /// No flush of a folder does anything.
        case withoutNames
        /// A write that flushes itself is on the medium at once, and what was flushed before it only after.
        case ownWritesFirst
    }

    private(set) var files: [SimulatedFile] = []
    private(set) var durableNames: [String: Int] = [:]
    private(set) var pendingNames: [NameChange] = []
    private var names: [String: Int] = [:]
    private var numbers: [UInt64: Int] = [:]
    private var lastNameNumber = 0
    /// What was there when each flush began: the mark of a file, or of the names of a folder.
    private var flushes: [UInt64: (file: Int?, folder: String, mark: Int)] = [:]
    /// Flushes that have ended and take effect later.
    private var lateFlushes: [(file: Int, mark: Int)] = []
    private let flush: Flush

    /// A disk with some files on it.
    init(files: [String: [UInt8]] = [:], flush: Flush = .asAsked) {
        self.flush = flush
        for (path, bytes) in files.sorted(by: { $0.key < $1.key }) {
            names[path] = self.files.count
            self.files.append(SimulatedFile(durable: bytes))
        }
        durableNames = names
    }

    /// Whether a power failure now could leave more than one disk.
    var isAtRest: Bool { pendingNames.isEmpty && files.allSatisfy { $0.pending.isEmpty } }

    mutating func apply(_ event: TraceEvent) {
        switch event.action {
        case .mark: break
        case .open(let isNew, let isEmptied):
            if isNew { numbers[event.file] = nil }
            let file = file(of: event, isNew: isNew)
            if isEmptied { files[file].change(.truncate(length: 0)) }
        case .write(let offset, let bytes, let identifier):
            let file = file(of: event)
            let own = flush == .withoutOwnWrites ? nil : identifier
            files[file].change(.write(offset: offset, bytes: bytes), identifier: own)
            if flush == .ownWritesFirst, let own { files[file].endWrite(own, isSound: true) }
        case .writeEnd(let identifier, let isSound):
            files[file(of: event)].endWrite(identifier, isSound: isSound)
            for late in lateFlushes { files[late.file].endFlush(upTo: late.mark, isSound: true) }
            lateFlushes = []
        case .truncate(let length): files[file(of: event)].change(.truncate(length: length))
        case .allocate(let offset, let length):
            files[file(of: event)].change(.allocate(end: offset + length))
        case .flush(let identifier): begin(identifier, event)
        case .flushEnd(let identifier, let isSound): end(identifier, isSound)
        case .rename(let other):
            guard let file = names[event.path] else { return }
            setName(other, file)
            setName(event.path, nil, belongsToPrevious: true)
        case .link(let other):
            if let file = names[event.path] { setName(other, file) }
        case .unlink: setName(event.path, nil)
        }
    }

    // MARK: Flushes

    private mutating func begin(_ identifier: UInt64, _ event: TraceEvent) {
        if let file = numbers[event.file] ?? names[event.path] {
            flushes[identifier] = (file, "", files[file].mark)
        } else {
            flushes[identifier] = (nil, event.path, lastNameNumber)
        }
    }

    private mutating func end(_ identifier: UInt64, _ isSound: Bool) {
        guard let begun = flushes.removeValue(forKey: identifier) else { return }
        if let file = begun.file {
            switch flush {
            case .withoutData: break
            case .ownWritesFirst where isSound: lateFlushes.append((file, begun.mark))
            default: files[file].endFlush(upTo: begun.mark, isSound: isSound)
            }
            return
        }
        guard isSound, flush != .withoutNames else { return }
        let isOf = { (change: NameChange) in
            change.number <= begun.mark && Self.folder(of: change.path) == begun.folder
        }
        for change in pendingNames where isOf(change) { durableNames[change.path] = change.file }
        pendingNames.removeAll(where: isOf)
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }

    // MARK: Names

    /// The file that an event is about; one that was not seen before begins empty, or as its name says.
    private mutating func file(of event: TraceEvent, isNew: Bool = false) -> Int {
        if let known = numbers[event.file] { return known }
        if !isNew, let known = names[event.path] {
            numbers[event.file] = known
            return known
        }
        let file = files.count
        files.append(SimulatedFile())
        numbers[event.file] = file
        setName(event.path, file)
        return file
    }

    private mutating func setName(_ path: String, _ file: Int?, belongsToPrevious: Bool = false) {
        names[path] = file
        lastNameNumber += 1
        pendingNames.append(
            NameChange(
                path: path, file: file, number: lastNameNumber,
                belongsToPrevious: belongsToPrevious))
    }
}
