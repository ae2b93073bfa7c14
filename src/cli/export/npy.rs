//! Arrays for numpy.

use indicatif::DecimalBytes;
use kalah::export::npy::{self, READER_NAME};
use kalah::tables::Tablebase;

use super::{Args, Watcher, failure};
use crate::cli::failure::{Failure, Status};
use crate::cli::output::count;

pub fn run<const P: usize>(args: &Args) -> Result<Status, Failure> {
    if args.out.as_os_str() == "-" {
        let reason = "--format npy writes a folder of files, not to standard output; name a folder";
        return Err(Failure::wrong_input(reason));
    }
    let tables: Tablebase<P> = args.open()?;
    let layers = &tables.layers()[..=args.stones()];
    let positions = layers.iter().map(|layer| layer.header().positions()).sum();
    let watcher = Watcher::new(args, positions)?;
    let written = npy::write(&tables, args.stones(), &args.out, &watcher);
    watcher.progress.finish();
    let place = args.place();
    let Some(written) = written.map_err(failure)? else {
        let reason = format!(
            "interrupted; arrays that were finished are kept in {place}, and the same command \
             writes them all"
        );
        return Err(Failure::Because(Status::Interrupted, reason));
    };
    let words = format!(
        "Wrote arrays of the layers of 0 to {} stones, {} positions, and {READER_NAME} to {place} \
         ({}).\n",
        args.stones,
        count(written.positions),
        DecimalBytes(written.bytes),
    );
    args.tell(written.positions, written.bytes, &words)
}
