//! A local service that takes every byte literally: whatever another program could read in a second way is recorded as
//! a violation.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

pub(crate) struct StrictOrigin {
    pub(crate) address: SocketAddr,
    records: Arc<Mutex<Records>>,
    task: JoinHandle<()>,
}

#[derive(Default)]
struct Records {
    /// Header blocks as they arrived.
    heads: Vec<String>,
    violations: Vec<String>,
}

impl StrictOrigin {
    pub(crate) async fn start() -> StrictOrigin {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let records: Arc<Mutex<Records>> = Arc::default();
        let recorded = records.clone();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, recorded.clone()));
            }
        });
        StrictOrigin { address, records, task }
    }

    /// The header blocks so far.
    pub(crate) fn heads(&self) -> Vec<String> {
        self.records.lock().unwrap().heads.clone()
    }

    pub(crate) fn violations(&self) -> Vec<String> {
        self.records.lock().unwrap().violations.clone()
    }
}

impl Drop for StrictOrigin {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(mut stream: TcpStream, records: Arc<Mutex<Records>>) {
    let mut buffer = Vec::new();
    let mut piece = vec![0; 16 * 1024];
    let mut has_asked = false;
    loop {
        if !has_asked && expects_continue(&buffer) {
            has_asked = true;
            if stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await.is_err() {
                return;
            }
        }
        match read(&buffer) {
            Ok(Some(request)) => {
                has_asked = false;
                let body = if request.is_head { "" } else { "ok" };
                records.lock().unwrap().heads.push(request.head);
                buffer.drain(..request.length);
                let response = format!("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{body}");
                if stream.write_all(response.as_bytes()).await.is_err() {
                    return;
                }
            }
            Ok(None) => match stream.read(&mut piece).await {
                Ok(size) if size > 0 => buffer.extend_from_slice(&piece[..size]),
                _ => return,
            },
            Err(violation) => {
                let shown = format!("{violation}: {}", buffer.escape_ascii());
                records.lock().unwrap().violations.push(shown);
                return;
            }
        }
    }
}

fn expects_continue(bytes: &[u8]) -> bool {
    let head = bytes.windows(4).position(|window| window == b"\r\n\r\n").map(|end| &bytes[..end]);
    head.is_some_and(|head| String::from_utf8_lossy(head).to_ascii_lowercase().contains("\r\nexpect: 100-continue"))
}

struct StrictRequest {
    head: String,
    is_head: bool,
    length: usize,
}

/// Reads the first request, if it is complete.
fn read(bytes: &[u8]) -> Result<Option<StrictRequest>, String> {
    let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else {
        return check_text(bytes).map(|()| None);
    };
    check_text(&bytes[..end])?;
    // Values may have bytes beyond ASCII (RFC 9110, section 5.5).
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.split("\r\n");
    let method = request_line(lines.next().unwrap_or_default())?.to_owned();
    let mut hosts = 0;
    let mut framing = Vec::new();
    for line in lines {
        let (name, value) = field(line)?;
        match name.replace('_', "-").as_str() {
            "host" => hosts += 1,
            "content-length" | "transfer-encoding" => framing.push((name, value)),
            _ => {}
        }
    }
    if hosts != 1 {
        return Err(format!("{hosts} hosts"));
    }
    let body = end + 4;
    let length = match framing.as_slice() {
        [] => Some(0),
        [(name, value)] if name == "content-length" && !value.is_empty() && value.len() < 19 => {
            if !value.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(format!("the length {value}"));
            }
            value.parse().ok().filter(|length| bytes.len() - body >= *length)
        }
        [(name, value)] if name == "transfer-encoding" && value == "chunked" => chunks(&bytes[body..])?,
        other => return Err(format!("the framing {other:?}")),
    };
    let is_head = method == "HEAD";
    Ok(length.map(|length| StrictRequest { head, is_head, length: body + length }))
}

fn request_line(line: &str) -> Result<&str, String> {
    let parts: Vec<&str> = line.split(' ').collect();
    let [method, target, "HTTP/1.1"] = parts[..] else { return Err("not a request line".into()) };
    let is_asterisk = target == "*" && method == "OPTIONS";
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"\"<>`#".contains(&byte);
    if !is_token(method) || !(target.starts_with('/') || is_asterisk) || !target.bytes().all(is_plain) {
        return Err("an odd method or target".into());
    }
    Ok(method)
}

fn field(line: &str) -> Result<(String, String), String> {
    let (name, value) = line.split_once(':').ok_or("a line that is no field")?;
    let value = value.strip_prefix(' ').unwrap_or(value);
    if !is_token(name) || value.trim_matches([' ', '\t']) != value {
        return Err(format!("the field {line:?}"));
    }
    Ok((name.to_ascii_lowercase(), value.to_owned()))
}

fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// A head that is still incomplete has no control characters but line ends.
fn check_text(bytes: &[u8]) -> Result<(), String> {
    for (at, byte) in bytes.iter().enumerate() {
        let next = bytes.get(at + 1);
        let is_bare = match byte {
            b'\r' => next.is_some_and(|next| *next != b'\n'),
            b'\n' => at == 0 || bytes[at - 1] != b'\r',
            b'\t' => false,
            byte => *byte < b' ' || *byte == 0x7f,
        };
        if is_bare {
            return Err(format!("the byte {byte:#04x} in a head"));
        }
    }
    Ok(())
}

/// The length of a chunked body, if it is complete.
fn chunks(bytes: &[u8]) -> Result<Option<usize>, String> {
    let mut at = 0;
    loop {
        let Some(line) = line_at(bytes, at) else { return Ok(None) };
        let size = std::str::from_utf8(line).ok().and_then(|line| usize::from_str_radix(line, 16).ok());
        let is_plain = line.len() < 16 && line.iter().all(u8::is_ascii_hexdigit);
        let size =
            size.filter(|_| is_plain).ok_or_else(|| format!("the chunk {:?}", line.escape_ascii().to_string()))?;
        at += line.len() + 2;
        if size == 0 {
            break;
        }
        match bytes.get(at + size..at + size + 2) {
            None => return Ok(None),
            Some(b"\r\n") => at += size + 2,
            Some(_) => return Err("a chunk of another size".into()),
        }
    }
    loop {
        let Some(line) = line_at(bytes, at) else { return Ok(None) };
        at += line.len() + 2;
        if line.is_empty() {
            return Ok(Some(at));
        }
        field(&String::from_utf8_lossy(line))?;
    }
}

fn line_at(bytes: &[u8], at: usize) -> Option<&[u8]> {
    let rest = bytes.get(at..)?;
    Some(&rest[..rest.windows(2).position(|window| window == b"\r\n")?])
}
