//! What compilers and sanitisers say, read back.

use super::process::plain;

/// How bad the speaker thinks it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Weight {
    Error,
    Warning,
}

/// One complaint about a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Diagnostic {
    pub(super) file: String,
    /// From 1.
    pub(super) line: usize,
    /// From 1; 0 where none is given.
    pub(super) column: usize,
    pub(super) weight: Weight,
    /// Without the switch that it is by.
    pub(super) message: String,
    /// That switch, such as `-Wundef`.
    pub(super) switch: Option<String>,
}

/// Reads what gcc or clang wrote to standard error. Notes, excerpts and counts are passed over.
pub(super) fn compiler(text: &str) -> Vec<Diagnostic> {
    text.lines().filter_map(line).collect()
}

/// `file:line:column: kind: message [switch]`, the column being optional.
fn line(line: &str) -> Option<Diagnostic> {
    let kinds = [
        (": fatal error: ", Weight::Error),
        (": error: ", Weight::Error),
        (": warning: ", Weight::Warning),
    ];
    let (at, kind, weight) = kinds
        .iter()
        .filter_map(|(kind, weight)| Some((line.find(kind)?, kind, *weight)))
        .min_by_key(|(at, ..)| *at)?;
    let (file, number, column) = place(&line[..at])?;
    let (message, switch) = without_switch(&line[at + kind.len()..]);
    let message = plain(message);
    Some(Diagnostic { file: file.to_owned(), line: number, column, weight, message, switch })
}

/// `file:line:column` or `file:line`.
fn place(text: &str) -> Option<(&str, usize, usize)> {
    let (rest, last) = text.rsplit_once(':')?;
    let last: usize = last.parse().ok()?;
    if let Some((file, line)) = rest.rsplit_once(':')
        && let Ok(line) = line.parse()
        && !file.is_empty()
    {
        return Some((file, line, last));
    }
    (!rest.is_empty()).then_some((rest, last, 0))
}

/// Takes `[-Wname]`, `[-Werror=name]` and clang's `[-Werror,-Wname]` off the end.
fn without_switch(message: &str) -> (&str, Option<String>) {
    let found = message.trim_end().strip_suffix(']').and_then(|rest| rest.rsplit_once(" ["));
    let Some((text, switch)) = found.filter(|(_, switch)| switch.starts_with("-W")) else {
        return (message.trim_end(), None);
    };
    let name = switch.rsplit(',').next().unwrap_or(switch);
    (text, Some(name.replacen("-Werror=", "-W", 1)))
}

/// A fault that a sanitiser saw, at the topmost place that has a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Fault {
    pub(super) message: String,
    /// File, line and column of each frame that has them, the innermost first.
    pub(super) frames: Vec<(String, usize, usize)>,
}

/// Reads what the address and the undefined-behaviour sanitiser write to standard error.
pub(super) fn sanitizer(text: &str) -> Vec<Fault> {
    let mut faults: Vec<Fault> = Vec::new();
    // Frames follow the fault; those behind a later heading are of the memory's own history.
    let mut open = false;
    for line in text.lines() {
        if let Some((place_text, message)) = line.split_once(": runtime error: ") {
            let place = place(place_text.trim());
            let frames =
                place.map(|(file, line, column)| (file.to_owned(), line, column)).into_iter();
            faults.push(Fault { message: plain(message), frames: frames.collect() });
            open = false;
        } else if let Some((_, message)) = line.split_once("ERROR: AddressSanitizer: ") {
            faults.push(Fault { message: fault_name(message), frames: Vec::new() });
            open = true;
        } else if open {
            match frame(line) {
                Some(place) => {
                    if let Some(fault) = faults.last_mut() {
                        fault.frames.push(place);
                    }
                }
                None => open = line.trim().is_empty() || !ends_stack(line),
            }
        }
    }
    faults
}

/// The heading of another stack.
fn ends_stack(line: &str) -> bool {
    line.contains(" located ") || line.contains("allocated by") || line.contains("freed by")
}

/// Without addresses, which differ from run to run.
fn fault_name(message: &str) -> String {
    let end = message.find(" on ").or_else(|| message.find(" (")).unwrap_or(message.len());
    plain(&message[..end])
}

/// `    #1 0x55d in function file:line:column`
fn frame(line: &str) -> Option<(String, usize, usize)> {
    let rest = line.trim_start().strip_prefix('#')?;
    let (_, rest) = rest.split_once(" in ")?;
    let (_, at) = rest.split_once(' ')?;
    place(at.trim()).map(|(file, line, column)| (file.to_owned(), line, column))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_of_both_compilers_are_read() {
        let gcc = "lib/a/b.c: In function 'f':\n\
            lib/a/b.c:12:7: warning: unused variable 'x' [-Wunused-variable]\n   12 | int x;\n\
            lib/a/b.c:3:1: note: here: error: not this\n\
            b.h:5: error: unterminated #if\ncompilation terminated.\n";
        let read = compiler(gcc);
        assert_eq!(read.len(), 2, "{read:?}");
        assert_eq!((read[0].file.as_str(), read[0].line, read[0].column), ("lib/a/b.c", 12, 7));
        assert_eq!(read[0].message, "unused variable 'x'");
        assert_eq!(read[0].switch.as_deref(), Some("-Wunused-variable"));
        assert_eq!((read[1].line, read[1].column, read[1].weight), (5, 0, Weight::Error));
        let clang = "a.c:1:2: fatal error: 'x.h' file not found\n\
            a.c:2:3: error: 'A' is not defined [-Werror,-Wundef]\n\
            a.c:2:4: error: array [3] is [too] big [-Werror=x]\n2 errors generated.\n";
        let read = compiler(clang);
        let seen: Vec<_> = read.iter().map(|d| (&*d.message, d.switch.as_deref())).collect();
        let wanted = [
            ("'x.h' file not found", None),
            ("'A' is not defined", Some("-Wundef")),
            ("array [3] is [too] big", Some("-Wx")),
        ];
        assert_eq!(seen, wanted);
        assert_eq!(compiler("ld: warning: something\n: error: x\n12: error: y\n"), []);
    }

    #[test]
    fn faults_are_read_with_the_frames_that_led_there() {
        let said = "/tmp/t/lib/a.c:7:5: runtime error: shift exponent 64 is too large\n\
            ===\n==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x60 at pc\n\
            READ of size 8 at 0x60 thread T0\n    #0 0x55 in __asan_memcpy (/tmp/p+0x4)\n\
            \x20   #1 0x56 in f_1 /tmp/t/lib/b.c:12\n    #2 0x56 in g /tmp/t/lib/c.c:3:4\n\n\
            0x60 is located 0 bytes to the right\nallocated by thread T0 here:\n\
            \x20   #0 0x55 in h /tmp/t/lib/d.c:1\n";
        let read = sanitizer(said);
        assert_eq!(read.len(), 2);
        assert_eq!(read[0].message, "shift exponent 64 is too large");
        assert_eq!(read[0].frames, [("/tmp/t/lib/a.c".to_owned(), 7, 5)]);
        assert_eq!(read[1].message, "heap-buffer-overflow");
        let wanted = [("/tmp/t/lib/b.c".to_owned(), 12, 0), ("/tmp/t/lib/c.c".to_owned(), 3, 4)];
        assert_eq!(read[1].frames, wanted);
        assert_eq!(sanitizer("all is well\n"), []);
    }
}
