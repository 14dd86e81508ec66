import SettlePrimitives

extension LogKeeper {
    /// Begins to use the log, if that is possible; the state before the transaction is the storage checkpoint.
    ///
    /// Where it is not possible, commits go on without it. Once its head may be on the medium, a failure is final.
    func enter(_ handle: EngineTransaction, _ engine: EngineEnvironment) {
        let checkpoint = handle.number - 1
        guard checkpoint > 0, (try? hasRoom(engine)) == true else { return }
        plainCommitsLeft = options.logTuning.plainCommitsAfterOthers
        var pins: [EngineTransaction] = []
        do throws(LMDBError) {
            let descriptor = try engine.dataDescriptor()
            let pageSize = try engine.pageSize()
            let file: LogFile
            var found: LogHead
            do throws(LMDBError) {
                try requirePlace(engine)
                (file, found) = try openFile(pageSizeBytes: pageSize)
            } catch {
                plainCommitsLeft = options.logTuning.plainCommitsAfterFailure
                throw error
            }
            let mark = try DataMark.read(descriptor, path: directory)
            if mark.identifier != found.identifier {
                found = try bind(file, found, mark, engine, pageSizeBytes: pageSize)
            } else if flushedTransaction != checkpoint, !options.logFaults.contains(.noDataFlush) {
                mustMend = true
                try flushData(engine)
                mustMend = false
            }
            let meta = try MetaPages.copy(
                of: checkpoint, descriptor, pageSizeBytes: pageSize, path: directory)
            // Two at once: a checkpoint must not fail for want of a place.
            for _ in 0..<2 { pins.append(try engine.begin(isReadOnly: true)) }
            pins[1].reset()
            if options.logFaults.contains(.noPin) { pins[0].reset() }
            var head = found.cleaned(checkpoint: checkpoint, generation: found.generation + 1)
            head.state = .live
            head.session = UInt32.random(in: 1...UInt32.max)
            head.segment = 0
            head.meta = meta
            head.pageSizeBytes = pageSize
            try begin(head, file, pins, engine, descriptor)
        } catch {
            for pin in pins { pin.abort() }
        }
    }

    /// Gives the data file the identifier of the log, for good, before the log says anything of it.
    private func bind(
        _ file: LogFile, _ head: LogHead, _ mark: DataMark, _ engine: EngineEnvironment,
        pageSizeBytes: Int
    ) throws(LMDBError) -> LogHead {
        // Its maker may have died before it was.
        let head = try file.makeDurable(head)
        try FileSystem.flushDirectory(directory)
        let descriptor = try engine.dataDescriptor()
        do throws(LMDBError) {
            try DataMark(identifier: head.identifier, session: 0)
                .write(descriptor, pageSizeBytes: pageSizeBytes, path: directory)
            try flushData(engine)
        } catch {
            // Nobody must take it for flushed.
            try? mark.write(descriptor, pageSizeBytes: pageSizeBytes, path: directory)
            mustMend = true
            throw error
        }
        return head
    }

    /// Whether the largest map has room for the pages that the log keeps.
    ///
    /// In a file that is all but full every freed page is needed at once, for a deletion even.
    func hasRoom(_ engine: EngineEnvironment) throws(LMDBError) -> Bool {
        let used = try engine.info().pageLast * engine.pageSize()
        return options.mapSizeMax - used >= options.mapSizeMax / options.logTuning.mapReservePart
    }

    func begin(
        _ head: LogHead, _ file: LogFile, _ pins: [EngineTransaction], _ engine: EngineEnvironment,
        _ descriptor: Int32
    ) throws(LMDBError) {
        // Others must see that the log is in use before it is.
        try DataMark(identifier: head.identifier, session: head.session)
            .write(descriptor, pageSizeBytes: head.pageSizeBytes, path: directory)
        wasLastUser = true
        session = LogSession(
            file: file, number: head.session, head: head, pin: pins[0], segment: head.segment,
            generation: head.generation)
        work.withLock { work in
            work.file = file
            work.session = head.session
            work.spare = pins[1]
            work.lastCommit = .now
        }
        do throws(LMDBError) {
            try file.locked { () throws(LMDBError) in
                try file.write(head)
                try file.flush()
            }
            try engine.setFlushing(false)
        } catch {
            poison(error)
            return
        }
        startThread()
    }

    func openFile(
        pageSizeBytes: Int
    ) throws(LMDBError) -> (LogFile, LogHead) {
        if let file = try LogFile.open(in: directory, isReadOnly: false), let head = try file.head()
        {
            guard head.state == .clean else {
                throw LMDBError(
                    code: .invalid, operation: "open log", path: directory,
                    message: "The log \(LogLayout.name) belongs to another data file.")
            }
            return (file, head)
        }
        let head = LogHead(
            state: .clean, sequence: 1, identifier: UInt32.random(in: 1...UInt32.max), session: 0,
            generation: 0, segment: 0, segmentBytes: options.logTuning.segmentBytes,
            pageSizeBytes: pageSizeBytes, checkpoint: 0, meta: [])
        return (try LogFile.make(in: directory, head: head), head)
    }

    /// Makes the data file stand by itself whose log another process uses, or has left when it was killed.
    ///
    /// The mark is changed first: an owner that lives must see with its next transaction that the log is not its own any
    /// more, also when this process dies before it is done. Whoever comes then begins anew.
    func takeOver(
        _ mark: DataMark, _ handle: EngineTransaction, _ engine: EngineEnvironment
    ) throws(LMDBError) {
        try requirePlace(engine)
        guard let file = try LogFile.open(in: directory, isReadOnly: false) else {
            throw LMDBError(
                code: .corrupted, operation: "take over log", path: directory,
                message: "Another process uses the log \(LogLayout.name), which is not there.")
        }
        let (descriptor, pageSize) = (try engine.dataDescriptor(), try engine.pageSize())
        var claimed = mark
        do throws(LMDBError) {
            try file.locked { () throws(LMDBError) in
                try file.requireSound(session: mark.session)
                guard let found = try file.head() else { return }
                if found.state == .live { try file.requireSound(session: found.session) }
                if !options.logFaults.contains(.noClaim) {
                    var claim = mark
                    while claim.session == mark.session {
                        claim.session = UInt32.random(in: 1...UInt32.max)
                    }
                    try claim.write(descriptor, pageSizeBytes: pageSize, path: directory)
                    claimed = claim
                }
                let head = try file.makeDurable(found)
                if head.state == .live {
                    try flushData(engine)
                    // The records may have gone on in the other segment.
                    try file.write(
                        head.cleaned(
                            checkpoint: handle.number - 1, generation: head.generation + 1))
                    try file.flush()
                }
            }
        } catch {
            file.notePoison(session: claimed.session)
            throw poison(error)
        }
        try DataMark(identifier: mark.identifier, session: 0)
            .write(descriptor, pageSizeBytes: pageSize, path: directory)
    }
}
