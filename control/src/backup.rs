//! Backups: everything of a data folder in one file, of one revision.
//!
//! A magic line and the number of the format, then frames: length, content, and the SHA-256 of the whole file so far. The
//! first frame is the header, then come entries, and the last one is empty. So a file that was cut, changed or extended is
//! noticed.

use crate::{
    certificates::{Authority, SEALED_AUTHORITY},
    files,
    sealing::{self, Seal},
    store::{self, Entry, FolderLock, LOCK_FILE, RESTORING, Revision, StoreError},
};
use argon2::Argon2;
use aws_lc_rs::{digest, rand};
use postern_api::{Code, Error, Result, Secret};
use postern_config::private_file;
use serde::{Deserialize, Serialize};
use std::{
    ffi::OsStr,
    fs::{self, File},
    io::{self, BufRead, BufReader, BufWriter, Read, Write},
    path::{Path, PathBuf},
};
use zeroize::Zeroizing;

const MAGIC: &[u8; 16] = b"POSTERN BACKUP\r\n";
const FORMAT: u32 = 1;
/// A longer frame is neither written nor read. Entries go on in the next frame.
const FRAME_BYTES: usize = 256 << 10;
/// A longer key or value is neither written nor read. The API takes bodies of 1 MiB.
const MAX_PART_BYTES: u64 = 64 << 20;
const DIGEST_LENGTH: usize = 32;
const PURPOSE: &str = "backup";
const PROOF_PURPOSE: &str = "proof of a backup";
/// Files that a restore writes, in the order in which they are moved: without the database, a server refuses the folder.
const RESTORED: [&str; 5] = [sealing::FILE, "store.json", SEALED_AUTHORITY, "ca.pem", "postern.db"];

/// What was saved or restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Saved {
    /// Entries.
    pub entries: u64,
    /// Newest commit among them.
    pub revision: Revision,
}

/// Where the key of all secrets comes from.
#[derive(Debug)]
pub enum KeySource {
    /// From the backup, which has it sealed with this passphrase.
    Passphrase(Secret),
    /// From this file.
    File(PathBuf),
    /// It was not named.
    Missing,
}

#[derive(Serialize, Deserialize)]
struct Header {
    product: String,
    created: jiff::Timestamp,
    revision: Revision,
    /// The sealed authority of the folder.
    authority: Option<Vec<u8>>,
    /// The magic line, sealed with the key of the folder.
    proof: Vec<u8>,
    keys: Option<SealedKeys>,
}

#[derive(Serialize, Deserialize)]
struct SealedKeys {
    salt: [u8; 16],
    sealed: Vec<u8>,
}

/// Saves what a data folder has into a new file, also while a server uses the folder. `replace` allows a file that exists.
///
/// # Errors
/// If the folder has no database, the file exists, or one of the two cannot be read or written.
pub fn back_up(folder: &Path, file: &Path, passphrase: Option<&Secret>, replace: bool) -> Result<Saved> {
    let failed = |error: io::Error| cannot("written", file, &error);
    if !store::has_database(folder) {
        let message = format!(
            "`{}` has no database to back up. Name the data folder with --data-dir; the store of several servers is backed up with its own tools.",
            folder.display()
        );
        return Err(Error::new(Code::ConfigInvalid, message));
    }
    let taken = || {
        let message = format!("`{}` exists. Name a new file, or replace this one with --force.", file.display());
        Error::new(Code::ConfigInvalid, message)
    };
    if !replace && file.exists() {
        return Err(taken());
    }
    let key = sealing::read_key(folder)?;
    let header = Header {
        product: env!("CARGO_PKG_VERSION").to_owned(),
        created: postern_api::clock::now(),
        revision: 0,
        authority: files::read(&folder.join(SEALED_AUTHORITY))?,
        proof: Seal::from_key(&key)?.seal(MAGIC, PROOF_PURPOSE)?,
        keys: passphrase.map(|passphrase| seal_key(&key, passphrase)).transpose()?,
    };
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Random name, mode 0600, and removed unless it is renamed.
    let staged = tempfile::Builder::new().prefix(".backup.").suffix(".new").tempfile_in(parent).map_err(failed)?;
    let written = store::read_all::<_, Error>(
        folder,
        |revision| Writer::begin(staged.as_file(), &Header { revision, ..header }).map_err(failed),
        |writer, entry| if store::is_own(&entry.key) { Ok(()) } else { writer.entry(&entry).map_err(failed) },
    )?;
    let saved = written.end().map_err(failed)?;
    let renamed = if replace { staged.persist(file) } else { staged.persist_noclobber(file) };
    match renamed {
        Ok(_) => {}
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => return Err(taken()),
        Err(error) => return Err(failed(error.error)),
    }
    private_file::sync_folder(parent).map_err(failed)?;
    Ok(saved)
}

/// Restores a backup into an empty data folder. It is checked to its end before anything is there. What an interrupted
/// restore left is removed first; until then no server starts from it.
///
/// # Errors
/// `StorageDamaged` if the file was cut or changed, `Unavailable` if the folder is not empty or a newer version wrote the file,
/// `ConfigInvalid` if the key is missing or wrong.
pub fn restore(folder: &Path, file: &Path, key: &KeySource) -> Result<Saved> {
    let mut reader = Reader::open(file)?;
    let header = reader.begin()?;
    let key = open_key(key, &header)?;
    files::create_private_folder(folder)?;
    let staging = folder.join(RESTORING);
    let is_interrupted = staging.exists();
    let may_be_there = |name: &OsStr| {
        name == RESTORING || name == LOCK_FILE || (is_interrupted && RESTORED.iter().any(|restored| name == *restored))
    };
    let mut content = fs::read_dir(folder).map_err(|error| cannot("read", folder, &error))?;
    if content.any(|entry| !entry.is_ok_and(|entry| may_be_there(&entry.file_name()))) {
        let message = format!("`{}` is not empty. Name an empty folder with --data-dir.", folder.display());
        return Err(Error::new(Code::Unavailable, message));
    }
    let lock = FolderLock::take_to_restore(folder)?;
    discard(folder).map_err(|error| cannot("written", folder, &error))?;
    let restored = fill(&staging, &mut reader, &header, &key).and_then(|saved| publish(folder).map(|()| saved));
    if restored.is_err() && discard(folder).is_ok() {
        let _ = fs::remove_file(folder.join(LOCK_FILE));
    }
    drop(lock);
    restored
}

/// Removes what a restore wrote, and its mark at last.
fn discard(folder: &Path) -> io::Result<()> {
    let unless_missing = |removed: io::Result<()>| match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    };
    let staging = folder.join(RESTORING);
    if !staging.exists() {
        return Ok(());
    }
    RESTORED.iter().try_for_each(|name| unless_missing(fs::remove_file(folder.join(name))))?;
    private_file::sync_folder(folder)?;
    unless_missing(fs::remove_dir_all(&staging))
}

fn fill(staging: &Path, reader: &mut Reader<'_>, header: &Header, key: &[u8]) -> Result<Saved> {
    files::create_private_folder(staging)?;
    if let Some(folder) = staging.parent() {
        private_file::sync_folder(folder).map_err(|error| cannot("written", folder, &error))?;
    }
    let mut saved = Saved { entries: 0, revision: header.revision };
    store::write_all::<Error>(staging, header.revision, || {
        let entry = reader.entry()?;
        saved.entries += u64::from(entry.is_some());
        Ok(entry)
    })?;
    files::write_private(&staging.join(sealing::FILE), key)?;
    if let Some(authority) = &header.authority {
        files::write_private(&staging.join(SEALED_AUTHORITY), authority)?;
        Authority::open(staging)?;
    }
    Ok(saved)
}

/// Moves the restored files, then removes the mark.
fn publish(folder: &Path) -> Result<()> {
    let staging = folder.join(RESTORING);
    for name in RESTORED {
        let restored = staging.join(name);
        if restored.exists() {
            files::rename(&restored, &folder.join(name))?;
        }
    }
    let removed = fs::remove_dir_all(&staging).and_then(|()| private_file::sync_folder(folder));
    removed.map_err(|error| cannot("written", folder, &error))
}

// === the keys ===

fn derive(passphrase: &Secret, salt: &[u8]) -> Result<Seal> {
    let mut key = Zeroizing::new([0; 32]);
    let derived = Argon2::default().hash_password_into(passphrase.reveal().as_bytes(), salt, &mut *key);
    derived.map_err(|error| StoreError::Broken(format!("the passphrase cannot be used: {error}")))?;
    Seal::from_key(&*key)
}

fn seal_key(key: &[u8], passphrase: &Secret) -> Result<SealedKeys> {
    let mut salt = [0; 16];
    rand::fill(&mut salt).map_err(|_| StoreError::Broken("no random numbers".to_owned()))?;
    let sealed = derive(passphrase, &salt)?.seal(key, PURPOSE)?;
    Ok(SealedKeys { salt, sealed })
}

/// The key, which opened the proof in the header.
fn open_key(source: &KeySource, header: &Header) -> Result<Zeroizing<Vec<u8>>> {
    let refuse = |message: &str| Error::new(Code::ConfigInvalid, message);
    let key = match (source, &header.keys) {
        (KeySource::File(file), _) => {
            fs::read(file).map(Zeroizing::new).map_err(|error| cannot("read", file, &error))?
        }
        (KeySource::Passphrase(passphrase), Some(keys)) => {
            derive(passphrase, &keys.salt)?.unseal(&keys.sealed, PURPOSE).ok_or_else(|| {
                refuse("The passphrase is not the one of the backup. Name another with --passphrase-file.")
            })?
        }
        (KeySource::Missing, Some(_)) => {
            return Err(refuse("The keys in the backup are sealed. Name the passphrase with --passphrase-file."));
        }
        (_, None) => {
            return Err(refuse(
                "The backup has no keys, without which its secrets cannot be read. Name `seal.key` of the folder that was backed up with --key-file.",
            ));
        }
    };
    let fits = Seal::from_key(&key).is_ok_and(|seal| seal.unseal(&header.proof, PROOF_PURPOSE).is_some());
    if !fits {
        let message =
            "The key does not fit to the backup. Name `seal.key` of the folder that was backed up with --key-file.";
        return Err(refuse(message));
    }
    Ok(key)
}

// === the file ===

struct Writer<'a> {
    out: BufWriter<&'a File>,
    digest: digest::Context,
    /// Entries that are not in a frame yet.
    pending: Vec<u8>,
    saved: Saved,
}

impl<'a> Writer<'a> {
    fn begin(file: &'a File, header: &Header) -> io::Result<Self> {
        let saved = Saved { entries: 0, revision: header.revision };
        let digest = digest::Context::new(&digest::SHA256);
        let mut writer = Writer { out: BufWriter::new(file), digest, pending: Vec::new(), saved };
        writer.put(MAGIC)?;
        writer.put(&FORMAT.to_be_bytes())?;
        writer.frame(&serde_json::to_vec(header)?)?;
        Ok(writer)
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.digest.update(bytes);
        self.out.write_all(bytes)
    }

    fn frame(&mut self, content: &[u8]) -> io::Result<()> {
        if content.len() > FRAME_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.put(&(content.len() as u32).to_be_bytes())?;
        self.put(content)?;
        let sum = self.digest.clone().finish();
        self.put(sum.as_ref())
    }

    fn entry(&mut self, entry: &Entry) -> io::Result<()> {
        self.pending.extend(entry.revision.to_be_bytes());
        for part in [entry.key.as_bytes(), &entry.value] {
            if part.len() as u64 > MAX_PART_BYTES {
                return Err(io::ErrorKind::FileTooLarge.into());
            }
            self.pending.extend((part.len() as u64).to_be_bytes());
            self.pending.extend(part);
        }
        self.saved.entries += 1;
        while self.pending.len() >= FRAME_BYTES {
            let later = self.pending.split_off(FRAME_BYTES);
            let full = std::mem::replace(&mut self.pending, later);
            self.frame(&full)?;
        }
        Ok(())
    }

    /// Writes what is pending and the last frame; the file is on disk then.
    fn end(mut self) -> io::Result<Saved> {
        let pending = std::mem::take(&mut self.pending);
        if !pending.is_empty() {
            self.frame(&pending)?;
        }
        self.frame(&[])?;
        self.out.flush()?;
        self.out.get_ref().sync_all()?;
        Ok(self.saved)
    }
}

struct Reader<'a> {
    input: BufReader<File>,
    digest: digest::Context,
    file: &'a Path,
    /// The frame that is being read, and how far.
    frame: Vec<u8>,
    at: usize,
}

impl<'a> Reader<'a> {
    fn open(file: &'a Path) -> Result<Self> {
        let input = BufReader::new(File::open(file).map_err(|error| cannot("read", file, &error))?);
        Ok(Reader { input, digest: digest::Context::new(&digest::SHA256), file, frame: Vec::new(), at: 0 })
    }

    fn damaged(&self, what: &str) -> Error {
        let message = format!("`{}` is not a complete backup: {what}. Use another one.", self.file.display());
        Error::new(Code::StorageDamaged, message)
    }

    fn get(&mut self, length: usize) -> Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        self.input.read_exact(&mut bytes).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => self.damaged("its end is missing"),
            _ => cannot("read", self.file, &error),
        })?;
        Ok(bytes)
    }

    fn number(&mut self) -> Result<u32> {
        let bytes = self.get(4)?;
        self.digest.update(&bytes);
        Ok(bytes.iter().fold(0, |number, byte| number << 8 | u32::from(*byte)))
    }

    fn begin(&mut self) -> Result<Header> {
        let magic = self.get(MAGIC.len())?;
        if magic != MAGIC {
            return Err(self.damaged("it does not begin like one"));
        }
        self.digest.update(&magic);
        let format = self.number()?;
        if format > FORMAT {
            let message = format!(
                "`{}` was written by a newer version of postern-server (format {format}; this one reads up to {FORMAT}). Install that version.",
                self.file.display()
            );
            return Err(Error::new(Code::Unavailable, message));
        }
        let header = self.next_frame()?;
        serde_json::from_slice(&header).map_err(|_| self.damaged("its header cannot be read"))
    }

    /// The next frame; the last one is empty, and the file ends with it.
    fn next_frame(&mut self) -> Result<Vec<u8>> {
        let length = self.number()? as usize;
        if length > FRAME_BYTES {
            return Err(self.damaged("it was changed"));
        }
        let content = self.get(length)?;
        self.digest.update(&content);
        let expected = self.digest.clone().finish();
        let found = self.get(DIGEST_LENGTH)?;
        self.digest.update(&found);
        if found != expected.as_ref() {
            return Err(self.damaged("it was changed"));
        }
        let more =
            content.is_empty() && !self.input.fill_buf().map_err(|error| cannot("read", self.file, &error))?.is_empty();
        if more { Err(self.damaged("something follows its end")) } else { Ok(content) }
    }

    /// Whether the last frame was reached; otherwise the current one has something left.
    fn is_at_end(&mut self) -> Result<bool> {
        if self.at == self.frame.len() {
            self.frame = self.next_frame()?;
            self.at = 0;
        }
        Ok(self.frame.is_empty())
    }

    /// Bytes of an entry, which may be in several frames.
    fn part(&mut self, length: u64) -> Result<Vec<u8>> {
        let mut part = Vec::new();
        while (part.len() as u64) < length {
            if self.is_at_end()? {
                return Err(self.damaged("an entry is incomplete"));
            }
            let left = length - part.len() as u64;
            let until = self.frame.len().min(self.at.saturating_add(usize::try_from(left).unwrap_or(usize::MAX)));
            part.extend(&self.frame[self.at..until]);
            self.at = until;
        }
        Ok(part)
    }

    fn part_with_length(&mut self) -> Result<Vec<u8>> {
        let length = self.part(8)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
        if length > MAX_PART_BYTES {
            return Err(self.damaged("an entry is too long"));
        }
        self.part(length)
    }

    fn entry(&mut self) -> Result<Option<Entry>> {
        if self.is_at_end()? {
            return Ok(None);
        }
        let revision = self.part(8)?.iter().fold(0, |number, byte| number << 8 | i64::from(*byte));
        let key = String::from_utf8(self.part_with_length()?).map_err(|_| self.damaged("an entry has no name"))?;
        Ok(Some(Entry { key, value: self.part_with_length()?, revision }))
    }
}

fn cannot(done: &str, path: &Path, error: &io::Error) -> Error {
    Error::new(Code::StorageReadOnly, format!("`{}` cannot be {done}: {error}.", path.display()))
}
