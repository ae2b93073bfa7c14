//! What fuzzing compares, and nobody else sees.

use super::Shape;
use super::model::MODEL;
use super::shape::BAND;
use super::tile::{Coded, Content, STEPS, Stream};
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};
#[cfg(target_arch = "x86_64")]
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
    let mut target = [[0; BAND]; STEPS];
    let right = coded.decode(model, &mut target);
    add(right, &target);
    #[cfg(target_arch = "x86_64")]
    for kernel in Kernel::available() {
        let (mut one, mut other) = (target, target);
        let both = [&mut one, &mut other];
        let mut alone = target;
        // SAFETY: the machine has the instructions.
        let rights = unsafe {
            match kernel {
                Kernel::Baseline => continue,
                Kernel::Avx2 => [
                    avx2::decode([coded], model, [&mut alone]),
                    avx2::decode([coded; 2], model, both),
                ],
                Kernel::Avx512 => [
                    avx512::decode([coded], model, [&mut alone]),
                    avx512::decode([coded; 2], model, both),
                ],
            }
        };
        add(rights[0], &alone);
        add(rights[1], &other);
    }
    found
}
