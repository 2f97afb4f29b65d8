//! What a build has measured, one line for each machine.

use std::collections::BTreeMap;

use crate::report::summary::grouped;
use crate::report::visible::one_line;

/// What is said of one machine.
#[derive(Default)]
struct Machine<'a> {
    text: u64,
    /// The largest, and whose it is.
    frame: Option<(u64, &'a str)>,
}

/// The lines: code in all, and the largest stack frame. What else was measured is for programs.
pub(super) fn lines(figures: &BTreeMap<String, u64>) -> Vec<String> {
    let mut machines: BTreeMap<&str, Machine<'_>> = BTreeMap::new();
    for (name, bytes) in figures {
        let mut words = name.splitn(3, ' ');
        let (Some(machine), Some(kind), Some(what)) = (words.next(), words.next(), words.next())
        else {
            continue;
        };
        let machine = machines.entry(machine).or_default();
        match kind {
            "text" => machine.text = machine.text.saturating_add(*bytes),
            "stack" if machine.frame.is_none_or(|(most, _)| most < *bytes) => {
                machine.frame = Some((*bytes, what));
            }
            _ => {}
        }
    }
    let line = |(name, machine): (&str, Machine<'_>)| {
        let number = |bytes: u64| grouped(usize::try_from(bytes).unwrap_or(usize::MAX));
        let mut line = format!("{}: {} bytes of code", one_line(name), number(machine.text));
        if let Some((bytes, function)) = machine.frame {
            let (bytes, function) = (number(bytes), one_line(function));
            line += &format!(", largest stack frame {bytes} in {function}");
        }
        line
    };
    machines.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_has_one_line() {
        let figures = [
            ("arm text lib/a.c", 1000),
            ("arm text lib/b.c", 234),
            ("arm data lib/b.c", 9),
            ("arm stack f", 40),
            ("arm stack g", 1040),
            ("arm stack h", 1040),
            ("m68k text lib/a.c", 7),
            ("strange", 1),
        ];
        let figures = figures.map(|(name, bytes)| (name.to_owned(), bytes)).into();
        let wanted =
            ["arm: 1,234 bytes of code, largest stack frame 1,040 in g", "m68k: 7 bytes of code"];
        assert_eq!(lines(&figures), wanted);
    }
}
