//! Words and numbers of a text file, with the line they stand on.

use super::error::Fault;

/// A place in a text.
pub(super) struct Text<'a> {
    all: &'a str,
    at: usize,
    /// Line of the last word read, from 1.
    line: usize,
}

impl<'a> Text<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Result<Self, Fault> {
        let all = std::str::from_utf8(bytes)
            .map_err(|e| Fault::malformed(format!("byte {}", e.valid_up_to()), "is not text"))?;
        Ok(Self {
            all,
            at: 0,
            line: 1,
        })
    }

    /// The line, for faults.
    pub(super) fn place(&self) -> String {
        format!("line {}", self.line)
    }

    /// How many words are left.
    pub(super) fn words_left(&self) -> usize {
        self.all[self.at..].split_whitespace().count()
    }

    /// The next words, if they are whole numbers, without going on.
    pub(super) fn ahead<const N: usize>(&self) -> Option<[usize; N]> {
        let mut words = self.all[self.at..].split_whitespace();
        let mut numbers = [0; N];
        for number in &mut numbers {
            *number = words.next()?.parse().ok()?;
        }
        Some(numbers)
    }

    /// The rest of the current line; the next word is then on the next one.
    pub(super) fn rest_of_line(&mut self) -> &'a str {
        let rest = &self.all[self.at..];
        let (line, next) = match rest.split_once('\n') {
            Some((line, _)) => (line, line.len() + 1),
            None => (rest, rest.len()),
        };
        self.at += next;
        self.line += usize::from(next > line.len());
        line
    }

    fn word(&mut self, what: &'static str) -> Result<&'a str, Fault> {
        let rest = &self.all[self.at..];
        let blank = rest.len() - rest.trim_start().len();
        self.line += rest[..blank].bytes().filter(|&b| b == b'\n').count();
        let rest = rest.trim_start();
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        self.at += blank + end;
        match end {
            0 => Err(Fault::missing(self.place(), what)),
            _ => Ok(&rest[..end]),
        }
    }

    /// A whole number.
    pub(super) fn integer(&mut self, what: &'static str) -> Result<i64, Fault> {
        let word = self.word(what)?;
        word.parse().map_err(|_| self.unexpected(word, what))
    }

    /// A count or an index: not negative, and no more than there can be in a file of this length.
    pub(super) fn size(&mut self, what: &'static str) -> Result<usize, Fault> {
        let word = self.word(what)?;
        let size: usize = word.parse().map_err(|_| self.unexpected(word, what))?;
        if size > self.all.len() {
            let what = format!(
                "{what} is {size}, more than a file of {} bytes can hold",
                self.all.len()
            );
            return Err(Fault::malformed(self.place(), what));
        }
        Ok(size)
    }

    /// Several of them.
    pub(super) fn sizes(&mut self, count: usize, what: &'static str) -> Result<Vec<usize>, Fault> {
        (0..count).map(|_| self.size(what)).collect()
    }

    /// A finite number.
    pub(super) fn real(&mut self, what: &'static str) -> Result<f64, Fault> {
        let word = self.word(what)?;
        match word.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => Err(self.unexpected(word, what)),
        }
    }

    /// Several of them.
    pub(super) fn reals(&mut self, count: usize, what: &'static str) -> Result<Vec<f64>, Fault> {
        (0..count).map(|_| self.real(what)).collect()
    }

    /// A certain word.
    pub(super) fn expect(&mut self, expected: &'static str) -> Result<(), Fault> {
        let word = self.word(expected)?;
        match word == expected {
            true => Ok(()),
            false => Err(self.unexpected(word, expected)),
        }
    }

    fn unexpected(&self, word: &str, what: &str) -> Fault {
        let word: String = word.chars().take(40).collect();
        Fault::malformed(self.place(), format!("{word:?}, expected {what}"))
    }
}
