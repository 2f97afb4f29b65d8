//! How fast two kernel forms are.

use std::path::PathBuf;

use clap::Args;

#[derive(Args, Debug)]
#[command(next_help_heading = "Speed")]
pub(in crate::cli) struct Bench {
    /// Build both and measure how fast they are, on these files and folders [default: a small mix]
    ///
    /// Both are built as kernels are, put into one program and measured in turn: at levels -5, 1, 3, 5,
    /// 9, 15 and 19, in blocks of 4K, of 128K and as a whole. Each figure is the median of pairs of
    /// measurements in processor time, new to old, with the interval that encloses it in 999 of 1000
    /// cases. What lies beyond the noise is marked. The mix is made on the fly: text, source code,
    /// binary data, zeros, noise and JSON. A folder with more than 16 files is one part; of what is too
    /// large for the time, pieces in even distances are measured. Code lies in memory by chance, which
    /// makes a few hundredths: trust no change below 0.02.
    #[arg(long, value_name = "FILE|DIR", num_args = 0..)]
    pub(in crate::cli) bench: Option<Vec<PathBuf>>,
    /// Measure for SECONDS of processor time; building takes a while more
    ///
    /// On a busy machine it takes up to four times as long, and may end with fewer pairs.
    #[arg(long, value_name = "SECONDS", requires = "bench", default_value_t = 40)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(in crate::cli) bench_time: u64,
    /// Exit with 1 if a bound is broken, such as 'speed<0.97', else with 0, whether A and B differ or not
    ///
    /// METRIC, then if wanted @LEVEL, then if wanted /BLOCK, then < or > and a number. METRIC is compress or
    /// decompress (speed, new to old), speed (either of them), ratio (compressed size, old to new) or
    /// memory (workspace to compress, new to old); BLOCK is 4K, 128K or whole. It is about what all parts come to, at each level and
    /// block size by itself, and counts what is certain: all of the interval has to lie beyond the number.
    /// May be given more than once.
    #[arg(long, value_name = "GATE", requires = "bench")]
    pub(in crate::cli) fail_if: Vec<String>,
}
