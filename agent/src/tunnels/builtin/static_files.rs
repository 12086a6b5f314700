//! Serves the files of a folder, and nothing outside of it.
//!
//! Every file is opened relative to the folder, and the system refuses to leave it: neither by `..` nor by links, nor
//! when a file is replaced by a link meanwhile. Links that stay inside are followed.

use super::{
    BuiltinBody,
    conditional_requests::{self, ContentSelection},
    directory_listing::{self, is_visible},
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

/// Bytes that are read at once.
const READ_BUFFER_BYTES: usize = 64 * 1024;
/// The index page of a folder.
const INDEX_FILE: &str = "index.html";

/// An open folder.
pub(super) struct StaticFolder(Arc<Dir>);

/// The result of looking up a path.
enum FileLookup {
    File(File, Metadata),
    /// A folder without an index page: its listing.
    Folder(String),
    /// A folder, requested without the trailing slash.
    MissingSlash,
    NotFound,
}

impl StaticFolder {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Ok(StaticFolder(Arc::new(Dir::open_ambient_dir(path, ambient_authority())?)))
    }

    /// Responds to one request.
    pub(super) async fn respond<B>(&self, request: Request<B>) -> Response<BuiltinBody> {
        let head = request.method() == Method::HEAD;
        if request.method() != Method::GET && !head {
            let mut refused = text(StatusCode::METHOD_NOT_ALLOWED, "Files are read-only.");
            refused.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
            return refused;
        }
        let Some(parts) = path_segments(request.uri().path()) else { return not_found() };
        let slash = request.uri().path().ends_with('/');
        let (folder, request_headers) = (self.0.clone(), parts.clone());
        let found = tokio::task::spawn_blocking(move || find(&folder, &request_headers, slash)).await;
        let mut response = match found {
            Ok(Ok(FileLookup::File(file, metadata))) => {
                let name = if slash { INDEX_FILE } else { parts.last().map_or(INDEX_FILE, String::as_str) };
                file_response(file, &metadata, name, request.headers(), head).await
            }
            Ok(Ok(FileLookup::Folder(page))) => listing_page(page),
            Ok(Ok(FileLookup::MissingSlash)) => redirect(&parts, request.uri().query()),
            Ok(Ok(FileLookup::NotFound)) => not_found(),
            Ok(Err(error)) if is_not_found(&error) => not_found(),
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

/// The decoded segments of a path. `None` for a path that cannot exist or is hidden.
fn path_segments(path: &str) -> Option<Vec<String>> {
    let mut parts = Vec::new();
    for part in path.split('/').filter(|part| !part.is_empty()) {
        let name = percent_encoding::percent_decode_str(part).decode_utf8().ok()?.into_owned();
        if name.contains(['/', '\\', '\0']) || cfg!(windows) && name.contains(':') || !is_visible(&name) {
            return None;
        }
        parts.push(name);
    }
    Some(parts)
}

fn find(folder: &Dir, parts: &[String], slash: bool) -> io::Result<FileLookup> {
    let path = if parts.is_empty() { ".".to_owned() } else { parts.join("/") };
    let metadata = folder.metadata(&path)?;
    if metadata.is_file() && !slash {
        return open(folder, &path);
    }
    if !metadata.is_dir() {
        return Ok(FileLookup::NotFound);
    }
    if !slash && !parts.is_empty() {
        return Ok(FileLookup::MissingSlash);
    }
    match open(folder, &format!("{path}/{INDEX_FILE}")) {
        Ok(FileLookup::File(file, metadata)) => return Ok(FileLookup::File(file, metadata)),
        Ok(_) => {}
        Err(error) if is_not_found(&error) => {}
        Err(error) => return Err(error),
    }
    Ok(FileLookup::Folder(directory_listing::page(&folder.open_dir(&path)?, parts)?))
}

/// Opens a file without blocking: a pipe in its place counts as not found.
fn open(folder: &Dir, path: &str) -> io::Result<FileLookup> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use cap_std::fs::OpenOptionsExt;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32);
    }
    let file = folder.open_with(path, &options)?;
    let metadata = file.metadata()?;
    if metadata.is_file() { Ok(FileLookup::File(file, metadata)) } else { Ok(FileLookup::NotFound) }
}

/// Whether an error means that there is nothing for visitors; links that lead out count too.
fn is_not_found(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidFilename, InvalidInput, NotADirectory, NotFound, PermissionDenied};
    let kinds = [InvalidFilename, InvalidInput, NotADirectory, NotFound, PermissionDenied];
    kinds.contains(&error.kind()) || is_link_error(error)
}

/// The system's errors for links that lead out or loop.
#[cfg(unix)]
fn is_link_error(error: &io::Error) -> bool {
    use rustix::io::Errno;
    Errno::from_io_error(error).is_some_and(|errno| [Errno::XDEV, Errno::LOOP].contains(&errno))
}

#[cfg(not(unix))]
fn is_link_error(_: &io::Error) -> bool {
    false
}

async fn file_response(
    file: File,
    metadata: &Metadata,
    name: &str,
    request_headers: &hyper::HeaderMap,
    head: bool,
) -> Response<BuiltinBody> {
    let modified = metadata.modified().ok().map(cap_std::time::SystemTime::into_std);
    let metadata = conditional_requests::FileMetadata { length: metadata.len(), modified };
    let mut response = Response::new(empty());
    metadata.add_validators(response.headers_mut());
    let (start, length) = match metadata.select(request_headers) {
        ContentSelection::Full => (0, metadata.length),
        ContentSelection::Range { start, end } => {
            *response.status_mut() = StatusCode::PARTIAL_CONTENT;
            if let Ok(range) = headers::ContentRange::bytes(start..=end, metadata.length) {
                response.headers_mut().typed_insert(range);
            }
            (start, end - start + 1)
        }
        ContentSelection::NotModified => {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            return response;
        }
        ContentSelection::Unsatisfiable => {
            let mut refused = text(StatusCode::RANGE_NOT_SATISFIABLE, "The file has no such range.");
            refused.headers_mut().typed_insert(headers::ContentRange::unsatisfied_bytes(metadata.length));
            return refused;
        }
    };
    response.headers_mut().insert(header::CONTENT_TYPE, content_type(name));
    response.headers_mut().typed_insert(headers::ContentLength(length));
    if !head && length > 0 {
        let mut file = tokio::fs::File::from_std(file.into_std());
        if start > 0 && file.seek(io::SeekFrom::Start(start)).await.is_err() {
            return text(StatusCode::INTERNAL_SERVER_ERROR, "The file cannot be read.");
        }
        // A file that grows meanwhile is sent up to its announced length.
        let pieces = ReaderStream::with_capacity(file.take(length), READ_BUFFER_BYTES);
        *response.body_mut() = StreamBody::new(pieces.map_ok(Frame::data)).boxed_unsync();
    }
    response
}

fn content_type(name: &str) -> HeaderValue {
    let kind = mime_guess::from_path(name).first_or_octet_stream();
    let text = kind.type_() == mime_guess::mime::TEXT || kind.essence_str() == "application/javascript";
    let kind = if text { format!("{kind}; charset=utf-8") } else { kind.to_string() };
    HeaderValue::from_str(&kind).unwrap_or(HeaderValue::from_static("application/octet-stream"))
}

/// Redirects to the same path with a trailing slash, on the same host.
fn redirect(parts: &[String], query: Option<&str>) -> Response<BuiltinBody> {
    let mut response = Response::new(empty());
    *response.status_mut() = StatusCode::PERMANENT_REDIRECT;
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    let location = format!("{}{query}", directory_listing::folder_path(parts));
    if let Ok(location) = HeaderValue::from_str(&location) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    response
}

fn listing_page(page: String) -> Response<BuiltinBody> {
    let mut response = Response::new(full(page));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers
        .insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(directory_listing::CONTENT_SECURITY_POLICY));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

fn not_found() -> Response<BuiltinBody> {
    text(StatusCode::NOT_FOUND, "There is no such file.")
}

fn text(status: StatusCode, sentence: &'static str) -> Response<BuiltinBody> {
    let mut response = Response::new(full(sentence));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

fn full(text: impl Into<Bytes>) -> BuiltinBody {
    Full::new(text.into()).map_err(|never| match never {}).boxed_unsync()
}

fn empty() -> BuiltinBody {
    Empty::new().map_err(|never| match never {}).boxed_unsync()
}

#[cfg(test)]
mod tests;
