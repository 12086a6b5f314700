//! Writes whole lines or none: of a line that did not fit on the disk, nothing stays in the file.

use std::{
    fs::File,
    io::{self, Stderr, Stdout, Write},
};

/// Bytes that are collected before they are written.
const BUFFER_BYTES: usize = 64 * 1024;

/// Destination of lines.
pub(super) trait LineSink: Write + Send {
    /// Removes the last bytes that were written. False if that is not possible.
    fn take_back(&mut self, bytes: usize) -> bool;
}

impl LineSink for File {
    fn take_back(&mut self, bytes: usize) -> bool {
        self.metadata().and_then(|found| self.set_len(found.len().saturating_sub(bytes as u64))).is_ok()
    }
}

impl LineSink for Stdout {
    fn take_back(&mut self, _bytes: usize) -> bool {
        false
    }
}

impl LineSink for Stderr {
    fn take_back(&mut self, _bytes: usize) -> bool {
        false
    }
}

/// Collects lines and writes them together.
pub(super) struct LineWriter {
    sink: Box<dyn LineSink>,
    buffer: Vec<u8>,
    /// First bytes of the buffer that end a line whose beginning was written earlier.
    rest: usize,
}

/// Lines could not be written.
#[derive(Debug)]
pub(super) struct LinesLost {
    /// The first error.
    pub(super) error: io::Error,
    /// Number of lines.
    pub(super) lines: usize,
}

impl LineWriter {
    pub(super) fn new(sink: Box<dyn LineSink>) -> LineWriter {
        LineWriter { sink, buffer: Vec::with_capacity(BUFFER_BYTES), rest: 0 }
    }

    /// Adds what `make` writes as one line, without its line end.
    pub(super) fn line(&mut self, make: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> Result<(), LinesLost> {
        let start = self.buffer.len();
        if let Err(error) = make(&mut self.buffer) {
            self.buffer.truncate(start);
            return Err(LinesLost { error, lines: 1 });
        }
        self.buffer.push(b'\n');
        if self.buffer.len() >= BUFFER_BYTES { self.flush() } else { Ok(()) }
    }

    /// Writes the collected lines.
    pub(super) fn flush(&mut self) -> Result<(), LinesLost> {
        let (written, outcome) = self.write_out();
        let outcome = outcome.and_then(|()| self.sink.flush());
        let Err(error) = outcome else {
            self.buffer.clear();
            self.rest = 0;
            return Ok(());
        };
        let line_end = |bytes: &[u8]| bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| at + 1);
        let whole = self.buffer[..written].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        // A stream cannot take bytes back: the rest of a torn line is its next bytes.
        let rest = match () {
            () if written < self.rest => self.rest - written,
            () if written > whole && !self.sink.take_back(written - whole) => line_end(&self.buffer[written..]),
            () => 0,
        };
        let lost = if rest > 0 { written + rest } else { whole };
        let lines = self.buffer[lost..].iter().filter(|byte| **byte == b'\n').count();
        self.buffer.truncate(written + rest);
        self.buffer.drain(..written);
        self.rest = rest;
        Err(LinesLost { error, lines })
    }

    /// Returns how many bytes of the buffer were written, and the error that stopped it.
    fn write_out(&mut self) -> (usize, io::Result<()>) {
        let mut written = 0;
        while written < self.buffer.len() {
            match self.sink.write(&self.buffer[written..]) {
                Ok(0) => return (written, Err(io::ErrorKind::WriteZero.into())),
                Ok(count) => written += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return (written, Err(error)),
            }
        }
        (written, Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    /// A disk with little room, or a stream that takes little.
    #[derive(Clone, Default)]
    struct SmallSink(Arc<Mutex<SinkState>>);

    #[derive(Default)]
    struct SinkState {
        content: Vec<u8>,
        room: usize,
        is_stream: bool,
    }

    impl Write for SmallSink {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let mut state = self.0.lock().expect("sound");
            let count = bytes.len().min(state.room - state.content.len());
            if count == 0 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            state.content.extend_from_slice(&bytes[..count]);
            Ok(count)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl LineSink for SmallSink {
        fn take_back(&mut self, bytes: usize) -> bool {
            let mut state = self.0.lock().expect("sound");
            let left = state.content.len() - bytes;
            if !state.is_stream {
                state.content.truncate(left);
            }
            !state.is_stream
        }
    }

    fn write(is_stream: bool) -> (Vec<usize>, String) {
        let sink = SmallSink::default();
        *sink.0.lock().expect("sound") = SinkState { room: 9, is_stream, ..SinkState::default() };
        let mut writer = LineWriter::new(Box::new(sink.clone()));
        let mut lost = Vec::new();
        for room in [9, 9, 100] {
            sink.0.lock().expect("sound").room = room;
            for text in ["first", "second", "third"] {
                writer.line(|line| line.write_all(text.as_bytes())).expect("room in the buffer");
            }
            lost.push(writer.flush().err().map_or(0, |lost| lost.lines));
        }
        let content = sink.0.lock().expect("sound").content.clone();
        (lost, String::from_utf8(content).expect("text"))
    }

    #[test]
    fn a_full_disk_takes_whole_lines_or_none() {
        assert_eq!(write(false), (vec![2, 3, 0], "first\nfirst\nsecond\nthird\n".to_owned()));
    }

    #[test]
    fn a_stream_gets_the_rest_of_a_torn_line_first() {
        assert_eq!(write(true), (vec![1, 3, 0], "first\nsecond\nfirst\nsecond\nthird\n".to_owned()));
    }
}
