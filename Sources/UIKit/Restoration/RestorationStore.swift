/// Scene sessions on disk, a file each, so that a scene comes back as it was left,
/// whether the process ended by itself, was killed or lost its power.
///
/// A file has either the old state or the new one and never a mixture. One that is
/// damaged is reported and set aside under another name; the other sessions do not
/// suffer. One store has a folder open at a time. Calls block until the disk has what
/// was stored; they come from one thread at a time.
package final class RestorationStore {
    /// What a folder held.
    package struct Content {
        /// In the order of their files' names.
        package var sessions: [StoredSession] = []
        /// The files that could not be used.
        package var faults: [UISystem.RestorationError] = []
    }

    static let setAsideMax = 100

    private let folder: StateFolder

    /// Opens a folder, or makes it, and clears what an interrupted write left there.
    /// - Throws: `inUse`, `io`.
    package convenience init(folder path: String) throws(UISystem.RestorationError) {
        try self.init(StateFolder(path: path))
    }

    init(_ folder: StateFolder) throws(UISystem.RestorationError) {
        self.folder = folder
        for name in try folder.names() where name.hasSuffix(SessionFileName.temporarySuffix) {
            // One that stays costs only room, and what is stored can still be read.
            try? folder.remove(name)
        }
    }

    /// Gives the folder free before the store itself goes. Later calls fail.
    package func close() { folder.close() }

    /// Every session that can be restored, and what kept others from it.
    /// - Throws: `io`, if the folder cannot be listed.
    package func content() throws(UISystem.RestorationError) -> Content {
        var content = Content()
        for name in try folder.names() where name.hasSuffix(SessionFileName.suffix) {
            do {
                if let session = try read(name) { content.sessions.append(session) }
            } catch {
                content.faults.append(error)
            }
        }
        return content
    }

    /// A session's state; nil if none is stored.
    /// - Throws: `corrupt`, after which there is none; `newerVersion`, `identifier`, `io`.
    package func session(_ persistentIdentifier: String) throws(UISystem.RestorationError) -> StoredSession? {
        try read(SessionFileName(identifier: persistentIdentifier).value)
    }

    /// Stores a session's state in place of the one before, which stays if this fails.
    /// - Throws: `identifier`, `tooLarge`, `io`.
    package func store(_ session: StoredSession) throws(UISystem.RestorationError) {
        let name = try SessionFileName(identifier: session.persistentIdentifier)
        try folder.replace(name.value, by: SessionFile.bytes(of: session), through: name.temporary)
    }

    /// Forgets a session, if it is stored.
    /// - Throws: `identifier`, `io`.
    package func remove(_ persistentIdentifier: String) throws(UISystem.RestorationError) {
        try folder.remove(SessionFileName(identifier: persistentIdentifier).value)
    }

    private func read(_ name: String) throws(UISystem.RestorationError) -> StoredSession? {
        guard let bytes = try folder.read(name, bytesMax: SessionFile.bytesMax) else { return nil }
        guard bytes.count <= SessionFile.bytesMax else {
            throw setAside(name, "it has more than \(SessionFile.bytesMax) bytes")
        }
        switch SessionFile.content(of: bytes) {
        case .session(let session):
            // A file that was copied under another name must not restore a session twice.
            guard (try? SessionFileName(identifier: session.persistentIdentifier))?.value == name else {
                throw setAside(name, "it holds the state of session \(session.persistentIdentifier)")
            }
            return session
        case .newerVersion(let version):
            throw UISystem.RestorationError(
                kind: .newerVersion, place: folder.place(name),
                problem: "was written by a newer program, as version \(version)",
                advice: "run that one to restore it; this one leaves it as it is")
        case .corrupt(let problem):
            throw setAside(name, problem)
        }
    }

    private func setAside(_ name: String, _ problem: String) -> UISystem.RestorationError {
        for number in 1...Self.setAsideMax {
            let aside = SessionFileName.setAside(name, number: number)
            guard folder.rename(name, to: aside) else { continue }
            return UISystem.RestorationError(
                kind: .corrupt(setAside: folder.place(aside)), place: folder.place(name),
                problem: "cannot be restored, \(problem)",
                advice: "it was set aside as \(aside); remove that, or put a backup in the first one's place")
        }
        return UISystem.RestorationError(
            kind: .corrupt(setAside: nil), place: folder.place(name), problem: "cannot be restored, \(problem)",
            advice: "it could not be set aside; remove it and older .corrupt files by hand")
    }
}
