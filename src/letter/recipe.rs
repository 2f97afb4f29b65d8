//! What makes a patch: everything that decides its bytes but the rules and the program themselves.

use super::WIDTH;
use crate::finding::{Error, Result};

/// What precedes the names of our trailers.
const PREFIX: &str = "Kernelize-";

/// How a patch was made. Each member is a trailer; lists give one each.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Recipe {
    /// Version of this program.
    pub tool: String,
    /// The release as it is called (`v1.5.7`).
    pub release: String,
    /// What it was read from: kind, id or version, checksum.
    pub upstream: String,
    /// Digest of the ruleset, its first 40 digits.
    pub rules: String,
    /// Name of the profile.
    pub profile: String,
    /// The kernel that the files are for; empty where the rules make no difference.
    pub kernel: String,
    /// The release whose unchanged import the tree holds (`--from`).
    pub from: Option<String>,
    /// Digest of the files that a Linux tree held (`--linux`).
    pub base: Option<String>,
    /// The upstream revision and profile that the tree was found to be made from.
    pub held: Option<String>,
    /// Local changes that the user decided to keep.
    pub keep: Vec<String>,
    /// Local changes that the user decided to drop.
    pub drop: Vec<String>,
    /// Number of this patch in a series, and their count.
    pub part: Option<(usize, usize)>,
    /// Digest of the author and of those who signed off.
    pub seal: String,
}

impl Recipe {
    /// As trailers.
    pub fn trailers(&self) -> Vec<(String, String)> {
        let mut rows = vec![
            ("Tool", self.tool.clone()),
            ("Release", self.release.clone()),
            ("Upstream", self.upstream.clone()),
            ("Rules", self.rules.clone()),
            ("Profile", self.profile.clone()),
        ];
        rows.extend((!self.kernel.is_empty()).then(|| ("Kernel", self.kernel.clone())));
        rows.extend(self.from.iter().map(|value| ("From", value.clone())));
        rows.extend(self.base.iter().map(|value| ("Base", value.clone())));
        rows.extend(self.held.iter().map(|value| ("Held", value.clone())));
        rows.extend(self.keep.iter().map(|value| ("Keep", value.clone())));
        rows.extend(self.drop.iter().map(|value| ("Drop", value.clone())));
        rows.extend(self.part.map(|(part, of)| ("Part", format!("{part}/{of}"))));
        rows.push(("Seal", self.seal.clone()));
        rows.into_iter().map(|(name, value)| (format!("{PREFIX}{name}"), value)).collect()
    }

    /// Reads trailers back; those of others are passed over.
    ///
    /// # Errors
    /// One of ours is missing, unknown, said twice or wrong.
    pub fn parse(trailers: &[(String, String)]) -> Result<Recipe> {
        let mut recipe = Recipe::default();
        for (name, value) in trailers {
            let Some(name) = name.strip_prefix(PREFIX) else { continue };
            recipe.set(name, value)?;
        }
        let needed = [
            ("Tool", &recipe.tool),
            ("Release", &recipe.release),
            ("Upstream", &recipe.upstream),
            ("Rules", &recipe.rules),
            ("Profile", &recipe.profile),
            ("Seal", &recipe.seal),
        ];
        match needed.iter().find(|(_, value)| value.is_empty()) {
            None => Ok(recipe),
            Some((name, _)) => {
                Err(Error::input(format!("the patch has no trailer {PREFIX}{name}"))
                    .hint("is it a patch that kernelize made, whole and with its message?"))
            }
        }
    }

    fn set(&mut self, name: &str, value: &str) -> Result<()> {
        let wrong = |what: &str| {
            Error::input(format!("the trailer {PREFIX}{name} {what}"))
                .hint("the patch was edited, or a newer kernelize made it")
        };
        let member = match name {
            "Tool" => &mut self.tool,
            "Release" => &mut self.release,
            "Upstream" => &mut self.upstream,
            "Rules" => &mut self.rules,
            "Profile" => &mut self.profile,
            "Kernel" => &mut self.kernel,
            "Seal" => &mut self.seal,
            "From" => self.from.get_or_insert_default(),
            "Base" => self.base.get_or_insert_default(),
            "Held" => self.held.get_or_insert_default(),
            "Keep" => {
                self.keep.push(value.to_owned());
                return Ok(());
            }
            "Drop" => {
                self.drop.push(value.to_owned());
                return Ok(());
            }
            "Part" if self.part.is_none() => {
                let numbers = value.split_once('/');
                let number = |text: &str| text.parse().ok();
                let part = numbers.and_then(|(part, of)| Some((number(part)?, number(of)?)));
                self.part = Some(part.ok_or_else(|| wrong("is no `N/N`"))?);
                return Ok(());
            }
            "Part" => return Err(wrong("stands twice")),
            _ => return Err(wrong("isn't known")),
        };
        if !member.is_empty() {
            return Err(wrong("stands twice"));
        }
        value.clone_into(member);
        Ok(())
    }

    /// The commands that make and compare the patch, as a part of the message.
    pub(super) fn words(&self) -> String {
        let mut make = vec![format!("kernelize patch {}", self.release)];
        let mut compare = vec!["kernelize verify PATCH".to_owned()];
        if self.base.is_some() {
            make.push("--linux TREE".into());
            compare.push("--linux TREE".into());
        }
        make.extend(self.from.iter().map(|from| format!("--from {from}")));
        make.push(format!("--profile {}", self.profile));
        if self.base.is_none() && !self.kernel.is_empty() {
            make.push(format!("--kernel {}", self.kernel));
        }
        make.extend(self.keep.iter().map(|id| format!("--keep {id}")));
        make.extend(self.drop.iter().map(|id| format!("--drop {id}")));
        make.extend(self.part.map(|_| "--split".to_owned()));
        let (make, compare) = (command(&make), command(&compare));
        format!("To make it again, and to compare:\n\n{make}\n{compare}")
    }
}

/// A command of these words, over as many lines as it takes.
fn command(words: &[String]) -> String {
    let mut lines = vec![String::from(" ")];
    for word in words {
        let last = lines.last().map_or(0, |line| line.chars().count());
        if last > 1 && last + 1 + word.chars().count() + " \\".len() > WIDTH {
            if let Some(line) = lines.last_mut() {
                line.push_str(" \\");
            }
            lines.push(String::from("     "));
        }
        if let Some(line) = lines.last_mut() {
            line.push(' ');
            line.push_str(word);
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recipe() -> Recipe {
        Recipe {
            tool: "0.1.0".into(),
            release: "v1.1.0".into(),
            upstream: "git 0123".into(),
            rules: "4567".into(),
            profile: "strict".into(),
            kernel: "6.12".into(),
            base: Some("89ab".into()),
            keep: vec!["a".into(), "b".into()],
            part: Some((2, 3)),
            seal: "cdef".into(),
            ..Recipe::default()
        }
    }

    #[test]
    fn trailers_are_read_back() {
        let mut trailers = recipe().trailers();
        trailers.push(("Signed-off-by".into(), "A <a@b>".into()));
        assert_eq!(Recipe::parse(&trailers).unwrap(), recipe());
    }

    #[test]
    fn trailers_that_are_not_ours_are_refused() {
        type Trailers = Vec<(String, String)>;
        let said = |change: fn(&mut Trailers)| {
            let mut trailers = recipe().trailers();
            change(&mut trailers);
            Recipe::parse(&trailers).unwrap_err().message
        };
        assert!(said(|t| drop(t.remove(0))).contains("no trailer Kernelize-Tool"));
        assert!(said(|t| t.push(("Kernelize-Tool".into(), "x".into()))).contains("stands twice"));
        assert!(said(|t| t.push(("Kernelize-New".into(), "x".into()))).contains("isn't known"));
        assert!(said(|t| t[9].1 = "x".into()).contains("no `N/N`"));
    }

    #[test]
    fn the_commands_name_what_matters() {
        let words = recipe().words();
        assert!(
            words.contains(
                "patch v1.1.0 --linux TREE --profile strict --keep a \\\n      --keep b --split\n"
            ),
            "{words}"
        );
        assert!(words.ends_with("verify PATCH --linux TREE"));
        let many = Recipe { keep: vec!["x".repeat(20); 3], ..recipe() }.words();
        assert!(many.contains(" \\\n      --keep xx"), "{many}");
        assert!(many.lines().all(|line| line.len() <= WIDTH), "{many}");
    }
}
