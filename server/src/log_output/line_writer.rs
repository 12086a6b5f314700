//! Writes whole lines or none: of a line that did not fit on the disk, nothing stays in the file.

use std::{
    fs::File,
    io::{self, Stderr, Stdout, Write},
};

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

/// Writes lines.
pub(super) struct LineWriter {
    sink: Box<dyn LineSink>,
    /// End of a line whose beginning was written earlier.
    rest: Vec<u8>,
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
        LineWriter { sink, rest: Vec::new() }
    }

    /// Writes whole lines.
    pub(super) fn lines(&mut self, lines: &[u8]) -> Result<(), LinesLost> {
        let lost =
            |lines: &[u8], error| LinesLost { error, lines: lines.iter().filter(|byte| **byte == b'\n').count() };
        if !self.rest.is_empty() {
            let rest = std::mem::take(&mut self.rest);
            let (written, outcome) = self.write_out(&rest);
            self.rest = rest[written..].to_owned();
            outcome.map_err(|error| lost(lines, error))?;
        }
        let (written, outcome) = self.write_out(lines);
        let Err(error) = outcome.and_then(|()| self.sink.flush()) else { return Ok(()) };
        let whole = lines[..written].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        // A stream cannot take bytes back: the rest of a torn line is its next bytes.
        if written > whole && !self.sink.take_back(written - whole) {
            let rest =
                lines[written..].iter().position(|byte| *byte == b'\n').map_or(lines.len(), |at| written + at + 1);
            self.rest = lines[written..rest].to_owned();
            return Err(lost(&lines[rest..], error));
        }
        Err(lost(&lines[whole..], error))
    }

    /// Returns how many bytes were written, and the error that stopped it.
    fn write_out(&mut self, bytes: &[u8]) -> (usize, io::Result<()>) {
        let mut written = 0;
        while written < bytes.len() {
            match self.sink.write(&bytes[written..]) {
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
            let written = writer.lines(b"first\nsecond\nthird\n");
            lost.push(written.err().map_or(0, |lost| lost.lines));
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
