//! Backups: everything of a data folder in one file, of one revision.
//!
//! A magic line and the number of the format, then frames: length, content, and the SHA-256 of the whole file so far. The
//! first frame is the header, then come entries, and the last one is empty. So a file that was cut or changed is noticed.

use crate::{
    certificates::{Authority, SEALED_AUTHORITY},
    files,
    sealing::{self, Seal},
    store::{self, Entry, Revision, StoreError},
};
use argon2::Argon2;
use aws_lc_rs::{digest, rand};
use postern_api::{Code, Error, Result, Secret};
use serde::{Deserialize, Serialize};
use std::{
    fs::{self, File},
    io::{self, BufReader, BufWriter, Read, Write},
    path::{Path, PathBuf},
};
use zeroize::Zeroizing;

const MAGIC: &[u8; 16] = b"POSTERN BACKUP\r\n";
const FORMAT: u32 = 1;
/// Bytes of entries after which a frame ends.
const FRAME_BYTES: usize = 256 << 10;
/// A longer frame is not read.
const MAX_FRAME_BYTES: usize = 64 << 20;
const DIGEST_LENGTH: usize = 32;
const PURPOSE: &str = "backup";
/// Folder below the data folder in which a backup is restored before its files are moved.
const STAGING: &str = ".restoring";

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
    keys: Option<SealedKeys>,
}

#[derive(Serialize, Deserialize)]
struct SealedKeys {
    salt: [u8; 16],
    sealed: Vec<u8>,
}

/// Saves what a data folder has into a new file, also while a server uses the folder.
///
/// # Errors
/// If the folder has no database, or one of the two cannot be read or written.
pub fn back_up(folder: &Path, file: &Path, passphrase: Option<&Secret>) -> Result<Saved> {
    let failed = |error: io::Error| cannot("written", file, &error);
    if !store::has_database(folder) {
        let message = format!(
            "`{}` has no database to back up. Name the data folder with --data-dir; the store of several servers is backed up with its own tools.",
            folder.display()
        );
        return Err(Error::new(Code::ConfigInvalid, message));
    }
    let keys = passphrase.map(|passphrase| seal_keys(folder, passphrase)).transpose()?;
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = format!(".{}.{}.new", file.file_name().unwrap_or_default().to_string_lossy(), std::process::id());
    let staged = parent.join(name);
    let write = || {
        let out = BufWriter::new(files::open_or_create(&staged)?);
        let mut frames = FrameWriter { out, digest: digest::Context::new(&digest::SHA256) };
        let mut saved = Saved { entries: 0, revision: 0 };
        let mut first = Vec::new();
        let authority = files::read(&folder.join(SEALED_AUTHORITY))?;
        let mut header = Header {
            product: env!("CARGO_PKG_VERSION").to_owned(),
            created: postern_api::clock::now(),
            revision: 0,
            authority,
            keys,
        };
        let frames_cell = std::cell::RefCell::new(&mut frames);
        store::read_all::<Error>(
            folder,
            |revision| {
                saved.revision = revision;
                header.revision = revision;
                let text = serde_json::to_vec(&header).map_err(|error| failed(error.into()))?;
                frames_cell.borrow_mut().begin(&text).map_err(failed)
            },
            |entry| {
                if store::is_own(&entry.key) {
                    return Ok(());
                }
                put(&mut first, &entry);
                saved.entries += 1;
                if first.len() < FRAME_BYTES {
                    return Ok(());
                }
                frames_cell.borrow_mut().frame(&std::mem::take(&mut first)).map_err(failed)
            },
        )?;
        if !first.is_empty() {
            frames.frame(&first).map_err(failed)?;
        }
        frames.frame(&[]).map_err(failed)?;
        frames.out.flush().and_then(|()| frames.out.get_ref().sync_all()).map_err(failed)?;
        files::rename(&staged, file)?;
        Ok(saved)
    };
    write().inspect_err(|_: &Error| _ = fs::remove_file(&staged))
}

/// Restores a backup into an empty data folder. It is checked to its end before anything is there.
///
/// # Errors
/// `StorageDamaged` if the file was cut or changed, `Unavailable` if the folder is not empty or a newer version wrote the file,
/// `ConfigInvalid` if the key is missing or wrong.
pub fn restore(folder: &Path, file: &Path, key: &KeySource) -> Result<Saved> {
    let read_failed = |error: io::Error| cannot("read", file, &error);
    let input = BufReader::new(File::open(file).map_err(read_failed)?);
    let mut frames = FrameReader { input, digest: digest::Context::new(&digest::SHA256), file };
    let header = frames.begin()?;
    let key = open_key(key, header.keys.as_ref())?;
    files::create_private_folder(folder)?;
    let mut content = fs::read_dir(folder).map_err(|error| cannot("read", folder, &error))?;
    if content.any(|entry| entry.is_ok_and(|entry| entry.file_name() != STAGING)) {
        let message = format!("`{}` is not empty. Name an empty folder with --data-dir.", folder.display());
        return Err(Error::new(Code::Unavailable, message));
    }
    let staging = folder.join(STAGING);
    // What an interrupted restore left.
    let _ = fs::remove_dir_all(&staging);
    let restored = fill(&staging, &mut frames, &header, &key);
    let moved = restored.and_then(|saved| publish(&staging, folder).map(|()| saved));
    let _ = fs::remove_dir_all(&staging);
    moved
}

fn fill(staging: &Path, frames: &mut FrameReader<'_>, header: &Header, key: &[u8]) -> Result<Saved> {
    let mut saved = Saved { entries: 0, revision: header.revision };
    let mut frame = Vec::new();
    let mut at = 0;
    store::write_all::<Error>(staging, header.revision, || {
        if at == frame.len() {
            frame = frames.frame()?;
            at = 0;
            if frame.is_empty() {
                return Ok(None);
            }
        }
        saved.entries += 1;
        take(&frame, &mut at).map(Some).ok_or_else(|| frames.damaged("an entry is incomplete"))
    })?;
    files::write_private(&staging.join(sealing::FILE), key)?;
    if let Some(authority) = &header.authority {
        files::write_private(&staging.join(SEALED_AUTHORITY), authority)?;
        // It opens with the right key only.
        Authority::open(staging).map_err(|_| {
            let message =
                "The key does not fit to the backup. Name `seal.key` of the folder that was backed up with --key-file.";
            Error::new(Code::ConfigInvalid, message)
        })?;
    }
    Ok(saved)
}

/// Moves the restored files, the database last: without it, a server refuses the folder.
fn publish(staging: &Path, folder: &Path) -> Result<()> {
    let failed = |error: io::Error| cannot("written", folder, &error);
    let listed = fs::read_dir(staging).and_then(Iterator::collect::<io::Result<Vec<_>>>).map_err(failed)?;
    let mut names: Vec<_> = listed.into_iter().map(|entry| entry.file_name()).collect();
    names.sort_by_key(|name| name == "postern.db");
    names.iter().try_for_each(|name| Ok(files::rename(&staging.join(name), &folder.join(name))?))
}

// === the keys ===

fn derive(passphrase: &Secret, salt: &[u8]) -> Result<Seal> {
    let mut key = Zeroizing::new([0; 32]);
    let derived = Argon2::default().hash_password_into(passphrase.reveal().as_bytes(), salt, &mut *key);
    derived.map_err(|error| StoreError::Broken(format!("the passphrase cannot be used: {error}")))?;
    Seal::from_key(&*key)
}

fn seal_keys(folder: &Path, passphrase: &Secret) -> Result<SealedKeys> {
    let mut salt = [0; 16];
    rand::fill(&mut salt).map_err(|_| StoreError::Broken("no random numbers".to_owned()))?;
    let sealed = derive(passphrase, &salt)?.seal(&sealing::read_key(folder)?, PURPOSE)?;
    Ok(SealedKeys { salt, sealed })
}

fn open_key(source: &KeySource, keys: Option<&SealedKeys>) -> Result<Zeroizing<Vec<u8>>> {
    let refuse = |message: &str| Error::new(Code::ConfigInvalid, message);
    match (source, keys) {
        (KeySource::File(file), _) => fs::read(file).map(Zeroizing::new).map_err(|error| cannot("read", file, &error)),
        (KeySource::Passphrase(passphrase), Some(keys)) => derive(passphrase, &keys.salt)?
            .unseal(&keys.sealed, PURPOSE)
            .ok_or_else(|| refuse("The passphrase is not the one of the backup. Name another with --passphrase-file.")),
        (KeySource::Missing, Some(_)) => {
            Err(refuse("The keys in the backup are sealed. Name the passphrase with --passphrase-file."))
        }
        (_, None) => Err(refuse(
            "The backup has no keys, without which its secrets cannot be read. Name `seal.key` of the folder that was backed up with --key-file.",
        )),
    }
}

// === the file ===

struct FrameWriter {
    out: BufWriter<File>,
    digest: digest::Context,
}

impl FrameWriter {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.digest.update(bytes);
        self.out.write_all(bytes)
    }

    fn begin(&mut self, header: &[u8]) -> io::Result<()> {
        self.put(MAGIC)?;
        self.put(&FORMAT.to_be_bytes())?;
        self.frame(header)
    }

    fn frame(&mut self, content: &[u8]) -> io::Result<()> {
        let length = u32::try_from(content.len()).map_err(io::Error::other)?;
        self.put(&length.to_be_bytes())?;
        self.put(content)?;
        let sum = self.digest.clone().finish();
        self.put(sum.as_ref())
    }
}

struct FrameReader<'a> {
    input: BufReader<File>,
    digest: digest::Context,
    file: &'a Path,
}

impl FrameReader<'_> {
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
        let header = self.frame()?;
        serde_json::from_slice(&header).map_err(|_| self.damaged("its header cannot be read"))
    }

    /// The next frame; the last one is empty.
    fn frame(&mut self) -> Result<Vec<u8>> {
        let length = self.number()? as usize;
        if length > MAX_FRAME_BYTES {
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
        Ok(content)
    }
}

fn put(frame: &mut Vec<u8>, entry: &Entry) {
    frame.extend(entry.revision.to_be_bytes());
    for part in [entry.key.as_bytes(), &entry.value] {
        frame.extend((part.len() as u64).to_be_bytes());
        frame.extend(part);
    }
}

fn take(frame: &[u8], at: &mut usize) -> Option<Entry> {
    let mut next = |length: usize| {
        let part = frame.get(*at..at.checked_add(length)?)?;
        *at += length;
        Some(part)
    };
    let revision = i64::from_be_bytes(next(8)?.try_into().ok()?);
    let length = u64::from_be_bytes(next(8)?.try_into().ok()?);
    let key = String::from_utf8(next(usize::try_from(length).ok()?)?.to_vec()).ok()?;
    let length = u64::from_be_bytes(next(8)?.try_into().ok()?);
    let value = next(usize::try_from(length).ok()?)?.to_vec();
    Some(Entry { key, value, revision })
}

fn cannot(done: &str, path: &Path, error: &io::Error) -> Error {
    Error::new(Code::StorageReadOnly, format!("`{}` cannot be {done}: {error}.", path.display()))
}
