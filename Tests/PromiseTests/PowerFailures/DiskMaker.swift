import TestSupport

/// Makes the disks that a power failure could have left.
struct DiskMaker {
    /// What becomes of what was not flushed.
    enum Manner: CaseIterable, Sendable {
        /// None of it is there.
        case nothing
        /// All of it is.
        case everything
        /// Each change is there as a whole or not.
        case wholeChanges
        /// Each sector has one of the states that it was in since it was flushed.
        case sectors
        /// The same of pages.
        case pages
    }

    /// Blocks that were being written may hold anything.
    struct Damage: Sendable {
        /// How many bytes go together.
        let blockSize: Int
        /// Where a file may be damaged.
        let isPossible: @Sendable (_ path: String, _ offset: Int) -> Bool
    }

    /// The files that are left, by their paths.
    typealias Image = [String: [UInt8]]

    let disk: SimulatedDisk
    let manner: Manner
    var damage: Damage?

    /// Makes one of the disks.
    func image(using generator: inout some RandomNumberGenerator) -> Image {
        var image: Image = [:]
        for (path, file) in names(using: &generator).sorted(by: { $0.key < $1.key }) {
            image[path] = content(of: disk.files[file], path, using: &generator)
        }
        return image
    }

    /// A file system keeps the order of names: a prefix of what was done to them is there.
    private func names(using generator: inout some RandomNumberGenerator) -> [String: Int] {
        var names = disk.durableNames
        var count =
            switch manner {
            case .nothing: 0
            case .everything: disk.pendingNames.count
            default: Int.random(in: 0...disk.pendingNames.count, using: &generator)
            }
        while count < disk.pendingNames.count, count > 0,
            disk.pendingNames[count].belongsToPrevious
        { count -= 1 }
        for change in disk.pendingNames.prefix(count) { names[change.path] = change.file }
        return names
    }

    private func content(
        of file: SimulatedFile, _ path: String, using generator: inout some RandomNumberGenerator
    ) -> [UInt8] {
        var bytes = file.durable
        switch manner {
        case .nothing: break
        case .everything:
            for change in file.pending { SimulatedFile.apply(change.kind, to: &bytes) }
        case .wholeChanges:
            for change in file.pending where Bool.random(using: &generator) {
                SimulatedFile.apply(change.kind, to: &bytes)
            }
        case .sectors: bytes = torn(file, at: 512, using: &generator)
        case .pages: bytes = torn(file, at: 4_096, using: &generator)
        }
        if let damage, manner != .nothing, Int.random(in: 0..<2, using: &generator) == 0 {
            spoil(&bytes, of: file, path, damage, using: &generator)
        }
        return bytes
    }

    /// The states of a file with each of its blocks from one of them.
    private func torn(
        _ file: SimulatedFile, at blockSize: Int, using generator: inout some RandomNumberGenerator
    ) -> [UInt8] {
        var changes: [Int: [Int]] = [:]
        for (place, change) in file.pending.enumerated() {
            guard case .write(let offset, let bytes) = change.kind, !bytes.isEmpty else { continue }
            for block in (offset / blockSize)...((offset + bytes.count - 1) / blockSize) {
                changes[block, default: []].append(place)
            }
        }
        var sizes = [file.durable.count]
        for change in file.pending {
            let last = sizes[sizes.count - 1]
            switch change.kind {
            case .write(let offset, let bytes): sizes.append(max(last, offset + bytes.count))
            case .truncate(let length): sizes.append(length)
            case .allocate(let end): sizes.append(max(last, end))
            }
        }
        var bytes = file.durable
        for (block, places) in changes.sorted(by: { $0.key < $1.key }) {
            let range = (block * blockSize)..<((block + 1) * blockSize)
            for place in places.prefix(Int.random(in: 0...places.count, using: &generator)) {
                guard case .write(let offset, let written) = file.pending[place].kind else {
                    continue
                }
                let part = range.clamped(to: offset..<offset + written.count)
                SimulatedFile.apply(
                    .write(
                        offset: part.lowerBound,
                        bytes: Array(
                            written[(part.lowerBound - offset)..<(part.upperBound - offset)])),
                    to: &bytes)
            }
        }
        // The length is one that the file had, whatever came of its blocks.
        let size = sizes.randomElement(using: &generator) ?? bytes.count
        SimulatedFile.apply(.truncate(length: size), to: &bytes)
        return bytes
    }

    /// Puts anything into one block that was being written.
    private func spoil(
        _ bytes: inout [UInt8], of file: SimulatedFile, _ path: String, _ damage: Damage,
        using generator: inout some RandomNumberGenerator
    ) {
        guard
            case .write(let offset, let written) = file.pending.randomElement(using: &generator)?
                .kind,
            !written.isEmpty
        else { return }
        let place = Int.random(in: offset..<offset + written.count, using: &generator)
        let start = place / damage.blockSize * damage.blockSize
        guard start < bytes.count, damage.isPossible(path, start) else { return }
        for place in start..<min(start + damage.blockSize, bytes.count) {
            bytes[place] = UInt8.random(in: .min ... .max, using: &generator)
        }
    }
}
