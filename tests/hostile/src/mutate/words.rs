//! Text made wrong where it means something: numbers, keys, lines.

use super::forge::EXTREMES;
use crate::dice::Dice;

/// Words that stand for numbers or take their place.
const WORDS: [&str; 22] = [
    "nan",
    "inf",
    "-inf",
    "1e308",
    "-1e308",
    "1e400",
    "1e-400",
    "-0",
    "5e-324",
    "9223372036854775808",
    "18446744073709551616",
    "-1",
    "0",
    "1e15",
    "1e-160",
    "0x10",
    "1.5.2",
    "\"\"",
    "true",
    "[]",
    "{}",
    "\u{0}\u{1b}[31m",
];

/// Units, so that a number of a scene meets another quantity.
const UNITS: [&str; 8] = ["m", "kg", "s", "deg", "kN", "rpm", "1/0", "kg/m^3"];

/// Most copies of a line: enough for what grows with the square of it.
const MOST_COPIES: usize = 200;

/// A forged copy of a text, by one to three changes of what it says. `other` is another text of the
/// same kind.
pub fn forge(text: &str, other: &str, dice: &mut Dice) -> String {
    let mut out = text.to_owned();
    for _ in 0..=dice.below(3) {
        out = match dice.below(12) {
            0..=3 => change_number(&out, dice),
            4 => change_word(&out, other, dice),
            5 | 6 => change_line(&out, dice),
            7 => line_of_another(&out, other, dice),
            8 => swap_words(&out, dice),
            9 => remove_word(&out, dice),
            10 => add_unit(&out, dice),
            _ => repeat_word(&out, dice),
        };
    }
    out
}

/// Where the words are: runs of letters, digits and what stands in numbers.
fn words(text: &str) -> Vec<std::ops::Range<usize>> {
    let belongs = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '+');
    let (mut found, mut begin) = (Vec::new(), None);
    for (at, c) in text.char_indices() {
        match (belongs(c), begin) {
            (true, None) => begin = Some(at),
            (false, Some(b)) => {
                found.push(b..at);
                begin = None;
            }
            (true, Some(_)) | (false, None) => {}
        }
    }
    found.extend(begin.map(|b| b..text.len()));
    found
}

fn numbers(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut all = words(text);
    all.retain(|range| text[range.clone()].parse::<f64>().is_ok());
    all
}

fn replaced(text: &str, range: std::ops::Range<usize>, new: &str) -> String {
    [&text[..range.start], new, &text[range.end..]].concat()
}

fn change_number(text: &str, dice: &mut Dice) -> String {
    let numbers = numbers(text);
    if numbers.is_empty() {
        return text.to_owned();
    }
    let range = dice.pick(&numbers).clone();
    let old: f64 = text[range.clone()].parse().unwrap_or(0.0);
    let new = match dice.below(5) {
        0 => (*dice.pick(&WORDS)).to_owned(),
        1 => format!("{:e}", dice.pick(&EXTREMES)),
        2 => format!("{}", -old),
        3 => format!("{:e}", old * 10_f64.powi(dice.below(40) as i32 - 20)),
        _ => format!("{}", old + dice.pick(&[1.0, -1.0, 0.5])),
    };
    replaced(text, range, &new)
}

fn change_word(text: &str, other: &str, dice: &mut Dice) -> String {
    let (own, theirs) = (words(text), words(other));
    if own.is_empty() || theirs.is_empty() {
        return text.to_owned();
    }
    let new = &other[dice.pick(&theirs).clone()];
    replaced(text, dice.pick(&own).clone(), new)
}

fn swap_words(text: &str, dice: &mut Dice) -> String {
    let all = words(text);
    if all.len() < 2 {
        return text.to_owned();
    }
    let (a, b) = (dice.below(all.len()), dice.below(all.len()));
    let (a, b) = (all[a.min(b)].clone(), all[a.max(b)].clone());
    let (first, second) = (text[a.clone()].to_owned(), text[b.clone()].to_owned());
    // From the back, so that the first place stays where it is.
    replaced(&replaced(text, b, &first), a, &second)
}

fn remove_word(text: &str, dice: &mut Dice) -> String {
    let all = words(text);
    match all.is_empty() {
        true => text.to_owned(),
        false => replaced(text, dice.pick(&all).clone(), ""),
    }
}

fn add_unit(text: &str, dice: &mut Dice) -> String {
    let all = numbers(text);
    if all.is_empty() {
        return text.to_owned();
    }
    let range = dice.pick(&all).clone();
    let new = format!("\"{} {}\"", &text[range.clone()], dice.pick(&UNITS));
    replaced(text, range, &new)
}

fn repeat_word(text: &str, dice: &mut Dice) -> String {
    let all = words(text);
    if all.is_empty() {
        return text.to_owned();
    }
    let range = dice.pick(&all).clone();
    let gap = *dice.pick(&["", " ", ",", "(", "[", "-", "\n"]);
    let new = format!("{}{gap}", &text[range.clone()]).repeat(1 + dice.below(MOST_COPIES));
    replaced(text, range, &new)
}

/// Deletes, doubles, moves or multiplies a line.
fn change_line(text: &str, dice: &mut Dice) -> String {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    if lines.is_empty() {
        return String::new();
    }
    let at = dice.below(lines.len());
    match dice.below(4) {
        0 => {
            lines.remove(at);
        }
        1 => lines.insert(at, lines[at]),
        2 => {
            let line = lines.remove(at);
            lines.insert(dice.below(lines.len() + 1), line);
        }
        _ => {
            let copies = std::iter::repeat_n(lines[at], dice.below(MOST_COPIES));
            lines.splice(at..at, copies.collect::<Vec<_>>());
        }
    }
    lines.concat()
}

fn line_of_another(text: &str, other: &str, dice: &mut Dice) -> String {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let theirs: Vec<&str> = other.split_inclusive('\n').collect();
    if theirs.is_empty() {
        return text.to_owned();
    }
    let from = dice.below(theirs.len());
    let piece = &theirs[from..(from + 1 + dice.below(12)).min(theirs.len())];
    let at = dice.below(lines.len() + 1);
    lines.splice(at..at, piece.iter().copied());
    lines.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found() {
        let text = "size = [1, -2.5e3, \"7 cm\"]";
        let found: Vec<&str> = numbers(text).into_iter().map(|r| &text[r]).collect();
        assert_eq!(found, ["1", "-2.5e3", "7"]);
    }

    #[test]
    fn any_text_can_be_forged() {
        for text in ["", "a", "1", "é 1\n", "a = 1\nb = 2\n"] {
            for trial in 0..2000 {
                let _ = forge(text, text, &mut Dice::new(1, "words", trial));
            }
        }
    }
}
