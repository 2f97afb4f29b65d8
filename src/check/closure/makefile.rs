//! What a makefile of the kernel says is to be built.

use crate::text::Span;

/// An object of a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Object {
    /// As it is written, with its suffix.
    pub(super) name: String,
    /// The module, without a suffix.
    pub(super) module: String,
    pub(super) span: Span,
}

/// A makefile, as far as it lists objects.
#[derive(Debug, Default)]
pub(super) struct Makefile {
    /// The modules that something builds.
    pub(super) modules: Vec<String>,
    pub(super) objects: Vec<Object>,
}

impl Makefile {
    /// Reads the assignments of `obj-…`, and of `NAME-y`, `NAME-objs` and `NAME-$(…)`.
    pub(super) fn read(bytes: &[u8]) -> Makefile {
        let mut found = Makefile::default();
        let mut start = 0;
        while start < bytes.len() {
            let end = logical_end(bytes, start);
            found.line(bytes, start, end);
            start = end + 1;
        }
        found
    }

    fn line(&mut self, bytes: &[u8], start: usize, end: usize) {
        let line = &bytes[start..end];
        let line = &line[..memchr::memchr(b'#', line).unwrap_or(line.len())];
        let Some(equals) = memchr::memchr(b'=', line) else { return };
        let target = String::from_utf8_lossy(&line[..equals]);
        let target = target.trim_end_matches([':', '+', '?']).trim();
        let Some((name, kind)) = target.rsplit_once('-') else { return };
        let lists = matches!(kind, "y" | "m" | "objs") || kind.starts_with("$(");
        if !lists {
            return;
        }
        for (at, word) in words(line, equals + 1) {
            match name {
                "obj" => self.modules.extend(word.strip_suffix(".o").map(str::to_owned)),
                _ if word.ends_with(".o") => self.objects.push(Object {
                    name: word.clone(),
                    module: name.to_owned(),
                    span: Span::new(start + at, start + at + word.len()),
                }),
                _ => {}
            }
        }
    }
}

/// Where the line ends that starts at a place, those included that it goes on in.
fn logical_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    loop {
        let Some(len) = memchr::memchr(b'\n', &bytes[at..]) else { return bytes.len() };
        let end = at + len;
        if !bytes[start..end].trim_ascii_end().ends_with(b"\\") {
            return end;
        }
        at = end + 1;
    }
}

/// The words of a line from an offset on, each with its place; backslashes go on to the next line.
fn words(line: &[u8], from: usize) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut at = from;
    for part in line[from..].split(|byte| byte.is_ascii_whitespace()) {
        if !part.is_empty() && part != b"\\" {
            found.push((at, String::from_utf8_lossy(part).into_owned()));
        }
        at += part.len() + 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_and_modules_are_read() {
        let text = b"# a-y := b.o\nobj-$(CONFIG_A) += a.o\n\na-y := \\\n\tx.o \\\n\td/y.o\n\
            a-$(CONFIG_B) += z.o\nccflags-y := -O2\nCFLAGS_a.o := -x\n";
        let read = Makefile::read(text);
        assert_eq!(read.modules, ["a"]);
        let names: Vec<&str> = read.objects.iter().map(|object| object.name.as_str()).collect();
        assert_eq!(names, ["x.o", "d/y.o", "z.o"]);
        assert!(read.objects.iter().all(|object| object.module == "a"));
        for object in &read.objects {
            assert_eq!(text[object.span.range()], *object.name.as_bytes());
        }
    }
}
