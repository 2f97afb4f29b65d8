//! Who writes a patch or commit: as said on the command line, else as git would find it.

use std::path::Path;

use git2::Config;

use super::Repository;
use crate::finding::{Error, Result};

/// A name and a mail address, on one line and without angle brackets.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Identity {
    /// Name.
    pub name: String,
    /// Mail address.
    pub mail: String,
}

impl Identity {
    /// Checks both parts.
    ///
    /// # Errors
    /// A part is empty where it must not be, or holds what a mail header can't.
    pub fn new(name: &str, mail: &str) -> Result<Identity> {
        let (name, mail) = (name.trim(), mail.trim());
        for (part, what) in [(name, "name"), (mail, "mail address")] {
            let bad = |c: char| c.is_control() || matches!(c, '<' | '>');
            if part.is_empty() || part.contains(bad) {
                return Err(Error::usage(format!(
                    "`{}` can't be the {what} of an author",
                    part.escape_debug()
                ))
                .hint("write `Name <mail>` on one line"));
            }
        }
        if mail.contains(char::is_whitespace) {
            return Err(Error::usage(format!("the mail address `{mail}` holds a blank")));
        }
        Ok(Identity { name: name.into(), mail: mail.into() })
    }

    /// Reads `Name <mail>`.
    ///
    /// # Errors
    /// The text has no `<mail>`, or a part is refused by [`Identity::new`].
    pub fn parse(text: &str) -> Result<Identity> {
        let parts = text.trim().strip_suffix('>').and_then(|text| text.split_once('<'));
        match parts {
            Some((name, mail)) => Identity::new(name, mail),
            None => Err(Error::usage(format!("`{}` names no author", text.escape_debug()))
                .hint("write `Name <mail>`")),
        }
    }

    /// The user, as git finds them: variables of the environment, which `variable` reads, then the
    /// configuration of `repository`, then their own.
    pub fn of_user(
        repository: Option<&Repository>,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Identity> {
        let configs = configurations(repository, variable);
        let configured = |keys: [&str; 2]| {
            let mut found = keys.iter().flat_map(|key| configs.iter().map(|c| c.get_string(key)));
            found.find_map(|value| value.ok().filter(|value| !value.is_empty()))
        };
        let given = |name: &str| variable(name).filter(|value| !value.is_empty());
        let name = given("GIT_AUTHOR_NAME").or_else(|| configured(["author.name", "user.name"]));
        let mail = given("GIT_AUTHOR_EMAIL")
            .or_else(|| configured(["author.email", "user.email"]))
            .or_else(|| given("EMAIL"));
        match (name, mail) {
            (Some(name), Some(mail)) => Identity::new(&name, &mail),
            (name, _) => {
                let what = if name.is_none() { "name" } else { "mail address" };
                Err(Error::usage(format!("the author's {what} is not known")).hint(
                    "give --author 'Name <mail>', or set user.name and user.email with `git config`",
                ))
            }
        }
    }
}

/// `Name <mail>`.
impl std::fmt::Display for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} <{}>", self.name, self.mail)
    }
}

/// The configurations that git would use, the nearest first; one that can't be read counts as empty.
fn configurations(
    repository: Option<&Repository>,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Vec<Config> {
    let own = match variable("GIT_CONFIG_GLOBAL") {
        Some(file) => Config::open(Path::new(&file)),
        None => Config::open_default(),
    };
    let local = repository.map(|repository| Config::open(&repository.common.join("config")));
    local.into_iter().chain([own]).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn authors_are_a_name_and_a_mail() {
        let author = Identity::parse(" Jürgen Ä. Groß  <j@example.org> ").unwrap();
        assert_eq!(author.to_string(), "Jürgen Ä. Groß <j@example.org>");
        for bad in [
            "",
            "A",
            "a@b",
            "<a@b>",
            "A <>",
            "A <a@b> x",
            "A <a> <b>",
            "A\nTo: x <a@b>",
            "A <a b>",
            "A <a\0>",
            "A\x1b[m <a@b>",
        ] {
            assert!(Identity::parse(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn variables_come_before_the_configuration() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config");
        std::fs::write(&file, "[user]\nname = C\nemail = c@x\n[author]\nname = D\n").unwrap();
        let ask = |set: &[(&str, &str)]| {
            let mut set = set.to_vec();
            let file = file.to_str().unwrap().to_owned();
            set.push(("GIT_CONFIG_GLOBAL", &file));
            let variable = |name: &str| {
                set.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
            };
            Identity::of_user(None, &variable).map(|found| found.to_string())
        };
        assert_eq!(ask(&[]).unwrap(), "D <c@x>");
        assert_eq!(ask(&[("GIT_AUTHOR_NAME", "E"), ("EMAIL", "f@x")]).unwrap(), "E <c@x>");
        assert_eq!(ask(&[("GIT_AUTHOR_EMAIL", "f@x")]).unwrap(), "D <f@x>");
        assert!(ask(&[("GIT_AUTHOR_NAME", "E\nX")]).is_err());
        std::fs::write(&file, "").unwrap();
        let error = ask(&[("EMAIL", "f@x")]).unwrap_err();
        assert!(error.message.contains("name is not known"));
        assert!(error.hint.unwrap().contains("--author"));
    }
}
