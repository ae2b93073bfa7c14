//! A small table for a web page.

use indicatif::DecimalBytes;
use kalah::web::{self, most_stones};

use super::Args;
use crate::cli::failure::{Failure, Status};
use crate::cli::output::{count, pits_a_side};

pub fn run<const P: usize>(args: &Args) -> Result<Status, Failure> {
    if args.out.as_os_str() == "-" {
        let reason = "--format web writes a folder of files, not to standard output; name a folder";
        return Err(Failure::wrong_input(reason));
    }
    let most = most_stones::<P>();
    if args.stones() > most {
        return Err(Failure::wrong_input(format!(
            "--stones {} is too much for a web page; with {} a side it can load a table of {most}",
            args.stones,
            pits_a_side(args.tables.pits()),
        )));
    }
    let tables = args.open::<P>()?;
    let written = web::export(&tables, args.stones(), &args.out)?;
    let words = format!(
        "Wrote {}, all {} positions of up to {} stones in {}, with its reader and a page to {}.\n",
        written.table,
        count(written.positions),
        args.stones,
        DecimalBytes(written.bytes),
        args.place(),
    );
    args.tell(written.positions, written.bytes, &words)
}
