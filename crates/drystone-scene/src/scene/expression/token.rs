//! An expression cut into words.

use super::ExpressionError;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Number(f64),
    Name(String),
    /// One of `+ - * / ^ ( ) ,`.
    Sign(char),
}

/// The tokens with the byte at which each begins.
pub(super) fn tokens(text: &str) -> Result<Vec<(usize, Token)>, ExpressionError> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let at = text.len() - rest.len();
        let length = if first.is_whitespace() {
            first.len_utf8()
        } else if first.is_ascii_digit() || first == '.' {
            let length = number_length(rest.as_bytes());
            let digits = rest[..length].replace('_', "");
            let value = digits
                .parse()
                .map_err(|_| ExpressionError::new(at, format!("`{digits}` is not a number")))?;
            tokens.push((at, Token::Number(value)));
            length
        } else if first.is_alphabetic() || first == '_' {
            let end = rest.find(|c: char| !(c.is_alphabetic() || c.is_ascii_digit() || c == '_'));
            let length = end.unwrap_or(rest.len());
            // The two characters in use for micro.
            let name = rest[..length].replace(['µ', 'μ'], "u");
            tokens.push((at, Token::Name(name)));
            length
        } else if "+-*/^(),".contains(first) {
            tokens.push((at, Token::Sign(first)));
            1
        } else if let Some(power) = "²³".find(first) {
            tokens.push((at, Token::Sign('^')));
            tokens.push((at, Token::Number(if power == 0 { 2.0 } else { 3.0 })));
            first.len_utf8()
        } else {
            let reason = format!("`{first}` has no meaning here");
            return Err(ExpressionError::new(at, reason));
        };
        rest = &rest[length..];
    }
    Ok(tokens)
}

/// Bytes of the number at the beginning: digits, a point, digits, an exponent.
fn number_length(text: &[u8]) -> usize {
    let digits = |mut at: usize| {
        while text
            .get(at)
            .is_some_and(|b| b.is_ascii_digit() || *b == b'_')
        {
            at += 1;
        }
        at
    };
    let mut end = digits(0);
    if text.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if matches!(text.get(end), Some(b'e' | b'E')) {
        let signed = usize::from(matches!(text.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + signed);
        // `2 e` is a number and a name, `2e3` a number.
        if exponent > end + 1 + signed {
            end = exponent;
        }
    }
    end
}
