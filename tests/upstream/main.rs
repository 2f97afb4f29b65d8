//! Reading releases from every kind of source, sound and hostile ones.

mod archives;
mod folders;
mod git_hostile;
mod git_revisions;
mod packages;
mod support;
mod urls;
