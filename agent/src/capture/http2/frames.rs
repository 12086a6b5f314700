//! Frames of HTTP/2 (RFC 9113 section 4) in any split. Header blocks are collected within a limit; the data of bodies
//! is never buffered.

use super::Malformed;
use crate::capture::head::MAX_HEAD_BYTES;
use std::ops::Range;

/// The client's connection preface (RFC 9113 section 3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const HEADER: usize = 9;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PUSH_PROMISE: u8 = 5;
const CONTINUATION: u8 = 9;

const END_STREAM: u8 = 1;
const ACK: u8 = 1;
const END_HEADERS: u8 = 4;
const PADDED: u8 = 8;
const PRIORITY: u8 = 32;

const SETTINGS_HEADER_TABLE_SIZE: u16 = 1;

/// What the bytes that were taken mean.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FrameEvent {
    /// Nothing yet.
    None,
    /// The sender accepts a dynamic table of this many bytes.
    TableSize(u32),
    /// A whole header block. That of a pushed request has the stream 0.
    Headers { stream: u32, block: Vec<u8>, ends: bool },
    /// Data in this range of the bytes; `ends` with the last of the stream.
    Data { stream: u32, range: Range<usize>, ends: bool },
    /// The stream was reset.
    Reset { stream: u32, code: u32 },
}

/// Reads the frames of one direction.
#[derive(Debug)]
pub(super) struct FrameReader {
    state: ReadState,
    /// Bytes of a frame's header, or of the payload of a frame that is read as a whole.
    buffer: Vec<u8>,
    /// A header block that further frames continue.
    open_block: Option<OpenBlock>,
}

#[derive(Debug)]
struct OpenBlock {
    stream: u32,
    block: Vec<u8>,
    ends: bool,
}

#[derive(Clone, Copy, Debug)]
struct FrameHeader {
    length: usize,
    kind: u8,
    flags: u8,
    stream: u32,
}

#[derive(Clone, Copy, Debug)]
enum ReadState {
    /// In the preface; the number of bytes that were read.
    Preface(usize),
    Header,
    /// In a frame that is buffered.
    Whole(FrameHeader),
    /// At the padding length of a DATA frame.
    PadLength(FrameHeader),
    /// In the data of a DATA frame.
    Data {
        frame: FrameHeader,
        left: usize,
        padding: usize,
    },
    /// In bytes that do not matter.
    Skipped(usize),
}

impl FrameHeader {
    fn read(bytes: &[u8]) -> Self {
        FrameHeader {
            length: usize::from(bytes[0]) << 16 | usize::from(bytes[1]) << 8 | usize::from(bytes[2]),
            kind: bytes[3],
            flags: bytes[4],
            stream: number(&bytes[5..9]) & 0x7fff_ffff,
        }
    }

    fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

impl FrameReader {
    /// A reader of what clients send.
    pub(super) fn of_client() -> Self {
        FrameReader { state: ReadState::Preface(0), buffer: Vec::new(), open_block: None }
    }

    /// A reader of what servers send.
    pub(super) fn of_server() -> Self {
        FrameReader { state: ReadState::Header, buffer: Vec::new(), open_block: None }
    }

    /// Takes bytes, at least one, up to the next event. Returns how many it took.
    pub(super) fn read(&mut self, bytes: &[u8]) -> Result<(usize, FrameEvent), Malformed> {
        match self.state {
            ReadState::Preface(read) => {
                let taken = bytes.len().min(PREFACE.len() - read);
                if bytes[..taken] != PREFACE[read..read + taken] {
                    return Err(Malformed);
                }
                let read = read + taken;
                self.state = if read == PREFACE.len() { ReadState::Header } else { ReadState::Preface(read) };
                Ok((taken, FrameEvent::None))
            }
            ReadState::Header => {
                let taken = self.collect(bytes, HEADER);
                if self.buffer.len() < HEADER {
                    return Ok((taken, FrameEvent::None));
                }
                let frame = FrameHeader::read(&self.buffer);
                self.buffer.clear();
                Ok((taken, self.begin(frame)?))
            }
            ReadState::Whole(frame) => {
                let taken = self.collect(bytes, frame.length);
                if self.buffer.len() < frame.length {
                    return Ok((taken, FrameEvent::None));
                }
                let payload = std::mem::take(&mut self.buffer);
                self.state = ReadState::Header;
                Ok((taken, self.whole(frame, &payload)?))
            }
            ReadState::PadLength(frame) => {
                let padding = usize::from(bytes[0]);
                let left = (frame.length - 1).checked_sub(padding).ok_or(Malformed)?;
                Ok((1, self.data_left(frame, left, padding, 1..1)))
            }
            ReadState::Data { frame, left, padding } => {
                let taken = bytes.len().min(left);
                Ok((taken, self.data_left(frame, left - taken, padding, 0..taken)))
            }
            ReadState::Skipped(left) => {
                let taken = bytes.len().min(left);
                self.state = skipped(left - taken);
                Ok((taken, FrameEvent::None))
            }
        }
    }

    /// Collects bytes until the buffer has `length`.
    fn collect(&mut self, bytes: &[u8], length: usize) -> usize {
        let taken = bytes.len().min(length - self.buffer.len());
        self.buffer.extend_from_slice(&bytes[..taken]);
        taken
    }

    /// Begins a frame whose header was read.
    fn begin(&mut self, frame: FrameHeader) -> Result<FrameEvent, Malformed> {
        // Only CONTINUATION frames of the same stream may follow an open header block (RFC 9113 section 6.10).
        let continues = frame.kind == CONTINUATION;
        if self.open_block.as_ref().is_some_and(|open| !continues || open.stream != frame.stream) {
            return Err(Malformed);
        }
        match frame.kind {
            DATA if frame.has(PADDED) && frame.length == 0 => return Err(Malformed),
            DATA if frame.has(PADDED) => self.state = ReadState::PadLength(frame),
            DATA => return Ok(self.data_left(frame, frame.length, 0, 0..0)),
            HEADERS | PUSH_PROMISE | CONTINUATION | SETTINGS | RST_STREAM => {
                let collected = self.open_block.as_ref().map_or(0, |open| open.block.len());
                if collected + frame.length > MAX_HEAD_BYTES {
                    return Err(Malformed);
                }
                if frame.length == 0 {
                    self.state = ReadState::Header;
                    return self.whole(frame, &[]);
                }
                self.state = ReadState::Whole(frame);
            }
            _ => self.state = skipped(frame.length),
        }
        Ok(FrameEvent::None)
    }

    /// Reports data of a frame of which `left` bytes and the padding are still to come.
    fn data_left(&mut self, frame: FrameHeader, left: usize, padding: usize, range: Range<usize>) -> FrameEvent {
        self.state = if left > 0 { ReadState::Data { frame, left, padding } } else { skipped(padding) };
        let ends = left == 0 && frame.has(END_STREAM);
        if range.is_empty() && !ends {
            return FrameEvent::None;
        }
        FrameEvent::Data { stream: frame.stream, range, ends }
    }

    /// Handles a frame that was read as a whole.
    fn whole(&mut self, frame: FrameHeader, payload: &[u8]) -> Result<FrameEvent, Malformed> {
        match frame.kind {
            HEADERS => {
                let mut payload = without_padding(frame, payload)?;
                if frame.has(PRIORITY) {
                    payload = payload.get(5..).ok_or(Malformed)?;
                }
                self.open_block =
                    Some(OpenBlock { stream: frame.stream, block: payload.to_vec(), ends: frame.has(END_STREAM) });
                Ok(self.end_block(frame))
            }
            PUSH_PROMISE => {
                // Its header block changes the dynamic table, but the promised request is not followed.
                let block = without_padding(frame, payload)?.get(4..).ok_or(Malformed)?.to_vec();
                self.open_block = Some(OpenBlock { stream: frame.stream, block, ends: false });
                Ok(match self.end_block(frame) {
                    FrameEvent::Headers { block, ends, .. } => FrameEvent::Headers { stream: 0, block, ends },
                    // A promise in several frames is rare enough to be given up.
                    _ => return Err(Malformed),
                })
            }
            CONTINUATION => {
                let open = self.open_block.as_mut().ok_or(Malformed)?;
                open.block.extend_from_slice(payload);
                Ok(self.end_block(frame))
            }
            RST_STREAM => {
                let code = payload.first_chunk::<4>().ok_or(Malformed)?;
                Ok(FrameEvent::Reset { stream: frame.stream, code: number(code) })
            }
            SETTINGS if !frame.has(ACK) => {
                let mut settings = payload
                    .chunks_exact(6)
                    .map(|setting| (u16::from_be_bytes([setting[0], setting[1]]), number(&setting[2..6])));
                let size = settings.rfind(|(id, _)| *id == SETTINGS_HEADER_TABLE_SIZE);
                Ok(size.map_or(FrameEvent::None, |(_, size)| FrameEvent::TableSize(size)))
            }
            _ => Ok(FrameEvent::None),
        }
    }

    fn end_block(&mut self, frame: FrameHeader) -> FrameEvent {
        match self.open_block.take_if(|_| frame.has(END_HEADERS)) {
            Some(OpenBlock { stream, block, ends }) => FrameEvent::Headers { stream, block, ends },
            None => FrameEvent::None,
        }
    }
}

fn skipped(left: usize) -> ReadState {
    if left > 0 { ReadState::Skipped(left) } else { ReadState::Header }
}

fn without_padding(frame: FrameHeader, payload: &[u8]) -> Result<&[u8], Malformed> {
    if !frame.has(PADDED) {
        return Ok(payload);
    }
    let (padding, rest) = payload.split_first().ok_or(Malformed)?;
    let length = rest.len().checked_sub(usize::from(*padding)).ok_or(Malformed)?;
    Ok(&rest[..length])
}

/// A big-endian number of four bytes.
fn number(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |number, byte| number << 8 | u32::from(*byte))
}
