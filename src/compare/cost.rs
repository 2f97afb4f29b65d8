//! What two kernel forms cost: plain data, as JSON has it.

mod pair;

use serde::Serialize;

/// A figure of both forms; none where a form has no such thing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Pair {
    /// Of the old form.
    pub old: Option<u64>,
    /// Of the new form.
    pub new: Option<u64>,
}

/// What both forms cost in memory and code.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Cost {
    /// Workspaces, as each kind of caller computes them.
    pub workspaces: Vec<WorkspaceUse>,
    /// Stack frames and sizes, by machine.
    pub machines: Vec<MachineCost>,
    /// Names that the modules export; none where that is not known.
    pub exports: Option<Exports>,
    /// Sentences: what could not be measured, and why.
    pub notes: Vec<String>,
}

/// Workspaces that one kind of caller asks for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct WorkspaceUse {
    /// Who computes them so.
    pub user: String,
    /// How, in words.
    pub how: String,
    /// One row a level, by level.
    pub rows: Vec<WorkspaceRow>,
}

/// Workspaces of one level.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct WorkspaceRow {
    /// The level; 0 where all are the same.
    pub level: i32,
    /// Bytes to compress.
    pub compress: Pair,
    /// Bytes to decompress what that level makes.
    pub decompress: Pair,
}

/// What a compiler for one machine makes of the code.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct MachineCost {
    /// The machine, as kernels call it.
    pub machine: String,
    /// The compiler, with its version.
    pub compiler: String,
    /// The kernel's limit of a stack frame, in bytes.
    pub frame_limit: u64,
    /// The largest frames, and those of some size that grew or came, largest first.
    pub frames: Vec<FrameCost>,
    /// Sizes, by object.
    pub objects: Vec<ObjectCost>,
}

/// The stack frame of a function.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FrameCost {
    /// The function.
    pub function: String,
    /// Bytes.
    pub bytes: Pair,
}

/// Sizes of an object file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ObjectCost {
    /// The object, by the path of its source below the library's folder.
    pub object: String,
    /// Bytes of code and constants.
    pub text: Pair,
    /// Bytes of data with values, and of data that is zero.
    pub data: Pair,
}

/// Names that the modules export.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Exports {
    /// How many both have.
    pub kept: usize,
    /// Those that only the new form has.
    pub added: Vec<String>,
    /// Those that only the old form has.
    pub removed: Vec<String>,
}
