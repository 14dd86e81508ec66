extension MemorySafetyRule {
    /// The files outside SettleLMDB and SettlePQ that hold unsafe code, each with its reason.
    static let exceptions: [Exception] = [
        Exception(
            path: "Sources/SettleDocuments/Collation/RootCollation.swift",
            words: [
                "unchecked", "unsafe", "withUnsafeTemporaryAllocation", "UnsafeBufferPointer",
            ],
            reason: "Calls ICU, a C library; its collator is never changed once it is open."),
        Exception(
            path: "Sources/SettlePrimitives/Bytes/SpanBytes.swift",
            words: ["unsafe", "withUnsafeBufferPointer"],
            reason: "The standard library makes no array of a span, nor a span of a string."),
        Exception(
            path: "Sources/SettlePrimitives/Bytes/OutputSpan+Copying.swift",
            words: [
                "unsafe", "withUnsafeBytes", "withUnsafeMutableBufferPointer",
                "UnsafeMutableRawPointer",
            ],
            reason: "The standard library copies no span into an output span by itself."),
        Exception(
            path: "Sources/SettlePrimitives/Threads/ConditionLock.swift",
            words: ["unchecked", "unsafe", "UnsafeMutablePointer"],
            reason:
                "A lock that threads can wait at is the system's; the standard library has none."
        ),
        Exception(
            path: "Sources/SettlePrimitives/Threads/Lock.swift",
            words: ["unchecked", "unsafe"],
            reason:
                "A lock that sanitizers see, in a build for them; it hands out its value as the one above."
        ),
        Exception(
            path: "Sources/SettlePrimitives/Threads/Monitor.swift",
            words: ["unchecked"],
            reason: "Hands out its value under its lock, which the compiler cannot see."),
        Exception(
            path: "Sources/SettlePrimitives/Threads/DedicatedThread.swift",
            words: ["unchecked", "unsafe", "Unmanaged", "UnsafeMutableRawPointer"],
            reason: "The system starts a thread with a C function and a pointer."),
        Exception(
            path: "Sources/SettlePrimitives/Threads/ThreadIdentity.swift",
            words: ["unsafe"],
            reason: "The system of Apple identifies a thread by a pointer."),
        Exception(
            path: "Sources/Settle/Configuration/Configuration.swift",
            words: ["unchecked"],
            reason: "An open class cannot be checked; all it stores is constant and Sendable."),
        Exception(
            path: "Sources/Settle/Documents/DynamicValue.swift",
            words: ["unsafe"],
            reason: "Foundation tells 5.0 from 5 in an NSNumber only by a C string."),
        Exception(
            path: "Sources/Settle/Models/StoredField.swift",
            words: ["unsafe"],
            reason: "The standard library hands over the names of stored properties by pointer."),
        Exception(
            path: "Sources/Settle/Models/CodingKeysProbe.swift",
            words: ["unsafe", "UnsafePointer"],
            reason: "The runtime has a coding key's case name only as a C string."),
        Exception(
            path: "Sources/Settle/Files/ReplacedFile.swift",
            words: ["unsafe"],
            reason: "Foundation on Linux cannot replace a file in one step; rename(2) can."),
        Exception(
            path: "Sources/SettleCosmos/Accounts/KeychainTokenStore.swift",
            words: ["unsafe"],
            reason: "The keychain of Apple's systems hands over what it finds by pointer."),
        Exception(
            path: "Sources/SettleEntities/References/EntityReference.swift",
            words: ["unchecked"],
            reason: "An open class cannot be checked; all it stores is constant, or guards itself."),
        Exception(
            path: "Sources/SettleEntities/References/CustomReference.swift",
            words: ["unchecked"],
            reason: "An open class cannot be checked; it stores nothing of its own."),
        Exception(
            path: "Tests/SettleEntitiesTests/Datastore/ReferenceTests.swift",
            words: ["unchecked"],
            reason: "A subclass of an open class says what its superclass says."),
        Exception(
            path: "Tests/SettleEntitiesTests/Datastore/SeedNameTests.swift",
            words: ["unchecked"],
            reason: "A subclass of an open class says what its superclass says."),
        Exception(
            path: "Tests/JourneyTests/Entities/EntitiesGuideTests.swift",
            words: ["unchecked"],
            reason: "A subclass of an open class says what its superclass says."),
        Exception(
            path: "Sources/SettleCommand/Main.swift",
            words: ["unsafe", "unsafeArgv"],
            reason: "Only C strings still show what is not UTF-8 in the command line."),
        Exception(
            path: "Sources/SettleCommand/Terminal/LineEditor.swift",
            words: ["unchecked", "unsafe", "Unmanaged", "UnsafeMutablePointer"],
            reason: "Calls libedit, a C library, which calls back with a pointer."),
        Exception(
            path: "Sources/SettleCommand/Terminal/Terminal.swift",
            words: ["unsafe"],
            reason: "Foundation knows no terminal's width, and gives no editor the terminal; "
                + "ioctl(2) and system(3) do."),
        Exception(
            path: "Tests/TestSupport/ChildProcess.swift",
            words: ["UnsafeMutablePointer", "UnsafePointer", "unsafeBitCast"],
            reason:
                "posix_spawn(3) takes C strings, and glibc hides two of its functions from Swift."
        ),
        Exception(
            path: "Tests/Fuzzing/Package.swift",
            words: ["unsafeFlags"],
            reason: "The fuzzer's instrumentation is a compiler flag that the package manager "
                + "does not know."),
        Exception(
            path: "Tests/Fuzzing/Sources/fuzz-json/FuzzJSON.swift",
            words: ["UnsafeMutablePointer", "unsafeArgv", "UnsafeBufferPointer"],
            reason: "libFuzzer is a C library and hands its input over by pointer."),
        Exception(
            path: "Tests/Fuzzing/Sources/fuzz-packed/FuzzPacked.swift",
            words: ["UnsafeMutablePointer", "unsafeArgv", "UnsafeBufferPointer"],
            reason: "libFuzzer is a C library and hands its input over by pointer."),
        Exception(
            path: "Tests/Fuzzing/Sources/fuzz-odata/FuzzOData.swift",
            words: ["UnsafeMutablePointer", "unsafeArgv", "UnsafeBufferPointer"],
            reason: "libFuzzer is a C library and hands its input over by pointer."),
        Exception(
            path: "Tests/SettleTests/Database/OpeningTests.swift",
            words: ["unchecked"],
            reason: "Shows a subclass of the open configuration, which has to say so again."),
        Exception(
            path: "Tests/SettleServerTests/Server/RawConnection.swift",
            words: ["withUnsafePointer", "withUnsafeBytes"],
            reason: "Connects by the C functions, whose addresses and buffers go by pointer."),
        Exception(
            path: "Tests/Benchmarks/Sources/Benchmarks/Measuring/ByteRelay.swift",
            words: ["withUnsafePointer", "withUnsafeMutablePointer"],
            reason: "Sockets by the C functions, whose addresses and buffers go by pointer."),
        Exception(
            path: "Tests/Benchmarks/Sources/Benchmarks/Measuring/Loopback.swift",
            words: ["withUnsafePointer", "withUnsafeBytes", "UnsafeRawBufferPointer"],
            reason: "Sockets by the C functions, whose addresses and buffers go by pointer."),
    ]
}
