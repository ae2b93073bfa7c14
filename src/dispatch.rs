//! From numbers of pits that are known at run time to code that is made for each.

/// Calls a function with a number of pits a side, 1 to 8, as its constant: `Some` of what it
/// returns, or `None` for a number of pits that no board has.
///
/// Every number of pits gets its own code, in which rows are arrays of a known length.
///
/// ```
/// use kalah::rules::Board;
///
/// fn stones<const P: usize>(seeds: u8) -> Option<usize> {
///     Some(Board::<P>::opening(seeds).ok()?.pits().stones())
/// }
///
/// let pits = "3".parse()?;
/// assert_eq!(kalah::with_pits!(pits, stones(4)), Some(Some(24)));
/// assert_eq!(kalah::with_pits!(9, stones(4)), None);
/// # Ok::<(), std::num::ParseIntError>(())
/// ```
#[macro_export]
macro_rules! with_pits {
    ($pits:expr, $function:ident $arguments:tt) => {
        $crate::with_pits!(@each [1 2 3 4 5 6 7 8] $pits, $function $arguments)
    };
    (@each [$($known:literal)*] $pits:expr, $function:ident $arguments:tt) => {
        match $pits {
            $($known => Some($function::<$known> $arguments),)*
            _ => None,
        }
    };
}

/// [`with_pits!`] for what there is of tables alone, 1 to 6 pits a side.
///
/// ```
/// use kalah::rules::Rules;
/// use kalah::tables::Tablebase;
///
/// fn reach<const P: usize>(folder: &str) -> Option<usize> {
///     Tablebase::<P>::open(folder, Rules::Standard).ok()?.stones()
/// }
///
/// # let folder = tempfile::tempdir()?;
/// # let folder = folder.path().to_str().expect("a temporary folder has a plain name");
/// assert_eq!(kalah::with_table_pits!(6, reach(folder)), Some(None));
/// assert_eq!(kalah::with_table_pits!(7, reach(folder)), None);
/// # Ok::<(), std::io::Error>(())
/// ```
#[macro_export]
macro_rules! with_table_pits {
    ($pits:expr, $function:ident $arguments:tt) => {
        $crate::with_pits!(@each [1 2 3 4 5 6] $pits, $function $arguments)
    };
}
