/// Stores scene sessions in a folder, a file each, so that they can be restored whether the
/// process ended by itself, was killed or lost power.
///
/// A file has either the old state or the new one, never a mixture. A damaged file is
/// reported and renamed, and the other sessions are not affected. Only one store at a time
/// has a folder open. Calls block until the data is on disk. Use a store from one thread at
/// a time.
package final class RestorationStore {
    /// What a folder contains.
    package struct LoadResult {
        /// The sessions, in the order of their files' names.
        package var sessions: [StoredSession] = []
        /// Why other files could not be used.
        package var faults: [UISystem.RestorationError] = []
    }

    static let setAsideMax = 100

    private let folder: StateFolder

    /// Opens a folder, or creates it, and removes what interrupted writes left there.
    ///
    /// - Throws: `inUse`, `io`.
    package convenience init(folder path: String) throws(UISystem.RestorationError) {
        try self.init(StateFolder(path: path))
    }

    init(_ folder: StateFolder) throws(UISystem.RestorationError) {
        self.folder = folder
        for name in try folder.names() where name.hasSuffix(SessionFileName.temporarySuffix) {
            // One that cannot be removed only occupies space.
            try? folder.remove(name)
        }
    }

    /// Releases the folder before the store is deallocated. Later calls fail.
    package func close() { folder.close() }

    /// Every session that can be restored, and why others cannot.
    ///
    /// - Throws: `io`, if the folder cannot be listed.
    package func load() throws(UISystem.RestorationError) -> LoadResult {
        var result = LoadResult()
        for name in try folder.names() where name.hasSuffix(SessionFileName.suffix) {
            do {
                if let session = try read(name) { result.sessions.append(session) }
            } catch {
                result.faults.append(error)
            }
        }
        return result
    }

    /// A session's state; `nil` if none is stored.
    ///
    /// - Throws: `corrupt`, after which none is stored; `newerVersion`, `identifier`, `io`.
    package func session(_ persistentIdentifier: String) throws(UISystem.RestorationError) -> StoredSession? {
        try read(SessionFileName(identifier: persistentIdentifier).value)
    }

    /// Replaces a session's stored state, which stays if this fails.
    ///
    /// - Throws: `identifier`, `tooLarge`, `io`.
    package func store(_ session: StoredSession) throws(UISystem.RestorationError) {
        let name = try SessionFileName(identifier: session.persistentIdentifier)
        try folder.replace(name.value, with: SessionFile.bytes(of: session), by: name.temporary)
    }

    /// Removes a session's stored state, if there is any.
    ///
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
            // A copy of a file under another name must not restore a session twice.
            guard (try? SessionFileName(identifier: session.persistentIdentifier))?.value == name else {
                throw setAside(name, "it has the state of session \(session.persistentIdentifier)")
            }
            return session
        case .newerVersion(let version):
            throw UISystem.RestorationError(
                kind: .newerVersion, location: folder.path(of: name),
                problem: "was written by a newer program, in version \(version) of the format",
                advice: "use that program to restore it; this one leaves the file as it is")
        case .corrupt(let problem):
            throw setAside(name, problem)
        }
    }

    private func setAside(_ name: String, _ problem: String) -> UISystem.RestorationError {
        for number in 1...Self.setAsideMax {
            let aside = SessionFileName.setAside(name, number: number)
            guard folder.rename(name, to: aside) else { continue }
            return UISystem.RestorationError(
                kind: .corrupt(setAside: folder.path(of: aside)), location: folder.path(of: name),
                problem: "cannot be restored: \(problem)",
                advice: "it was renamed to \(aside); remove that file, or restore a backup under the old name")
        }
        return UISystem.RestorationError(
            kind: .corrupt(setAside: nil), location: folder.path(of: name), problem: "cannot be restored: \(problem)",
            advice: "it could not be renamed; remove it and older .corrupt files")
    }
}
