//! What fuzzing compares, and nobody else sees.

use super::Shape;
use super::model::MODEL;
use super::shape::BAND;
use super::tile::{Coded, Content, Decode, STEPS, Stream};
use crate::generator::kernel::Kernel;

/// The shares, by steps and lanes, that each decoder of this machine finds in the first steps of a
/// tile; `None` where it finds that the bytes are not one. Nothing of a tile that is not coded.
pub fn decode_tile(shape: Shape, tile: usize, bytes: &[u8], steps: usize) -> Vec<Option<Vec<u8>>> {
    let (size, stones, model) = (shape.tile(tile).size(), shape.stones() as u8, &*MODEL);
    let steps = steps.min(size.steps());
    let mut stream = Stream::new();
    let Some(Content::Coded(parts, _)) = Content::of(bytes, size, &mut stream) else {
        return vec![None];
    };
    let coded = Coded { parts, stream: &stream, size, stones, steps };
    let mut found = Vec::new();
    let mut add = |right: Option<()>, target: &[[u8; BAND]; STEPS]| {
        found.push(right.map(|()| target[..steps].concat()));
    };
    for kernel in Kernel::available() {
        let (mut target, mut right) = ([[0; BAND]; STEPS], None);
        let (tile, right_here) = (&coded, &mut right);
        let work = Decode { tile, model, target: &mut target, right: right_here };
        // SAFETY: the machine has the instruction set, and the work asks for nothing.
        unsafe { kernel.run(work) };
        add(right, &target);
        #[cfg(target_arch = "x86_64")]
        if kernel == Kernel::Avx512 {
            use super::avx512::decode;
            let (mut one, mut other) = ([[0; BAND]; STEPS], [[0; BAND]; STEPS]);
            // SAFETY: the machine has the instructions.
            let right = unsafe { decode([coded], model, [&mut one]) };
            add(right, &one);
            let targets = [&mut one, &mut other];
            // SAFETY: the machine has the instructions.
            let right = unsafe { decode([coded; 2], model, targets) };
            add(right, &other);
        }
    }
    found
}
