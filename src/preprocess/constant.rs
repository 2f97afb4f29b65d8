//! Integer and character constants of `#if`.

use super::value::Value;

/// The value of a preprocessing number; `None` where it is no integer constant.
pub fn number(text: &[u8]) -> Option<Value> {
    let digits: Vec<u8> =
        text.iter().filter(|&&b| b != b'\'').map(u8::to_ascii_lowercase).collect();
    let (radix, rest) = match digits.as_slice() {
        [b'0', b'x', rest @ ..] => (16, rest),
        [b'0', b'b', rest @ ..] => (2, rest),
        [b'0', rest @ ..] if !rest.is_empty() => (8, &digits[..]),
        _ => (10, &digits[..]),
    };
    let end = rest.iter().position(|&b| !(b as char).is_digit(radix)).unwrap_or(rest.len());
    let (digits, suffix) = rest.split_at(end);
    let unsigned = match suffix {
        b"" | b"l" | b"ll" | b"z" | b"wb" => false,
        b"u" | b"ul" | b"ull" | b"lu" | b"llu" | b"uz" | b"zu" | b"uwb" | b"wbu" => true,
        _ => return None,
    };
    if digits.is_empty() {
        return None;
    }
    let text = std::str::from_utf8(digits).ok()?;
    let value = u64::from_str_radix(text, radix).ok()?;
    // Compilers take what does not fit `intmax_t` as unsigned, decimal or not.
    Some(Value::exact(i128::from(value), unsigned || value > i64::MAX as u64))
}

/// The value of a character constant; `None` where it depends on the target or is malformed.
pub fn character(text: &[u8]) -> Option<Value> {
    let open = text.iter().position(|&b| b == b'\'')?;
    let prefix = &text[..open];
    let body = text.get(open + 1..text.len().checked_sub(1)?)?;
    let mut value: i128 = 0;
    let mut count = 0;
    let mut rest = body;
    while !rest.is_empty() {
        let (unit, after) = unit(rest)?;
        // Bytes from 128 on are negative on some targets only.
        if unit > 127 && prefix.is_empty() {
            return None;
        }
        value = (value << 8) | i128::from(unit);
        count += 1;
        rest = after;
    }
    let limit = if prefix.is_empty() { 4 } else { 1 };
    let unsigned = matches!(prefix, b"u" | b"U" | b"u8");
    (1..=limit).contains(&count).then(|| Value::exact(i128::from(value as i32), unsigned))
}

/// The first character or escape sequence.
fn unit(text: &[u8]) -> Option<(u32, &[u8])> {
    let (&first, rest) = text.split_first()?;
    if first != b'\\' {
        return Some((u32::from(first), rest)).filter(|_| first < 0x80);
    }
    let (&escape, after) = rest.split_first()?;
    let simple = match escape {
        b'n' => 10,
        b't' => 9,
        b'r' => 13,
        b'a' => 7,
        b'b' => 8,
        b'f' => 12,
        b'v' => 11,
        b'e' => 27,
        b'\\' | b'\'' | b'"' | b'?' => u32::from(escape),
        b'0'..=b'7' => return escaped(rest, 8, 3),
        b'x' => return escaped(after, 16, 8),
        _ => return None,
    };
    Some((simple, after))
}

fn escaped(text: &[u8], radix: u32, most: usize) -> Option<(u32, &[u8])> {
    let digits = |b: &u8| !(*b as char).is_digit(radix);
    let end = text.iter().take(most).position(digits).unwrap_or(text.len().min(most));
    let (digits, rest) = text.split_at(end);
    let value = u32::from_str_radix(std::str::from_utf8(digits).ok()?, radix).ok()?;
    Some((value, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        let exact = |text: &str| number(text.as_bytes()).and_then(Value::constant);
        assert_eq!(exact("0"), Some(0));
        assert_eq!(exact("017"), Some(15));
        assert_eq!(exact("0x7FuLL"), Some(127));
        assert_eq!(exact("0b101"), Some(5));
        assert_eq!(exact("1'000L"), Some(1000));
        assert_eq!(exact("18446744073709551615"), Some(i128::from(u64::MAX)));
        for bad in ["08", "1.0", "1e3", "0x", "1ux", "18446744073709551616"] {
            assert_eq!(exact(bad), None, "{bad}");
        }
    }

    #[test]
    fn characters() {
        let exact = |text: &str| character(text.as_bytes()).and_then(Value::constant);
        assert_eq!(exact("'A'"), Some(65));
        assert_eq!(exact("'\\n'"), Some(10));
        assert_eq!(exact("'\\0'"), Some(0));
        assert_eq!(exact("L'\\x41'"), Some(65));
        assert_eq!(exact("'ab'"), Some(0x6162));
        assert_eq!(exact("'\\377'"), None);
        assert_eq!(exact("''"), None);
    }
}
