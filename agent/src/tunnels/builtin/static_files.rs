//! A folder that visitors may read: its files, what lies below it, and nothing else, whatever is asked for.
//!
//! Every file is opened relative to the folder, and the system is told to go nowhere else: neither by `..` nor by links,
//! nor when something is exchanged for a link meanwhile. Links that stay inside are followed.

use super::{
    Body,
    conditional_requests::{self, Wanted},
    directory_listing::{self, is_shown},
};
use bytes::Bytes;
use cap_std::{
    ambient_authority,
    fs::{Dir, File, Metadata, OpenOptions},
};
use futures::TryStreamExt;
use headers::HeaderMapExt;
use http_body_util::{BodyExt, Empty, Full, StreamBody};
use hyper::{
    Method, Request, Response, StatusCode,
    body::Frame,
    header::{self, HeaderValue},
};
use std::{io, path::Path, sync::Arc};
use tokio::io::{AsyncReadExt, AsyncSeekExt};
use tokio_util::io::ReaderStream;

/// How much of a file is read at once.
const PIECE: usize = 64 * 1024;
/// The page of a folder.
const INDEX: &str = "index.html";

/// An open folder.
pub(super) struct Folder(Arc<Dir>);

/// What a path leads to.
enum Found {
    File(File, Metadata),
    /// A folder without a page: what is in it.
    Folder(String),
    /// A folder whose address lacks the slash at its end.
    Slashless,
    Nothing,
}

impl Folder {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Ok(Folder(Arc::new(Dir::open_ambient_dir(path, ambient_authority())?)))
    }

    /// Answers one request.
    pub(super) async fn answer<B>(&self, request: Request<B>) -> Response<Body> {
        let head = request.method() == Method::HEAD;
        if request.method() != Method::GET && !head {
            let mut refused = text(StatusCode::METHOD_NOT_ALLOWED, "Files can be read only.");
            refused.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
            return refused;
        }
        let Some(parts) = parts(request.uri().path()) else { return nothing() };
        let slash = request.uri().path().ends_with('/');
        let (folder, asked) = (self.0.clone(), parts.clone());
        let found = tokio::task::spawn_blocking(move || find(&folder, &asked, slash)).await;
        let mut response = match found {
            Ok(Ok(Found::File(file, about))) => {
                let name = if slash { INDEX } else { parts.last().map_or(INDEX, String::as_str) };
                file_answer(file, &about, name, request.headers(), head).await
            }
            Ok(Ok(Found::Folder(page))) => listed(page),
            Ok(Ok(Found::Slashless)) => moved(&parts, request.uri().query()),
            Ok(Ok(Found::Nothing)) => nothing(),
            Ok(Err(error)) if is_nothing(&error) => nothing(),
            Ok(Err(error)) => {
                tracing::info!(%error, "a file cannot be read");
                text(StatusCode::INTERNAL_SERVER_ERROR, "The file cannot be read.")
            }
            Err(_) => text(StatusCode::INTERNAL_SERVER_ERROR, "The file cannot be read."),
        };
        response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        response
    }
}

/// The names on a path, decoded. `None` for a path that nothing can lie at, or nothing that is shown.
fn parts(path: &str) -> Option<Vec<String>> {
    let mut parts = Vec::new();
    for part in path.split('/').filter(|part| !part.is_empty()) {
        let name = percent_encoding::percent_decode_str(part).decode_utf8().ok()?.into_owned();
        if name.contains(['/', '\\', '\0']) || cfg!(windows) && name.contains(':') || !is_shown(&name) {
            return None;
        }
        parts.push(name);
    }
    Some(parts)
}

fn find(folder: &Dir, parts: &[String], slash: bool) -> io::Result<Found> {
    let path = if parts.is_empty() { ".".to_owned() } else { parts.join("/") };
    let about = folder.metadata(&path)?;
    if about.is_file() && !slash {
        return open(folder, &path);
    }
    if !about.is_dir() {
        return Ok(Found::Nothing);
    }
    if !slash && !parts.is_empty() {
        return Ok(Found::Slashless);
    }
    match open(folder, &format!("{path}/{INDEX}")) {
        Ok(Found::File(file, about)) => return Ok(Found::File(file, about)),
        Ok(_) => {}
        Err(error) if is_nothing(&error) => {}
        Err(error) => return Err(error),
    }
    Ok(Found::Folder(directory_listing::page(&folder.open_dir(&path)?, parts)?))
}

/// Opens a file without waiting for anybody: what was exchanged for a pipe meanwhile is nothing.
fn open(folder: &Dir, path: &str) -> io::Result<Found> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use cap_std::fs::OpenOptionsExt;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32);
    }
    let file = folder.open_with(path, &options)?;
    let about = file.metadata()?;
    if about.is_file() { Ok(Found::File(file, about)) } else { Ok(Found::Nothing) }
}

/// Whether an error means that there is nothing for visitors; where a link leads out, there is nothing either.
fn is_nothing(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidFilename, InvalidInput, NotADirectory, NotFound, PermissionDenied};
    let kinds = [InvalidFilename, InvalidInput, NotADirectory, NotFound, PermissionDenied];
    kinds.contains(&error.kind()) || leads_out(error)
}

/// The system's words for links that lead out or nowhere.
#[cfg(unix)]
fn leads_out(error: &io::Error) -> bool {
    use rustix::io::Errno;
    Errno::from_io_error(error).is_some_and(|errno| [Errno::XDEV, Errno::LOOP].contains(&errno))
}

#[cfg(not(unix))]
fn leads_out(_: &io::Error) -> bool {
    false
}

async fn file_answer(file: File, about: &Metadata, name: &str, asked: &hyper::HeaderMap, head: bool) -> Response<Body> {
    let modified = about.modified().ok().map(cap_std::time::SystemTime::into_std);
    let facts = conditional_requests::Facts { length: about.len(), modified };
    let mut response = Response::new(empty());
    facts.describe(response.headers_mut());
    let (start, length) = match facts.wanted(asked) {
        Wanted::All => (0, facts.length),
        Wanted::Part { start, end } => {
            *response.status_mut() = StatusCode::PARTIAL_CONTENT;
            if let Ok(range) = headers::ContentRange::bytes(start..=end, facts.length) {
                response.headers_mut().typed_insert(range);
            }
            (start, end - start + 1)
        }
        Wanted::Nothing => {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            return response;
        }
        Wanted::Impossible => {
            let mut refused = text(StatusCode::RANGE_NOT_SATISFIABLE, "The file has no such part.");
            refused.headers_mut().typed_insert(headers::ContentRange::unsatisfied_bytes(facts.length));
            return refused;
        }
    };
    response.headers_mut().insert(header::CONTENT_TYPE, kind_of(name));
    response.headers_mut().typed_insert(headers::ContentLength(length));
    if !head && length > 0 {
        let mut file = tokio::fs::File::from_std(file.into_std());
        if start > 0 && file.seek(io::SeekFrom::Start(start)).await.is_err() {
            return text(StatusCode::INTERNAL_SERVER_ERROR, "The file cannot be read.");
        }
        // A file that grows meanwhile is sent as long as it was said to be.
        let pieces = ReaderStream::with_capacity(file.take(length), PIECE);
        *response.body_mut() = StreamBody::new(pieces.map_ok(Frame::data)).boxed_unsync();
    }
    response
}

fn kind_of(name: &str) -> HeaderValue {
    let kind = mime_guess::from_path(name).first_or_octet_stream();
    let text = kind.type_() == mime_guess::mime::TEXT || kind.essence_str() == "application/javascript";
    let kind = if text { format!("{kind}; charset=utf-8") } else { kind.to_string() };
    HeaderValue::from_str(&kind).unwrap_or(HeaderValue::from_static("application/octet-stream"))
}

/// To the same folder with a slash at its end, on this host in any case.
fn moved(parts: &[String], query: Option<&str>) -> Response<Body> {
    let mut response = Response::new(empty());
    *response.status_mut() = StatusCode::PERMANENT_REDIRECT;
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    let location = format!("{}{query}", directory_listing::address(parts));
    if let Ok(location) = HeaderValue::from_str(&location) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    response
}

fn listed(page: String) -> Response<Body> {
    let mut response = Response::new(full(page));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(directory_listing::POLICY));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

fn nothing() -> Response<Body> {
    text(StatusCode::NOT_FOUND, "There is no such file.")
}

fn text(status: StatusCode, sentence: &'static str) -> Response<Body> {
    let mut response = Response::new(full(sentence));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

fn full(text: impl Into<Bytes>) -> Body {
    Full::new(text.into()).map_err(|never| match never {}).boxed_unsync()
}

fn empty() -> Body {
    Empty::new().map_err(|never| match never {}).boxed_unsync()
}

#[cfg(test)]
mod tests;
