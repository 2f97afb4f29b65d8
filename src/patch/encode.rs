//! Lines of a mail's head: encoded words where they go beyond ASCII, folded where they are long.

/// Longest line with an encoded word, as the standard demands.
const ENCODED_WIDTH: usize = 76;
/// Longest other line.
const WIDTH: usize = 78;
const OPEN: &str = "=?UTF-8?q?";

/// Where an encoded word stands, which decides what it may hold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Subject,
    Name,
}

/// `Subject: ` and the subject.
pub(super) fn subject(text: &str) -> String {
    let mut out = String::from("Subject: ");
    // The mark of a patch stays readable, and the place where mail programs look for it.
    let end = text.find("] ").filter(|_| text.starts_with('[')).map_or(0, |at| at + 2);
    let (mark, rest) = text.split_at(end);
    out += mark;
    match needs_encoding(rest) {
        true => encode(&mut out, rest, Place::Subject),
        false => wrap(&mut out, rest),
    }
    out + "\n"
}

/// `From: ` with name and mail address.
pub(super) fn from(name: &str, mail: &str) -> String {
    let mut out = String::from("From: ");
    let mut width = WIDTH;
    if needs_encoding(name) {
        encode(&mut out, name, Place::Name);
        width = ENCODED_WIDTH;
    } else if name.contains(|c| "()<>[]:;@\\,.\"".contains(c)) {
        wrap(&mut out, &format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"")));
    } else {
        wrap(&mut out, name);
    }
    let last = out.rsplit('\n').next().unwrap_or_default();
    if last.len() + mail.len() + 3 > width {
        out.push('\n');
    }
    out + &format!(" <{mail}>\n")
}

/// Takes the quotes of [`from`] off the name of a mail address.
pub(super) fn unquoted(address: &str) -> String {
    let parts = address.strip_prefix('"').and_then(|rest| rest.rsplit_once('"'));
    let Some((quoted, rest)) = parts else { return address.to_owned() };
    let mut name = String::new();
    let mut chars = quoted.chars();
    while let Some(c) = chars.next() {
        name.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    name + rest
}

fn needs_encoding(text: &str) -> bool {
    !text.bytes().all(|b| (b' '..=b'~').contains(&b)) || text.contains("=?")
}

fn encode(out: &mut String, text: &str, place: Place) {
    let column = |out: &str| out.len() - out.rfind('\n').map_or(0, |at| at + 1);
    out.push_str(OPEN);
    for c in text.chars() {
        let mut bytes = [0; 4];
        let bytes = c.encode_utf8(&mut bytes).as_bytes();
        let plain = match place {
            Place::Subject => c.is_ascii_graphic() && !"=?_".contains(c),
            Place::Name => c.is_ascii_alphanumeric() || "!*+-/".contains(c),
        };
        let length = if plain { 1 } else { 3 * bytes.len() };
        // A character isn't torn, and `?=` must fit behind it.
        if column(out) + length + 2 > ENCODED_WIDTH {
            out.push_str("?=\n ");
            out.push_str(OPEN);
        }
        match plain {
            true => out.push(c),
            false => out.extend(bytes.iter().map(|byte| format!("={byte:02X}"))),
        }
    }
    out.push_str("?=");
}

/// Breaks lines at blanks where they would get too long.
fn wrap(out: &mut String, text: &str) {
    let mut column = out.len() - out.rfind('\n').map_or(0, |at| at + 1);
    for (at, word) in text.split(' ').enumerate() {
        let blank = usize::from(at > 0);
        if column + blank + word.len() > WIDTH {
            out.push_str("\n ");
            column = 1;
        } else if at > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += word.len();
    }
}

/// The text of a head's line, with encoded words read; what isn't one stays as it is.
pub(super) fn decode(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    let mut after_word = false;
    while let Some(start) = rest.find("=?") {
        let before = &rest[..start];
        let Some((word, length)) = decode_word(&rest[start..]) else {
            out.push_str(&rest[..start + 2]);
            (rest, after_word) = (&rest[start + 2..], false);
            continue;
        };
        // Blanks between two encoded words only part them.
        if !(after_word && before.trim().is_empty()) {
            out.push_str(before);
        }
        out.push_str(&word);
        (rest, after_word) = (&rest[start + length..], true);
    }
    out + rest
}

/// The encoded word at the start of `text`, and its length.
fn decode_word(text: &str) -> Option<(String, usize)> {
    let mut parts = text.strip_prefix("=?")?.splitn(3, '?');
    let (charset, form, rest) = (parts.next()?, parts.next()?, parts.next()?);
    let content = &rest[..rest.find("?=")?];
    if !charset.eq_ignore_ascii_case("utf-8") || !form.eq_ignore_ascii_case("q") {
        return None;
    }
    let mut bytes = Vec::new();
    let mut left = content.bytes();
    while let Some(byte) = left.next() {
        bytes.push(match byte {
            b'_' => b' ',
            b'=' => {
                let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
                (digit(left.next())? << 4 | digit(left.next())?) as u8
            }
            byte => byte,
        });
    }
    let length = "=?".len() + charset.len() + 1 + form.len() + 1 + content.len() + "?=".len();
    Some((String::from_utf8(bytes).ok()?, length))
}

/// `Thu, 28 Mar 2024 09:46:43 +0000`; `None` outside the years that mail can name.
pub(super) fn date(seconds: i64) -> Option<String> {
    /// The last second of the year 9999.
    const LAST: i64 = 253_402_300_799;
    if !(0..=LAST).contains(&seconds) {
        return None;
    }
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][(days % 7) as usize];
    let (year, month, day) = calendar(days);
    let months =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let month = months[month];
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    Some(format!("{weekday}, {day} {month} {year} {hour:02}:{minute:02}:{second:02} +0000"))
}

/// Year, month from 0 and day from 1 of a day counted from 1970-01-01.
fn calendar(mut days: i64) -> (i64, usize, i64) {
    let is_leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let mut year = 1970;
    loop {
        let length = if is_leap(year) { 366 } else { 365 };
        if days < length {
            break;
        }
        days -= length;
        year += 1;
    }
    let february = if is_leap(year) { 29 } else { 28 };
    let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30];
    let mut month = 0;
    for length in lengths {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        let cases = [
            (0, "Thu, 1 Jan 1970 00:00:00 +0000"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 +0000"),
            (1_711_619_203, "Thu, 28 Mar 2024 09:46:43 +0000"),
            (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 +0000"),
            (4_107_542_400, "Mon, 1 Mar 2100 00:00:00 +0000"),
            (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 +0000"),
        ];
        for (seconds, expected) in cases {
            assert_eq!(date(seconds).unwrap(), expected);
        }
        assert!(date(-1).is_none() && date(i64::MAX).is_none());
    }

    #[test]
    fn encoded_words_go_there_and_back() {
        let long =
            "zstd: größer und größer, bis keine Zeile mehr reicht = für _einen_ Betreff? 漢字";
        for text in ["plain", "ü", "a =?x", long] {
            let line = subject(&format!("[PATCH] {text}"));
            assert!(line.lines().all(|line| line.len() <= ENCODED_WIDTH && line.is_ascii()));
            let unfolded = line.trim_end().replace('\n', "");
            let unfolded = unfolded.strip_prefix("Subject: [PATCH] ").unwrap();
            assert_eq!(decode(unfolded), text);
        }
        assert_eq!(decode("=?utf-8?Q?a_b=3D?= =?utf-8?q?c?= d"), "a b=c d");
        for same in ["=?", "=?x?y", "=?utf-8?q?=4?=", "=?utf-8?q?=FF?=", "a=?=?="] {
            assert_eq!(decode(same), same);
        }
    }
}
