//! What a kernel's makefile says is linked with what. Its text is read, not the list that it was made
//! from.

use std::collections::BTreeMap;

/// A module as a makefile has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Listed {
    /// Its name.
    pub(super) name: String,
    /// The setting that decides whether it is built, such as `CONFIG_X`; none if it always is.
    pub(super) setting: Option<String>,
    /// Its objects, by their path below the makefile's folder, in order.
    pub(super) objects: Vec<String>,
}

/// Reads the lists of objects. Those that depend on a setting are taken: it may be on.
pub(super) fn modules(text: &str) -> Vec<Listed> {
    let mut lists: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut goals: Vec<(Option<String>, String)> = Vec::new();
    for line in logical_lines(text) {
        let Some((name, words)) = assignment(&line) else { continue };
        let Some((stem, part)) = split(name) else { continue };
        let objects = words.split_whitespace().filter(|word| word.ends_with(".o"));
        if stem == "obj" {
            goals.extend(objects.map(|object| (part.clone(), object.to_owned())));
        } else {
            lists.entry(stem.to_owned()).or_default().extend(objects.map(str::to_owned));
        }
    }
    let mut listed: Vec<Listed> = Vec::new();
    for (setting, object) in goals {
        let Some(name) = object.strip_suffix(".o").map(str::to_owned) else { continue };
        if listed.iter().any(|module| module.name == name) {
            continue;
        }
        // One without a list is made of the one object.
        let objects = lists.get(&name).cloned().unwrap_or_else(|| vec![object]);
        listed.push(Listed { name, setting, objects });
    }
    listed
}

/// Lines with continuations joined and comments gone.
fn logical_lines(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut open = String::new();
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default().trim_end();
        match line.strip_suffix('\\') {
            Some(start) => {
                open.push_str(start);
                open.push(' ');
            }
            None => {
                open.push_str(line);
                lines.push(std::mem::take(&mut open));
            }
        }
    }
    lines.push(open);
    lines
}

fn assignment(line: &str) -> Option<(&str, &str)> {
    let (name, words) = line.split_once('=')?;
    Some((name.trim_end_matches([':', '+', '?']).trim(), words))
}

/// `name-y`, `name-objs` and `name-$(CONFIG_X)`: the name, and the setting if there is one.
fn split(variable: &str) -> Option<(&str, Option<String>)> {
    if let Some((stem, setting)) = variable.split_once("-$(") {
        return Some((stem, Some(setting.strip_suffix(')')?.to_owned())));
    }
    let stem = variable.strip_suffix("-y").or_else(|| variable.strip_suffix("-objs"))?;
    Some((stem, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_as_kbuild_reads_them() {
        let text = "# a.o\nobj-$(CONFIG_A) += a.o\nobj-y += single.o plain.o\n\
            ccflags-y := -O3\na-y := \\\n\t\tone.o \\\n\t\tsub/two.o # not.o\na-$(CONFIG_C) += three.o\n\
            plain-objs := four.o\n";
        let read = modules(text);
        let shown: Vec<String> = read
            .iter()
            .map(|m| format!("{} {:?} {}", m.name, m.setting.as_deref(), m.objects.join(" ")))
            .collect();
        let wanted = [
            "a Some(\"CONFIG_A\") one.o sub/two.o three.o",
            "single None single.o",
            "plain None four.o",
        ];
        assert_eq!(shown, wanted);
        assert_eq!(modules(""), []);
    }
}
